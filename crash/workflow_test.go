//go:build unix

package crash

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// works is an agent that writes the files of its task, and down, outside of the
// project, each time that it is run. The supervisor has something against task
// 2.3 after it was done, which is fixed; the scanner finds one thing.
const works = `
prompt=$(cat)
runs=$(dirname "$0")/../runs
task=$(echo "$prompt" | sed -n 's/^WORKFLOW TASK \([^:]*\):.*/\1/p' | head -1)
echo "$WARP_ROLE $WARP_ISSUE $WARP_CHUNK" >> $runs
case $WARP_ROLE in
verify) ids=$(echo "$WARP_CRITERIA" | tr , '\n' | sed 's/.*/{"id":"&","met":true,"reason":"seen"}/' | paste -sd, -); echo "{\"criteria\":[$ids]}" > $WARP_RESULT ;;
supervise) case "$task $prompt" in 2.3*post_task*) if ! grep -qsx last b/five.txt; then echo '{"conflicts":[{"type":"pattern","severity":"low","action":"auto_fix","resolution":"no last line"}]}'; else echo '{"conflicts":[]}'; fi ;; *) echo '{"conflicts":[]}' ;; esac > $WARP_RESULT ;;
scan) if [ $WARP_CHUNK = 1 ]; then echo '{"findings":[{"title":"Say so","priority":"S2","files":["said.txt"]}]}'; else echo '{"findings":[]}'; fi > $WARP_RESULT ;;
fix) case "$prompt" in *"Say so"*) echo said > said.txt ;; *) grep -qsx last b/five.txt || echo last >> b/five.txt ;; esac; echo '{"summary":"fixed"}' > $WARP_RESULT ;;
code) f=$(echo "$prompt" | sed -n 's/^Files: //p' | head -1); mkdir -p $(dirname $f); grep -sqx "$task $WARP_CHUNK" $f || echo "$task $WARP_CHUNK" >> $f
	echo "{\"summary\":\"did $task\",\"learnings\":[\"of $task, $WARP_CHUNK\"]}" > $WARP_RESULT ;;
esac
`

// tasks is a document of three phases and seven tasks, two of which run side by
// side; the sample has two phases and five tasks. Task 1.2 needs a second iteration.
func tasks() string {
	text, last := firstPhases, "b/five.txt"
	if complete() {
		text, last = text+lastPhase, "c/seven.txt"
	}
	return "# Files\n\n## Success criteria\n- [ ] All of it: `test -s " + last + "`\n- [ ] It reads well\n\n" + text +
		"\n## Outer loop\n- max_iterations: 2\n\n## Verification\n```sh\ntest -d a\n```\n"
}

const (
	firstPhases = "### Phase 1: One\n#### Task 1.1: First\nFiles: a/one.txt\n- [ ] There: `test -s a/one.txt`\n" +
		"#### Task 1.2: Second\nDepends on: 1.1\nFiles: a/two.txt\n- [ ] Two lines: `test $(wc -l < a/two.txt) -ge 2`\n" +
		"### Phase 2: Two\n#### Task 2.1: Third\nFiles: b/three.txt\n- [ ] There: `test -s b/three.txt`\n" +
		"#### Task 2.2: Fourth\nFiles: b/four.txt\n- [ ] There: `test -s b/four.txt`\n- [ ] It reads well\n" +
		"#### Task 2.3: Fifth\nDepends on: 2.1, 2.2\nFiles: b/five.txt\n- [ ] There: `test -s b/five.txt`\n"
	lastPhase = "### Phase 3: Three\n#### Task 3.1: Sixth\nFiles: c/six.txt\n- [ ] There: `test -s c/six.txt`\n" +
		"#### Task 3.2: Seventh\nDepends on: 3.1\nFiles: c/seven.txt\n- [ ] There: `test -s c/seven.txt`\n"
)

