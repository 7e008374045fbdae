//go:build unix

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// worksOff does the item that it is given, and writes it down outside of the project.
const worksOff = `
cat > /dev/null
echo "$WARP_CRITERIA" >> $(dirname "$0")/../runs
echo "$WARP_CRITERIA" >> done.txt
echo "{\"summary\":\"did $WARP_CRITERIA\",\"items_completed\":[\"$WARP_CRITERIA\"]}" > $WARP_RESULT
`

// queues are where work comes from: how an item is added, and how many are left, or
// claimed by someone; each command prints a number.
var queues = []struct{ name, until, setup, add, left string }{
	{"work", "queue work", "true", "warp queue add 'Item %d'", "warp queue list --json | jq length; jq '[.items[] | select(.holder)] | length' .claude/state/loop/work_queue.json"},
	{"issues", "queue issues:chore", "true", "warp issue new --title 'Item %d' --label chore", "warp issue list --json | jq '[.[] | select(.title | startswith(\"Item\"))] | length'; cat .claude/issues/*.md | grep -c claimed-by || true"},
	{"beads", "queue beads", "bd init --prefix demo --quiet && bd config set issue_prefix demo", "bd create 'Item %d' -t task -p 1 -d x --json", "bd list --status open --json | jq length; bd list --status in_progress --json | jq length"},
}

// noted is how many claims the session still has on record.
const noted = "; jq length .claude/pipeline-runs/night/claims.json"

// TestQueueCrashes kills a loop over a queue after each of its points: each item is
// done once, and none is left or claimed. One that was killed on the last item could
// not be resumed (issue #16).
func TestQueueCrashes(t *testing.T) {
	sizes := []int{2}
	if complete() {
		sizes = []int{1, 3}
	}
	for _, q := range queues {
		for _, n := range sizes {
			if q.name == "beads" && !complete() { // which is slow: others show its loop and its claims
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", q.name, n), func(t *testing.T) {
				t.Parallel()
				s := scene{level: 3, criteria: 1, agent: worksOff}
				template := s.template(t)
				begin := func(t *testing.T) *project {
					p := s.fresh(t, template)
					if q.name == "beads" {
						p.env = append(p.env, "PATH="+need.Beads(t)+":"+p.dir+"/tools:"+bin+":"+os.Getenv("PATH"), "BEADS_NO_DAEMON=1")
					}
					p.sh("warp config set agent command && warp config set level 3 && " + q.setup)
					for i := range n {
						p.sh(fmt.Sprintf(q.add, i+1))
					}
					return p
				}
				loop := []string{"warp", "loop", "night", "Do it", "--until", q.until}
				try := [][]string{{fmt.Sprint("claim_noted#", n), "item_claimed#1", "item_closed#1"}}
				if complete() {
					calm := begin(t)
					file := filepath.Join(calm.dir, "points")
					if out, exit := calm.run([]string{"WARP_POINTS=" + file}, loop...); exit != 0 {
						t.Fatalf("undisturbed: exit %d\n%s", exit, out)
					}
					try = deaths(t, slices.DeleteFunc(strings.Fields(calm.read(file)), func(p string) bool { return strings.HasPrefix(p, "agent_ended#") }), nil)
				}
				for i, points := range try {
					point := strings.Join(points, " ")
					// Of a folder's name with a # bd takes what stands before it, and two tests share
					// a database.
					t.Run(strings.ReplaceAll(point, "#", " "), func(t *testing.T) {
						t.Parallel()
						p := begin(t)
						ways := [][]string{loop, {"warp", "sessions", "resume", "night"}}
						how, killed := p.die(points, loop, ways[i%2], ways[1-i%2])
						if strings.Contains(p.read(filepath.Join(p.root, ".claude/pipeline-runs/night/state.json")), `"status": "complete"`) {
							how = []string{"warp", "locks", "clean"} // all that is left
						}
						if out, exit := p.run(nil, how...); exit != 0 {
							t.Errorf("resumed: exit %d\n%s--- killed\n%s", exit, killed, out)
						}
						got := p.sh("jq -r '[.status, .iteration_completed] | join(\" \")' .claude/pipeline-runs/night/state.json; sort ../runs | uniq | wc -l; wc -l < ../runs; " + q.left + noted)
						want := fmt.Sprintf("complete %d %d %d", n, n, n) + strings.Repeat(" 0", 2+strings.Count(q.left, ";"))
						if strings.Join(strings.Fields(got), " ") != want {
							t.Errorf("killed after %s: %s, want %s", point, strings.Fields(got), want)
						}
					})
				}
			})
		}
	}
}
