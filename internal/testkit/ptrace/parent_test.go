//go:build linux && (amd64 || arm64)

package ptrace

import (
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// sleepers starts commands from many threads, so that hardly a thread is left
// that has no child.
func sleepers(t *testing.T) (stop func()) {
	t.Helper()
	commands := make([]*exec.Cmd, 16)
	var wait, started sync.WaitGroup
	started.Add(len(commands))
	for i := range commands {
		commands[i] = exec.Command("sleep", "60")
		wait.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := commands[i].Start(); err != nil {
				t.Error(err)
			}
			started.Done()
			started.Wait() // keeps this thread from serving the next one too
		})
	}
	wait.Wait()
	return func() {
		for _, c := range commands {
			if err := c.Process.Kill(); err != nil {
				t.Errorf("a command beside the trace was gone: %v", err)
			}
			if err := c.Wait(); c.ProcessState == nil {
				t.Errorf("the status of a command beside the trace was gone: %v", err)
			}
		}
	}
}

func TestTracerHasAThreadWithoutChildren(t *testing.T) {
	defer nothingLeft(t)
	defer sleepers(t)()
	for range 100 {
		onOwnThread(func() {
			if !childless() {
				t.Error("the thread has a child")
			}
		})
	}
}

func TestRunDoesNotWaitForOthersChildren(t *testing.T) {
	defer nothingLeft(t)
	defer sleepers(t)()
	for range 20 {
		_, err := Run([]string{victim, "hello"}, "", nil, Fault{Limit: 20 * time.Second})
		skipIfForbidden(t, err)
		if err != nil {
			t.Fatal(err)
		}
	}
}