// TestWorkflowCrashes kills a workflow after each of its points: what comes of it
// is what comes of an undisturbed one; no task is done twice, and nothing
// is learned or filed twice.
func TestWorkflowCrashes(t *testing.T) {
	for side, sample := range map[int][]string{
		1: {"agent_answered#3", "committed#1", "learnings_written#1", "merged#1", "outer_done#1"},
		2: {"milestone_filed#2", "checkpoint_made#2", "agent_ended_code#1", "task_done#2"},
	} {
		t.Run(fmt.Sprintf("%d at once", side), func(t *testing.T) {
			t.Parallel()
			s := scene{level: 3, criteria: 1, agent: works}
			template := s.template(t)
			begin := func(t *testing.T) *project {
				p := s.fresh(t, template)
				p.write("../tasks.md", tasks())
				p.sh("warp config set agent command && warp config set level 3")
				return p
			}
			argv := []string{"warp", "workflow", "run", "../tasks.md", "--parallel", fmt.Sprint(side)}
			calm := begin(t)
			file := filepath.Join(calm.dir, "points")
			if out, exit := calm.run([]string{"WARP_POINTS=" + file}, argv...); exit != 0 {
				t.Fatalf("undisturbed: exit %d\n%s", exit, out)
			}
			all := strings.Fields(calm.read(file))
			want, runs := calm.workflow(), calm.agentRuns(side)
			try := deaths(t, all, sample)
			rows := make([]string, len(try))
			t.Cleanup(func() { t.Log("\n" + strings.Join(rows, "\n")) })
			for i, points := range try {
				point := strings.Join(points, " ")
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					p := begin(t)
					killed, ends, how := "", 0, argv
					for k, point := range points {
						said, exit := p.run([]string{"WARP_CRASH_AT=" + point}, how...)
						killed += said
						if side > 1 && exit == 0 { // the tasks came in another order, and it did not come there
							if bad := cmp.Diff(want, p.workflow()); bad != "" {
								t.Errorf("not killed at %s: %s\n%s", point, bad, killed)
							}
							return
						}
						if exit != -1 {
							t.Fatalf("it was not killed after %s, but ended with %d\n%s", point, exit, killed)
						}
						how = []string{"warp", "workflow", "resume", "--parallel", fmt.Sprint(side)}
						if (i+k)%2 == 0 {
							how = argv
						}
					}
					if strings.Contains(p.agentState(), `"status": "completed"`) {
						how, ends = []string{"warp", "workflow", "resume"}, 2 // which finishes it
					}
					out, exit := p.run(nil, how...)
					again := side
					if strings.Contains(point, "agent_ended") { // its answer is not kept yet, so it is asked again
						again = 2
					}
					bad := cmp.Diff(want, p.workflow()) + cmp.Diff(calm.agentRuns(again), p.agentRuns(again))
					if exit != ends {
						bad += fmt.Sprintf("exit %d, want %d", exit, ends)
					}
					result := "the same"
					if bad != "" {
						result = "DIFFERS"
						t.Errorf("killed after %s: %s\n%s--- killed\n%s", point, bad, killed, out)
					}
					rows[i] = fmt.Sprintf("row | workflow, %d at once | %s | %s | %+d | %s |", side, point, strings.Join(how[:3], " "), len(p.agentRuns(side))-len(runs), result)
				})
			}
		})
	}
}

// agentRuns are the runs of agents. Beside another that was killed one may have
// been ended in its midst, and is run again; so is one whose engine was killed
// before it could keep the answer.
func (p *project) agentRuns(side int) []string {
	lines := strings.Split(strings.TrimSpace(p.read(filepath.Join(p.dir, "runs"))), "\n")
	slices.Sort(lines)
	if side > 1 {
		lines = slices.Compact(lines)
	}
	return lines
}

func (p *project) agentState() string {
	return p.read(filepath.Join(p.root, ".claude/agent-state.json"))
}

var (
	runID = regexp.MustCompile(`\d{8}T\d{6}Z?|\d{4}-\d\d-\d\d(T[\d:.]+Z)?|\b(\d+h )?\d+m \d+s\b`)
	sha   = regexp.MustCompile(`\b[0-9a-f]{10,40}\b`)
)

