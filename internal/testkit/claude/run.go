package claude

import (
	"bytes"
	"errors"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// drain is how long the output of a Claude Code that has ended may still be
// held open by what it started.
const drain = 2 * time.Second

// A Process is a Claude Code that runs.
type Process struct {
	Pid int

	t      testing.TB
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
	timer  *time.Timer
	late   chan struct{} // closed when the time was up
	wait   func() Result

	mu    sync.Mutex
	ended bool // its id may be another's by now
}

// Run runs Claude Code to its end.
func Run(t testing.TB, o Options) Result {
	t.Helper()
	return Start(t, o).Wait()
}

// Start starts Claude Code. The end of the test kills it.
func Start(t testing.TB, o Options) *Process {
	t.Helper()
	o.setDefaults(t)
	p := &Process{t: t, late: make(chan struct{})}
	p.cmd = exec.Command(Find(t), o.argv()...)
	p.cmd.Dir, p.cmd.Env, p.cmd.SysProcAttr, p.cmd.WaitDelay = o.Dir, o.environ(), ownGroup(), drain
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("starting Claude Code: %v", err)
	}
	p.Pid = p.cmd.Process.Pid
	p.timer = time.AfterFunc(o.Timeout, func() {
		close(p.late)
		p.Kill()
	})
	p.wait = sync.OnceValue(p.end)
	t.Cleanup(func() {
		p.Kill()
		p.wait()
	})
	return p
}

// Kill ends the whole group without asking. Wait then returns what is known.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		killGroup(p.cmd.Process)
	}
}

// Wait returns when Claude Code has ended. It may be called more than once.
func (p *Process) Wait() Result {
	p.t.Helper()
	r := p.wait()
	select {
	case <-p.late:
		p.t.Errorf("Claude Code did not end in time:\n%s%s", r.Stdout, r.Stderr)
	default:
	}
	return r
}

func (p *Process) end() Result {
	err := p.cmd.Wait()
	p.timer.Stop()
	p.Kill() // what it left behind in its group
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) && !errors.Is(err, exec.ErrWaitDelay) {
		p.t.Errorf("waiting for Claude Code: %v", err)
	}
	r := Result{Exit: exitCode(p.cmd.ProcessState), Stdout: p.stdout.String(), Stderr: p.stderr.String()}
	if err := r.parse(); err != nil {
		p.t.Errorf("Claude Code: %v", err)
	}
	return r
}
