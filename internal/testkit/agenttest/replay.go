package agenttest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Replay makes a program that says what it is told, for streams that a real
// agent would take too long for. It returns its path.
func Replay(t testing.TB, write func(io.Writer)) string {
	t.Helper()
	dir := t.TempDir()
	stream, err := os.Create(filepath.Join(dir, "stream"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(stream)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	return Program(t, fmt.Sprintf("cat >/dev/null; cat '%s'\n", stream.Name()))
}

// Program writes a shell script and returns its path. No program is started meanwhile: it
// would inherit the open file, which then cannot be run.
func Program(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
