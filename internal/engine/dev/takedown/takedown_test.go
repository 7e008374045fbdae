//go:build unix

package takedown_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
	"warp/internal/testkit/need"
)

// server is a record that a test writes, for processes that it starts.
type server struct {
	t     *testing.T
	root  string
	store *durable.Store
}

func newServer(t *testing.T) *server {
	root := t.TempDir()
	return &server{t, root, durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})}
}

// start starts a script in a group of its own, and waits until it says that it
// is ready.
func (s *server) start(script string, env ...string) (pid int, stamp string, ended func() string) {
	s.t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Env, c.SysProcAttr = append(os.Environ(), env...), &syscall.SysProcAttr{Setpgid: true}
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	var wait sync.Once
	s.t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL); wait.Do(func() { _ = c.Wait() }) })
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); err != nil || line != "ready\n" {
		s.t.Fatalf("%q, %v", line, err)
	}
	stamp, _ = proc.Started(c.Process.Pid)
	return c.Process.Pid, stamp, func() string {
		rest, _ := io.ReadAll(said) // until it has ended
		wait.Do(func() { _ = c.Wait() })
		return string(rest) + c.ProcessState.String()
	}
}

func (s *server) record(r devconfig.Running) {
	s.t.Helper()
	_, err := takedown.Record(s.store).Update(func(tx *durable.Tx[devconfig.Record]) error {
		tx.Log("test", nil)
		tx.Doc = &devconfig.Record{Version: devconfig.Version, Server: &r}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// recorded tells whether the record still has a server.
func (s *server) recorded() bool {
	s.t.Helper()
	v, err := takedown.Record(s.store).Read()
	if err != nil {
		s.t.Fatal(err)
	}
	return v.Doc.Server != nil
}

// rude says that it is ready, and stays.
const rude = `echo ready; exec sleep 1000`

// A supervisor is asked, and may end its server in order.
func TestASupervisorIsAsked(t *testing.T) {
	s := newServer(t)
	pid, stamp, ended := s.start(`sleep 1000 & trap 'kill $!; echo in order; exit 0' TERM; echo ready; wait`)
	s.record(devconfig.Running{Supervisor: pid, Stamp: stamp})
	if err := takedown.Server(t.Context(), s.store, s.root, proc.Started); err != nil {
		t.Fatal(err)
	}
	if how := ended(); how != "in order\nexit status 0" {
		t.Errorf("it ended so: %s", how)
	}
	if s.recorded() {
		t.Error("the record still has it")
	}
}

// A server whose supervisor is gone is killed with its group.
func TestAServerWithoutASupervisorIsKilled(t *testing.T) {
	s := newServer(t)
	pid, stamp, ended := s.start(`sleep 1000 & echo ready; wait`)
	s.record(devconfig.Running{PID: pid, PIDStamp: stamp})
	if err := takedown.Server(t.Context(), s.store, s.root, proc.Started); err != nil {
		t.Fatal(err)
	}
	if how := ended(); how != "signal: killed" { // its child has the other end of the pipe: that has ended, too
		t.Errorf("it ended so: %s", how)
	}
	if s.recorded() {
		t.Error("the record still has it")
	}
}

// Processes are found by their mark when the record is lost, also after the work
// tree is gone; those of another work tree are left alone.
func TestMarkedProcessesAreEndedWithoutARecord(t *testing.T) {
	need.Linux(t)
	s := newServer(t)
	root := filepath.Join(s.root, "tree")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, ended := s.start(rude, takedown.Mark(root))
	other, _, _ := s.start(rude, takedown.Mark(s.root))
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if err := takedown.Server(t.Context(), s.store, root, proc.Started); err != nil {
		t.Fatal(err)
	}
	if how := ended(); how != "signal: killed" {
		t.Errorf("it ended so: %s", how)
	}
	if _, alive := proc.Started(other); !alive {
		t.Error("another work tree's was ended")
	}
	if _, err := takedown.Record(s.store).Read(); !durable.IsMissing(err) {
		t.Errorf("a record was written: %v", err)
	}
}

// A work tree has one mark, by whichever way it is reached.
func TestAMarkIsThatOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	root, link := filepath.Join(dir, "real", "tree"), filepath.Join(dir, "link")
	if err := errors.Join(os.MkdirAll(root, 0o755), os.Symlink(filepath.Join(dir, "real"), link)); err != nil {
		t.Fatal(err)
	}
	mark, through := takedown.Mark(root), filepath.Join(link, "tree")
	if takedown.Mark(through) != mark || takedown.Mark(dir) == mark {
		t.Error("by the link, it is another")
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if takedown.Mark(root) != mark || takedown.Mark(through) != mark {
		t.Error("once it is gone, it is another")
	}
	if err := os.RemoveAll(filepath.Join(dir, "real")); err != nil {
		t.Fatal(err)
	}
	if takedown.Mark(root) != mark {
		t.Error("once the folder around it is gone, it is another")
	}
}

// One that does not end is said, and stays in the record: it still has the port.
func TestOneThatDoesNotEndIsSaid(t *testing.T) {
	s := newServer(t)
	pid, _, _ := s.start(rude)
	s.record(devconfig.Running{Supervisor: pid})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits for it
	immortal := func(int) (string, bool) { return "", true }
	if err := takedown.Server(ctx, s.store, s.root, immortal); err == nil || !s.recorded() {
		t.Errorf("%v, recorded: %t", err, s.recorded())
	}
}

// A record that cannot be read is an error: what it names would be forgotten.
func TestADamagedRecordIsSaid(t *testing.T) {
	s := newServer(t)
	file := filepath.Join(s.root, ".claude", filepath.FromSlash(devconfig.RecordFile))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("{ torn"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := takedown.Server(t.Context(), s.store, s.root, proc.Started); err == nil {
		t.Error("it was taken for none")
	}
}

// A process that has the number of a server which ended long ago is someone
// else's.
func TestAnotherProcessIsLeftAlone(t *testing.T) {
	s := newServer(t)
	pid, stamp, _ := s.start(rude)
	s.record(devconfig.Running{Supervisor: pid, Stamp: "another", PID: pid, PIDStamp: "another"})
	if err := takedown.Server(t.Context(), s.store, s.root, proc.Started); err != nil {
		t.Error(err)
	}
	if _, alive := proc.Started(pid); !alive || !takedown.Alive(proc.Started, pid, stamp) || takedown.Alive(proc.Started, pid, "another") {
		t.Errorf("alive: %t, %s", alive, stamp)
	}
	if s.recorded() {
		t.Error("the record still has it")
	}
}
