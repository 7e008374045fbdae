// Package devserver runs Temporal's server for one machine: the temporal program on loopback, with
// a database file.
package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/sys/proc"
)

// lastVersion is the last version that go install can build.
const lastVersion = "v1.5.1"

// errMissing tells how to install the missing program.
var errMissing = errors.New(`the program temporal, which runs the server, is not installed.
Install it with one of
  brew install temporal
  go install github.com/temporalio/cli/cmd/temporal@` + lastVersion + `
or name one that is elsewhere with --temporal PATH, or connect to a server with --connect HOST:PORT`)

// Find returns the path of the program: on PATH, or where go install puts it.
func Find() (string, error) {
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	name := "temporal"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	home, _ := os.UserHomeDir()
	cache, _ := os.UserCacheDir()
	for _, path := range []string{filepath.Join(os.Getenv("GOBIN"), name), filepath.Join(os.Getenv("GOPATH"), "bin", name), filepath.Join(home, "go", "bin", name),
		filepath.Join(cache, "warp-drive", "temporal-"+lastVersion[1:], name)} {
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", errMissing
}

// mostFails limits how often in a row a server may end before it was reachable.
const mostFails = 5

// Server configures the server.
type Server struct {
	Program string
	Folder  string // holds its database and log
	Port    int
	UI      int // port of Temporal's own web page; 0 for none
	// Lock is handed to the server, which holds it after the death of this process, too. Nil: none.
	Lock io.Reader
}

// Address returns the address for clients.
func (s Server) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// Run keeps the server up until the context ends. It restarts a server that dies on the same file,
// which holds everything acknowledged. It gives up when the server ends five times in a row before
// it was reachable.
func (s Server) Run(ctx context.Context, started func(pid int), again func(why string)) error {
	for fails := 0; ; {
		res, reached, err := s.runOnce(ctx, started)
		if ctx.Err() != nil {
			return nil
		}
		if fails++; reached {
			fails = 0
		}
		why := describeExit(res, err)
		if fails >= mostFails {
			return fmt.Errorf("the Temporal server does not start: %s; its log is %s", why, s.log())
		}
		again(why)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(fails) * 200 * time.Millisecond):
		}
	}
}

func (s Server) log() string { return filepath.Join(s.Folder, "temporal.log") }

func (s Server) runOnce(ctx context.Context, started func(int)) (res proc.Result, reached bool, err error) {
	argv := []string{s.Program, "server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(s.Port), "--db-filename", filepath.Join(s.Folder, "temporal.db"), "--log-level", "warn"}
	if s.UI > 0 {
		argv = append(argv, "--ui-ip", "127.0.0.1", "--ui-port", strconv.Itoa(s.UI))
	} else {
		argv = append(argv, "--headless")
	}
	watch, stop := context.WithCancel(ctx)
	defer stop()
	up := make(chan bool, 1)
	go func() { up <- s.Wait(watch) == nil }()
	res, err = proc.Run(ctx, proc.Cmd{Argv: argv, Dir: s.Folder, Log: s.log(), Stdin: s.Lock, Started: started, Grace: 5 * time.Second})
	stop()
	return res, <-up, err
}

// Wait waits until the server accepts connections.
func (s Server) Wait(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var d net.Dialer
		if c, err := d.DialContext(ctx, "tcp", s.Address()); err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func describeExit(res proc.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	if res.Exit > 128 {
		return fmt.Sprintf("it was killed by signal %d", res.Exit-128)
	}
	out := strings.TrimSpace(string(res.Output))
	out = out[strings.LastIndexByte(out, '\n')+1:]
	if len(out) > 300 {
		out = out[len(out)-300:]
	}
	return fmt.Sprintf("it ended with exit code %d: %s", res.Exit, out)
}

// tailnet is the shared address space of Tailscale and carriers (RFC 6598).
var tailnet = netip.MustParsePrefix("100.64.0.0/10")

// CheckIP refuses addresses that strangers could reach: the server has no password.
func CheckIP(text string) error {
	ip, err := netip.ParseAddr(text)
	if err == nil && (ip.IsLoopback() || ip.IsPrivate() || tailnet.Contains(ip)) {
		return nil
	}
	return fmt.Errorf("the server cannot listen on %q: it asks for no password, so name this machine's address in a private network (10.…, 192.168.…, a WireGuard or Tailscale address)", text)
}

// Forward passes connections from an address to the server until the context ends. The server
// itself stays on loopback: elsewhere its internal ports would be open too, and those of version
// 1.5.1 do not find each other there.
func (s Server) Forward(ctx context.Context, from string) error {
	l, err := net.Listen("tcp", from)
	if err != nil {
		return fmt.Errorf("listen for other machines: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.pass(ctx, c)
		}
	}()
	return nil
}

func (s Server) pass(ctx context.Context, from net.Conn) {
	var d net.Dialer
	to, err := d.DialContext(ctx, "tcp", s.Address())
	if err != nil {
		_ = from.Close()
		return
	}
	end := sync.OnceFunc(func() {
		_ = from.Close()
		_ = to.Close()
	})
	stop := context.AfterFunc(ctx, end)
	defer stop()
	go func() {
		defer end()
		_, _ = io.Copy(to, from)
	}()
	_, _ = io.Copy(from, to)
	end()
}
