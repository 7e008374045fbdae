//go:build unix

package hook

import (
	"errors"
	"io"
	"syscall"

	"warp/internal/core/lossless"
)

// dialSocket connects to a Unix socket. Package net would add more to the start of
// every hook than all the rest of it.
func dialSocket(path string) (io.ReadWriteCloser, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	return socket(fd), nil
}

type socket int

func (s socket) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(s), p)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (s socket) Write(p []byte) (done int, err error) {
	for done < len(p) {
		n, err := syscall.Write(int(s), p[done:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func (s socket) Close() error { return syscall.Close(int(s)) }

// sendRelayed asks the engine outside of a sandbox to answer a hook.
func sendRelayed(path string, q Relayed) (a RelayedAnswer, err error) {
	conn, err := dialSocket(path)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	if _, err := conn.Write(append(lossless.AppendCompact(nil, lossless.Encode(q, nil)), '\n')); err != nil {
		return a, err
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		return a, err
	}
	v, err := lossless.Parse(reply)
	if err == nil {
		err = lossless.Decode(v, &a)
	}
	return a, err
}
