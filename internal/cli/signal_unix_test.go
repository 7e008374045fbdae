//go:build unix

package cli_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"warp/internal/sys/proc"
	"warp/internal/testkit/programs"
)

// However warp is ended by a signal, the agent that it runs is ended with it.
func TestASignalDoesNotLeaveTheAgentBehind(t *testing.T) {
	bin := t.TempDir()
	if err := programs.Build(bin); err != nil {
		t.Fatal(err)
	}
	for _, by := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(by.String(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, ".git", "objects"), 0o755); err != nil {
				t.Fatal(err)
			}
			settings := `{"_workflow":{"agent":"command","agent_command":["sh","-c","trap '' TERM; echo $$; while :; do sleep 1; done"]}}`
			if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.local.json"), []byte(settings), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(filepath.Join(bin, "warp"), "agent", "run", "hi")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "WARP_SANDBOX=off") // in a sandbox $$ is a number of its own
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n') // text     PID
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.Fields(line)[1])
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			for range 2 { // impatient people press twice
				if err := cmd.Process.Signal(by); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(by) {
				t.Errorf("exit code %d", code)
			}
			if by == syscall.SIGQUIT && !strings.Contains(said.String(), "goroutine ") {
				t.Errorf("no stacks:\n%s", said.String())
			}
			if _, alive := proc.Started(pid); alive {
				_ = syscall.Kill(-pid, syscall.SIGKILL)
				t.Error("the agent lives on")
			}
		})
	}
}
