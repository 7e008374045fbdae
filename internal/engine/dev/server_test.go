//go:build unix

package dev_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"warp/internal/engine/dev"
	"warp/internal/testkit/need"
)

const web = `{"server": {"command": "exec $SERVER", "port": 0, "health": "/healthz", "env": {"GREETING": "hello"}},
	"access": {"urls": ["http://localhost:${PORT}/"]}}`

func TestServerIsBroughtUpAndTakenDown(t *testing.T) {
	p := newProject(t, web, nil)
	var down *dev.NotUp
	if err := p.Check(t.Context()); !errors.As(err, &down) || !strings.Contains(err.Error(), "was not started") {
		t.Errorf("before: %v", err)
	}
	said := p.up()
	first := p.running()
	if !strings.Contains(said, "healthy (GET /healthz)") || !strings.Contains(said, fmt.Sprintf("http://localhost:%d/", first.Port)) {
		t.Errorf("it said:\n%s", said)
	}
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if said := p.up(); !strings.Contains(said, "already running") || p.running() != first {
		t.Errorf("the second time it was not left alone: %s\n%+v\n%+v", said, first, p.running())
	}
	if text, err := p.Logs(0); err != nil || !strings.Contains(string(text), "serving hello") {
		t.Errorf("the log is %q, %v", text, err)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
	if err := p.Down(t.Context()); err != nil {
		t.Errorf("down again: %v", err)
	}
	if err := p.Check(t.Context()); !errors.As(err, &down) || !strings.Contains(err.Error(), "was not started") {
		t.Errorf("after: %v", err)
	}
}

func TestServerThatDiesIsStartedAgain(t *testing.T) {
	p := newProject(t, web, nil)
	p.up()
	before := p.running()
	p.get("/exit")
	p.eventually("another start", func() bool { r := p.running(); return r.Starts == 2 && r.PID != before.PID })
	p.eventually("health", func() bool { return p.Check(t.Context()) == nil })
	if r := p.running(); r.Supervisor != before.Supervisor || r.Port != before.Port {
		t.Errorf("was %+v, is %+v", before, r)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func TestDeafServerIsReplaced(t *testing.T) {
	p := newProject(t, web, nil)
	p.up()
	before := p.running()
	p.get("/close")
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("check: %v", err)
	}
	p.up()
	if r := p.running(); r.PID == before.PID || r.Supervisor == before.Supervisor {
		t.Errorf("it is still %+v", r)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

// Without its supervisor the server lives on; it is found by the record, and by
// its mark when the record is gone, too.
func TestKilledSupervisorLeavesNothingBehind(t *testing.T) {
	need.Linux(t)
	for _, lost := range []bool{false, true} {
		p := newProject(t, web, nil)
		p.up()
		r := p.running()
		if err := syscall.Kill(r.Supervisor, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		p.eventually("the loss to be noticed", func() bool {
			err := p.Check(t.Context())
			return err != nil && strings.Contains(err.Error(), "the server is no longer supervised")
		})
		if lost {
			if err := os.RemoveAll(filepath.Join(p.root, ".claude")); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Down(t.Context()); err != nil {
			t.Error(err)
		}
		p.alone()
		p.up()
		if err := p.Down(t.Context()); err != nil {
			t.Error(err)
		}
		p.alone()
	}
}

func TestKilledSupervisorIsReplacedByUp(t *testing.T) {
	p := newProject(t, strings.Replace(web, `"port": 0`, fmt.Sprintf(`"port": %d`, freePort(t)), 1), nil)
	p.up()
	before := p.running()
	if err := syscall.Kill(before.Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("the supervisor's end", func() bool { return p.Check(t.Context()) != nil })
	p.up() // the orphan has the port, and is ours
	if r := p.running(); r.PID == before.PID {
		t.Error("the orphan was kept")
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func TestServerThatCannotStaySaysWhy(t *testing.T) {
	p := newProject(t, `{"server": {"command": "echo password is $DB_PASSWORD; echo no database >&2; exit 4", "port": 0, "restart": {"policy": "on-failure", "max": 1},
		"env": {"DB_PASSWORD": "correct-horse"}}}`, nil)
	_, err := p.tryUp()
	if err == nil || !strings.Contains(err.Error(), "did not stay up") || !strings.Contains(err.Error(), "no database") {
		t.Errorf("up: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "correct-horse") {
		t.Errorf("a secret is told: %v", err)
	}
	if text, _ := p.Logs(0); strings.Count(string(text), "no database") != 2 || strings.Contains(string(text), "correct-horse") {
		t.Errorf("started otherwise than twice, or with secrets:\n%s", text)
	}
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "the server ended with exit code 4 after 2 starts") {
		t.Errorf("check: %v", err)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func TestUnhealthyServerIsToldFromAHealthyOne(t *testing.T) {
	p := newProject(t, `{"server": {"command": "exec $SERVER", "port": 0, "health": {"path": "/broken", "timeout_seconds": 1}}}`, nil)
	if _, err := p.tryUp(); err == nil || !strings.Contains(err.Error(), "/broken answers 500") {
		t.Errorf("up: %v", err)
	}
	p.write("dev.json", `{"server": {"command": "exec $SERVER", "port": 0, "health": {"path": "/broken", "status": 500}}}`)
	p.up()
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func TestPortOfAnotherIsNotTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	p := newProject(t, strings.Replace(web, `"port": 0`, fmt.Sprintf(`"port": %d`, port), 1), nil)
	_, err = p.tryUp()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is in use by ", port)) {
		t.Fatalf("up: %v", err)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("process %d (", os.Getpid())) && runtime.GOOS == "linux" {
		t.Errorf("it does not name us: %v", err)
	}
	p.alone()
}

func TestChangedServerIsStartedAnew(t *testing.T) {
	p := newProject(t, web, nil)
	p.up()
	p.write("dev.json", strings.Replace(web, "hello", "good morning", 1))
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "have changed since it was started") {
		t.Errorf("check: %v", err)
	}
	p.up()
	if text, _ := p.Logs(0); !strings.Contains(string(text), "serving good morning") {
		t.Errorf("the log is %s", text)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

// A server that talks much fills no disk: the last of it is kept.
func TestLogIsBounded(t *testing.T) {
	p := newProject(t, strings.Replace(web, "exec $SERVER", "yes $(printf %0100d 0) | head -n 130000; echo the end; exec $SERVER", 1), nil)
	p.up()
	size := int64(0)
	for _, name := range []string{"server.log", "server.log.1"} {
		info, err := os.Stat(filepath.Join(p.root, ".claude", "state", "dev", name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if text, err := p.Logs(2); err != nil || string(text) != "the end\nserving hello\n" || size > 9<<20 {
		t.Errorf("%d bytes are kept, the last are %q, %v", size, text, err)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

// Some servers listen on the other loopback address alone.
func TestServerOnIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		need.NotRun(t, "there is no ::1")
	}
	l.Close()
	p := newProject(t, strings.Replace(web, `"GREETING": "hello"`, `"LISTEN": "::1"`, 1), nil)
	p.up()
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
