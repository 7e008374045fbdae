package judge

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// A program that another goroutine starts meanwhile inherits no open copy of a hook: the
// kernel would refuse to run the hook as "text file busy".
func TestCopiedHooksCanBeRunAtOnce(t *testing.T) {
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "pre-commit"), []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var others sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = exec.Command("true").Run()
				}
			}
		})
	}
	to := filepath.Join(t.TempDir(), "hooks")
	for range 150 {
		if err := copyHooks(from, to); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(filepath.Join(to, "pre-commit")).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
			break
		}
	}
	close(done)
	others.Wait()
}
