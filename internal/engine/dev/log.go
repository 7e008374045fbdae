package dev

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"warp/internal/core/redact"
	"warp/internal/durable"
)

// logLimit is the size at which the server's log is rotated; the previous one is kept.
const logLimit = 4 << 20

func (c *Config) logPath() string {
	return filepath.Join(c.Store.Dir(), "state", "dev", "server.log")
}

// boundedLog keeps the end of the server's output.
type boundedLog struct {
	mu   sync.Mutex
	path string
	file *os.File
	size int64
}

func openLog(path string) (*boundedLog, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the server's log: %w", err)
	}
	l := &boundedLog{path: path}
	return l, l.open()
}

func (l *boundedLog) open() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the server's log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// line writes one line. Errors are ignored: a full disk must not end the server.
func (l *boundedLog) line(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size >= logLimit {
		_ = l.file.Close()
		_ = os.Rename(l.path, l.path+".1")
		if l.open() != nil {
			return
		}
	}
	n, _ := l.file.Write(append(bytes.Clone(text), '\n'))
	l.size += int64(n)
}

// firstLogLine is the first line about a server in its log.
const firstLogLine = "[warp] supervising the server"

// note writes a line of warp's own.
func (l *boundedLog) note(text string) { l.line([]byte("[warp] " + text)) }

func (l *boundedLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Logs returns the last lines of the server's output, without secrets; 0: all that is kept.
func (c *Config) Logs(lines int) ([]byte, error) {
	var all []byte
	for _, name := range []string{c.logPath() + ".1", c.logPath()} {
		text, err := durable.ReadPlain(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the server's log: %w", err)
		}
		all = append(all, text...)
	}
	if lines > 0 {
		parts := bytes.SplitAfter(all, []byte("\n"))
		if n := len(parts); n > 0 && len(parts[n-1]) == 0 {
			parts = parts[:n-1]
		}
		all = bytes.Join(parts[max(0, len(parts)-lines):], nil)
	}
	secrets := c.Environ
	if m, ok := c.manifest(); ok { // without one, only the environment's secrets are known
		secrets = append(secretsOf(m), secrets...)
	}
	return []byte(redact.New(secrets).String(string(all))), nil
}
