package session

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

// A session that ended red keeps what it did not commit. The next of its name begins beside
// that, and with nothing of it.
func TestTheNextOfANameWorksBesideWhatWasKept(t *testing.T) {
	for name, c := range map[string]struct {
		plan, red string
		commits   int
	}{
		"commits and more": {"[{id: a, prompt: x, runs: 2, commit: true, verify: [test]}]", "2", 2},
		"no commit":        {"[{id: a, prompt: x, runs: 1, commit: true, verify: [test]}]", "1", 1},
		"stages at once": {"[{id: a, prompt: x, runs: 2, commit: true, verify: [test], needs: []}," +
			" {id: b, prompt: y, runs: 2, commit: true, verify: [test], needs: []}]", "2", 4},
	} {
		t.Run(name, func(t *testing.T) {
			p := lands(t, nil)
			red := c.red
			p.does = func(n int, a agent.Task) any {
				p.sh(a.Dir, fmt.Sprintf("touch more-%d; test $(ls | grep -c more-) -lt %s || touch red", n, red))
				return more
			}
			j := p.stages("commands: {test: \"! ls | grep -q '^r.d$'\"}\nstages: " + c.plan)
			p.wants(came(p.run(j)), "failed verify")
			work := func() string {
				return fmt.Sprint(p.git("for-each-ref", "refs/heads/session", "refs/heads/warp"), strings.Count(p.git("worktree", "list"), "\n"))
			}
			kept, before := work(), p.git("rev-parse", "main")
			red = "100"
			p.wants(came(p.run(j)), "complete max_iterations")
			p.wants(work(), kept)
			p.wants(strings.Count(p.git("log", "--format=%h", strings.TrimSpace(before)+"..main"), "\n"), c.commits)
		})
	}
}
