//go:build unix

package dev_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/trustledger"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
	"warp/internal/testkit/need"
)

// A server does not outlive its folder, and nothing is written there again.
func TestServerEndsWithItsFolder(t *testing.T) {
	for name, lose := range map[string]func(root string) error{
		"removed": os.RemoveAll,
		"moved":   func(root string) error { return os.Rename(root, root+"-elsewhere") },
		"another": func(root string) error {
			if err := os.Rename(root, root+"-elsewhere"); err != nil {
				return err
			}
			return os.Mkdir(root, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, web, nil)
			p.up()
			r := p.running()
			if err := lose(p.root); err != nil {
				t.Fatal(err)
			}
			p.eventually("its end", func() bool { return !takedown.Alive(proc.Started, r.PID, r.PIDStamp) })
			p.eventually("the supervisor's end", func() bool { return !takedown.Alive(proc.Started, r.Supervisor, r.Stamp) })
			p.alone()
			if _, err := os.Stat(filepath.Join(p.root, ".claude")); err == nil {
				t.Error("what was removed is there again")
			}
		})
	}
}

// What removes a work tree can end its server, also when no process watches over
// it and the folder is gone already; where nothing runs, nothing is made.
func TestTakedownNeedsNoFolder(t *testing.T) {
	need.Linux(t)
	p := newProject(t, web, nil)
	if err := takedown.Server(t.Context(), p.Store, p.root, proc.Started); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.root, ".claude")); err == nil {
		t.Error("it made a store")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(p.root), link); err != nil {
		t.Fatal(err)
	}
	p.up()
	r := p.running()
	if err := syscall.Kill(r.Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.root); err != nil {
		t.Fatal(err)
	}
	if err := takedown.Server(t.Context(), p.Store, filepath.Join(link, filepath.Base(p.root)), proc.Started); err != nil {
		t.Error(err)
	}
	p.alone()
	if _, err := os.Stat(p.root); err == nil {
		t.Error("what was removed is there again")
	}
}

// What a server said is not taken for the words of the next one.
func TestLastWordsAreItsOwn(t *testing.T) {
	const dies = `{"server": {"command": "%s", "restart": "never"}}`
	p := newProject(t, fmt.Sprintf(dies, "echo the first; exit 1"), nil)
	if _, err := p.tryUp(); err == nil || !strings.HasSuffix(err.Error(), "; its last output:\nthe first\n[warp] the server ended with exit code 1") {
		t.Errorf("%v", err)
	}
	p.write("dev.json", fmt.Sprintf(dies, "echo the second; exit 1"))
	if _, err := p.tryUp(); err == nil || strings.Contains(err.Error(), "the first") || !strings.Contains(err.Error(), "the second") {
		t.Errorf("%v", err)
	}
}

// Commands that are run before the server know the port that it will have, and it
// keeps it.
func TestPortIsKnownBeforeTheServerRuns(t *testing.T) {
	p := newProject(t, `{"server": {"command": "exec $SERVER", "health": "/healthz", "env": {"ORIGIN": "http://localhost:${PORT}"}},
		"migrations": {"command": "echo $ORIGIN > origin"}, "access": {"urls": ["${ORIGIN}"], "notes": "as admin"}}`, nil)
	if err := p.Check(t.Context()); err == nil || strings.Contains(err.Error(), "PORT") {
		t.Errorf("check: %v", err)
	}
	said := p.up()
	port := p.running().Port
	text, _ := os.ReadFile(filepath.Join(p.root, "origin"))
	want := fmt.Sprintf("http://localhost:%d\n", port)
	if string(text) != want || !strings.HasSuffix(said, want+"as admin\n") {
		t.Errorf("the migration saw %q, the server has %d\n%s", text, port, said)
	}
	p.get("/close")
	p.up()
	if now := p.running().Port; now != port {
		t.Errorf("it was %d and is %d", port, now)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
}

// Two at once: the second waits for the first, and is told who is at it when that
// takes too long.
func TestOneAtATime(t *testing.T) {
	p := newProject(t, web, nil)
	var second error
	err := p.Up(t.Context(), func(string) {
		if second == nil {
			_, second = p.tryUp()
		}
	})
	if err != nil || second == nil || !strings.Contains(second.Error(), fmt.Sprintf("process %d is starting or stopping the dev environment", os.Getpid())) {
		t.Errorf("%v, %v", err, second)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	both := make(chan error)
	for range 2 {
		e := environment(p.root, p.Environ)
		e.Wait = time.Minute
		go func() { both <- e.Up(t.Context(), func(string) {}) }()
	}
	if err := errors.Join(<-both, <-both); err != nil {
		t.Error(err)
	}
	if r := p.running(); r.Starts != 1 {
		t.Errorf("%+v", r)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

// A linked work tree has the trust of the main one, or its own.
func TestTrustOfALinkedWorkTree(t *testing.T) {
	p := newProject(t, `{"migrations": {"command": "true"}}`, nil)
	p.Home = "/main"
	own := filepath.Join(p.root, "dev.json")
	for _, c := range []struct {
		trusted string
		refused bool
	}{{"/main/dev.json", false}, {own, false}, {"/other/dev.json", true}} {
		p.Trust = func(path string, _ []byte) error {
			if path == c.trusted {
				return nil
			}
			return &trustledger.Untrusted{Path: path}
		}
		if _, err := p.tryUp(); (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), own) {
			t.Errorf("%s: %v", c.trusted, err)
		}
	}
}
