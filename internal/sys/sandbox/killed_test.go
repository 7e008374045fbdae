package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// engine is a variable that makes this program play an engine, which runs a box until
// it is killed.
const engine = "WARP_TEST_ENGINE"

func playEngine() {
	words := strings.Split(os.Getenv(engine), "\n")
	self, _ := os.Executable()
	box, _, err := sandbox.Open(sandbox.Options{Kind: sandbox.Kind(words[0]), Self: self})
	if err != nil {
		os.Exit(3)
	}
	p := sandbox.Profile{Tree: words[1], Env: []string{"PATH=/usr/bin:/bin"}, Network: sandbox.NoNet}
	c, err := box.Wrap(proc.Cmd{Argv: []string{"bash", "-c", words[2]}, Dir: words[1]}, p)
	if err != nil {
		os.Exit(4)
	}
	_, _ = proc.Run(context.Background(), c)
}

// An engine that is killed leaves nothing behind: neither its agent, nor what left that.
func TestNothingOutlivesAKilledEngine(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			s := newScene(t, kind)
			mark := "orphaned-" + string(kind) + "-" + strconv.Itoa(os.Getpid())
			script := `env -i PATH=$PATH setsid bash -c 'touch ready.1; exec -a ` + mark + ` sleep 1000' & touch ready.2; exec -a ` + mark + ` sleep 1000`
			self, err := os.Executable()
			must(t, err)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), engine+"="+strings.Join([]string{string(kind), s.project, script}, "\n"))
			must(t, cmd.Start())
			await(t, "the box to begin", func() bool {
				ready, _ := filepath.Glob(filepath.Join(s.project, "ready.*"))
				return len(ready) == 2 && running(t, mark)
			})
			must(t, cmd.Process.Signal(syscall.SIGKILL))
			var killed *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &killed) {
				t.Fatal(err)
			}
			await(t, "everything to end", func() bool { return !running(t, mark) })
		})
	}
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited for %s in vain", what)
}
