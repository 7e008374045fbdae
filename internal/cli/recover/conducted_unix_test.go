//go:build unix

package recover_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/conduct"
	"warp/internal/testkit/need"
)

// holding is an agent that waits at a pipe which it has open as long as it lives.
func (w *world) holding() (pipe string) {
	w.t.Helper()
	pipe = filepath.Join(w.dir, "held")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.write(".git/agent.sh", "exec 3> '"+pipe+"'\necho half > half.txt\necho begun >&3\nexec sleep 600\n")
	w.sh(`warp config set agent command && warp config set agent_command '["sh", "` + w.at + `/.git/agent.sh"]'`)
	return pipe
}

// The agent of a drive dies with its worker, at once, and nothing is filed or pushed for it.
func TestAWorkerThatIsGoneTakesTheAgentAlong(t *testing.T) {
	need.Tool(t, "git")
	t.Parallel()
	want := calm(t)
	w := newWorld(t, seven)
	a := w.machine("a")
	pipe := a.holding()
	c := a.conduct("")
	for s, more := c.hear(); s.Phase != "planning"; s, more = c.hear() { // it has an agent
		if !more {
			t.Fatalf("%+v\n%s", c.end, &c.err)
		}
		c.reply(conduct.Reply{Serial: s.Serial, Go: true})
	}
	then := w.see()
	c.reply(conduct.Reply{Serial: c.asked[len(c.asked)-1].Serial, Go: true})
	held, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(held)
	if begun, err := lines.ReadString('\n'); err != nil || begun != "begun\n" {
		t.Fatal(begun, err)
	}
	_ = c.in.Close()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 { // it ends when no process holds it
		t.Errorf("%q, %v", rest, err)
	}
	if _, more := c.hear(); more || c.end != nil {
		t.Errorf("it said %+v", c.asked[len(c.asked)-1])
	}
	if exit := c.wait(); exit != 130 || !strings.Contains(c.err.String(), "its agent was ended") {
		t.Errorf("exit %d\n%s", exit, &c.err)
	}
	if now := w.see(); now != then {
		t.Errorf("it changed something:\n%s%s", cmp.Diff(then.tracker, now.tracker), cmp.Diff(then.refs, now.refs))
	}
	a.sh("warp config set agent demo; rm -f half.txt")
	a.finish(want, "")
}
