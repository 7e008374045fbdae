//go:build linux

package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// TestMain lets the test binary be the parent that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AGENT_TEST_PARENT"); dir != "" {
		parent(dir)
	}
	os.Exit(m.Run())
}

// parent runs an agent that never ends, and says when it has told its session.
func parent(dir string) {
	const script = `echo session s1; setsid sh -c 'echo $$ > far; exec sleep 1000' & while [ ! -s far ]; do sleep 0.01; done; echo $$ > near; echo ready; exec sleep 1000`
	r := newRunner(filepath.Join(dir, "store"), teller{"a", script})
	r.Watch = func(_ string, e agent.Event) {
		if e.Kind == "text" {
			fmt.Println(e.Text)
		}
	}
	_, err := r.Run(context.Background(), agent.Task{Role: agent.Code, Dir: dir, Timeout: 5 * time.Minute})
	fmt.Println("ended", err)
	os.Exit(1)
}

func TestAnAgentThatWasLeftBehindIsEnded(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AGENT_TEST_PARENT="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the parent says %q, %v", line, err)
	}
	near, far := pid(t, dir, "near"), pid(t, dir, "far")
	t.Cleanup(func() { proc.EndGroup(near); proc.EndGroup(far) })
	next := newRunner(filepath.Join(dir, "store"))

	// While the parent lives, the agent is its own business.
	if left, err := next.EndLeftBehind(); err != nil || len(left) != 0 || !alive(near) || !alive(far) {
		t.Fatalf("%v, %v; alive: %v, %v", left, err, alive(near), alive(far))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if !alive(near) || !alive(far) {
		t.Fatal("the agent died with its parent, so this shows nothing")
	}
	// Another machine's record is not ours to judge.
	other := newRunner(filepath.Join(dir, "store"))
	other.Host = "elsewhere"
	if left, err := other.EndLeftBehind(); err != nil || len(left) != 0 || !alive(near) {
		t.Fatalf("elsewhere: %v, %v", left, err)
	}
	running := filepath.Join(next.Store.Dir(), filepath.FromSlash(agent.RunningFolder))
	records, err := os.ReadDir(running)
	if err != nil || len(records) != 1 {
		t.Fatalf("records: %v, %v", records, err)
	}
	if err := os.WriteFile(filepath.Join(running, records[0].Name()+".1.tmp"), nil, 0o600); err != nil { // it was killed while it changed its record
		t.Fatal(err)
	}
	left, err := next.EndLeftBehind()
	if kept, err := os.ReadDir(running); err != nil || len(kept) != 0 {
		t.Errorf("records of it stay: %v, %v", kept, err)
	}
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, %v", left, err)
	}
	if l := left[0]; l.PID != near || l.Session != "s1" || l.Agent != "a" || l.Stamp == "" || l.Started == "" {
		t.Errorf("the record is %+v", l)
	}
	gone(t, near)
	gone(t, far)
	if left, err := next.EndLeftBehind(); err != nil || len(left) != 0 {
		t.Errorf("again: %v, %v", left, err)
	}
}

// Where no environment can be read, the group is what can be ended.
func TestAGroupWithoutAMarkIsEnded(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	r := newRunner(t.TempDir())
	stamp, _ := proc.Started(cmd.Process.Pid)
	onRecord(t, r.Store,
		agent.Left{ID: "1", PID: cmd.Process.Pid, Stamp: stamp, Host: "here", Mark: "WARP_RUN=none", Parent: 1 << 30},
		// The same number, another process: it is not ours any more.
		agent.Left{ID: "2", PID: os.Getpid(), Stamp: "long ago", Host: "here", Mark: "WARP_RUN=none", Parent: 1 << 30})
	if left, err := r.EndLeftBehind(); err != nil || len(left) != 2 {
		t.Fatalf("%v, %v", left, err)
	}
	gone(t, cmd.Process.Pid)
}

func TestNothingWasLeftBehind(t *testing.T) {
	if left, err := newRunner(t.TempDir()).EndLeftBehind(); err != nil || left != nil {
		t.Errorf("%v, %v", left, err)
	}
}

func pid(t *testing.T, dir, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func alive(pid int) bool {
	_, alive := proc.Started(pid)
	return alive
}

// gone waits for what the kernel does in its own time.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d lives on", pid)
		}
	}
}
