package devserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	path := filepath.Join(t.TempDir(), "temporal")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	on := script(t, "true\n")
	home := t.TempDir()
	for _, name := range []string{"GOBIN", "GOPATH", "PATH"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	if path, err := Find(); err == nil || !strings.Contains(err.Error(), "go install github.com/temporalio/cli/cmd/temporal@"+lastVersion) {
		t.Errorf("nothing is installed, and it finds %s, %v", path, err)
	}
	t.Setenv("GOBIN", filepath.Dir(on))
	if path, err := Find(); err != nil || path != on {
		t.Error(path, err)
	}
	other := script(t, "true\n")
	t.Setenv("PATH", filepath.Dir(other))
	if path, err := Find(); err != nil || path != other {
		t.Error("PATH comes first:", path, err)
	}
}

func TestAServerThatDoesNotStartIsGivenUpWithItsReason(t *testing.T) {
	s := Server{Program: script(t, "echo trouble >&2; echo 'the file is locked' >&2; exit 3\n"), Folder: t.TempDir(), Port: 1}
	starts, again := 0, 0
	err := s.Run(t.Context(), func(int) { starts++ }, func(why string) {
		if again++; why != "it ended with exit code 3: the file is locked" {
			t.Errorf("it says %q", why)
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the file is locked") || !strings.Contains(err.Error(), s.log()) {
		t.Error(err)
	}
	if starts != mostFails || again != mostFails-1 {
		t.Errorf("%d starts, %d times again", starts, again)
	}
}

func TestItListensWhereNoStrangerIs(t *testing.T) {
	for _, ip := range []string{"127.0.0.1", "::1", "10.77.0.1", "192.168.1.5", "100.101.2.3", "fd00::1"} {
		if err := CheckIP(ip); err != nil {
			t.Error(err)
		}
	}
	for _, ip := range []string{"0.0.0.0", "::", "8.8.8.8", "example.org", "", "100.200.2.3"} {
		if err := CheckIP(ip); err == nil {
			t.Errorf("%q is let through", ip)
		}
	}
}

func TestOtherMachinesAreForwarded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(c, c)
			_ = c.Close()
		}
	}()
	s := Server{Port: l.Addr().(*net.TCPAddr).Port}
	ctx, stop := context.WithCancel(t.Context())
	from := fmt.Sprintf("127.0.0.2:%d", s.Port)
	if err := s.Forward(ctx, from); err != nil {
		t.Skip("this system has one loopback address:", err)
	}
	c, err := net.Dial("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("hello"))
	buf := make([]byte, 5)
	if _, err := io.ReadFull(c, buf); err != nil || string(buf) != "hello" {
		t.Error(string(buf), err)
	}
	stop()
	if _, err := c.Read(buf); err == nil {
		t.Error("a connection outlives its server")
	}
	if err := s.Forward(t.Context(), "203.0.113.1:1"); err == nil {
		t.Error("an address that is not this machine's is taken")
	}
}