// workflow is everything that a workflow leaves, without times and hashes.
func (p *project) workflow() []string {
	var s map[string]any
	if err := json.Unmarshal([]byte(p.agentState()), &s); err != nil {
		p.t.Fatal(err)
	}
	timeless(s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		p.t.Fatal(err)
	}
	all := string(text) + "\n" + p.sh(`git log --format='%s %T' main; git status --porcelain; git branch --format='%(refname)'; git worktree list | wc -l
		for f in a/* b/* c/* said.txt; do test ! -f $f || { echo "== $f"; cat $f; }; done
		for d in .claude/locks .claude/worktrees .claude/issues .claude/state/workflow; do test ! -d $d || ls -A $d; done
		test ! -f .claude/learnings.jsonl || cat .claude/learnings.jsonl; cat .claude/locks.json | tr -d ' \n' | sed 's/"journal".*//'
		test ! -d .claude/issues || cat .claude/issues/*.md; git for-each-ref --format='%(refname) %(tree)' refs/warp`)
	all = strings.ReplaceAll(all, p.dir, "DIR")
	all = sha.ReplaceAllString(runID.ReplaceAllString(all, "TIME"), "HASH")
	list := slices.DeleteFunc(strings.Split(all, "\n"), func(l string) bool {
		return l == "task-outer.json" // which goes with the archive of the whole
	})
	slices.Sort(list) // who is first of those that run side by side is nobody's business
	return list
}

// timeless takes out of a document what depends on how long things took.
func timeless(x any) {
	switch x := x.(type) {
	case map[string]any:
		for _, key := range []string{"journal", "elapsed_ms", "elapsed_time", "time_elapsed", "steps", "began_after_ms"} {
			delete(x, key)
		}
		for _, v := range x {
			timeless(v)
		}
	case []any:
		for _, v := range x {
			timeless(v)
		}
	}
}

// TestEveryCheckpointOfAFinishedRun goes back to each checkpoint of a workflow
// that is completed, and forward again: the work tree is each time what it was.
func TestEveryCheckpointOfAFinishedRun(t *testing.T) {
	t.Parallel()
	s := scene{level: 3, criteria: 1, agent: works}
	p := s.fresh(t, s.template(t))
	p.write("../tasks.md", tasks())
	p.sh("warp config set agent command && warp config set level 3 && warp config set keep_branches true && warp workflow run ../tasks.md")
	end := strings.TrimSpace(p.sh("git rev-parse workflow/files^{tree}"))
	var state struct {
		Checkpoints []struct {
			SHA string `json:"git_sha"`
		} `json:"checkpoints"`
	}
	if err := json.Unmarshal([]byte(p.agentState()), &state); err != nil {
		t.Fatal(err)
	}
	n, want := len(state.Checkpoints), strings.Count(tasks(), "#### Task")+strings.Count(tasks(), "### Phase")
	if n != want { // before each task, and after each phase
		t.Fatalf("there are %d checkpoints, want %d", n, want)
	}
	order := []int{n, 1, n/2 + 1} // the last, the first, and forward again
	if complete() {
		order = nil
		for i := n; i >= 1; i-- {
			order = append(order, i)
		}
		for i := 2; i <= n; i++ {
			order = append(order, i)
		}
	}
	for _, i := range order {
		out := p.sh(fmt.Sprintf("warp checkpoint restore %d --yes && git gc -q --prune=now", i))
		want := strings.TrimSpace(p.sh("git rev-parse " + state.Checkpoints[i-1].SHA + "^{tree}"))
		if got := p.tree(); got != want {
			t.Errorf("checkpoint %d: the work tree is %s, not %s\n%s", i, got, want, out)
		}
	}
	// What was there before the first step back was kept.
	if kept := p.sh(`git for-each-ref --format='%(tree)' refs/warp/checkpoint`); !strings.Contains(kept, end) {
		t.Errorf("the tree %s of the finished run is not among %s", end, kept)
	}
}

// tree is the workflow's work tree as a tree of git's.
func (p *project) tree() string {
	return strings.TrimSpace(p.sh(`export GIT_INDEX_FILE=$PWD/../index.tmp && cd .claude/worktrees/workflow-* && cp "$(git rev-parse --git-dir)/index" $GIT_INDEX_FILE && git add -A && git write-tree`))
}
