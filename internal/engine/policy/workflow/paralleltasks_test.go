package workflow

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// pair is a document with two tasks that may run side by side.
const pair = "# Pair\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: Left\nFiles: left/**\n- [ ] There: `test -s left/l.txt`\n" +
	"#### Task 1.2: Right\nFiles: right/**\n- [ ] There: `test -s right/r.txt`\n"

// meeting has the agents of two tasks wait for each other, so that they are at work
// at once.
func meeting() func(t agent.Task) {
	var both sync.WaitGroup
	both.Add(2)
	var mu sync.Mutex
	met := map[string]bool{}
	return func(t agent.Task) {
		mu.Lock()
		first := !met[t.Issue]
		met[t.Issue] = true
		mu.Unlock()
		if first {
			both.Done()
			both.Wait()
		}
	}
}

// eachSide writes the file of each of the pair.
func eachSide(t agent.Task) error {
	return put(filepath.Join(t.Dir, map[string]string{"1.1": "left/l.txt", "1.2": "right/r.txt"}[t.Issue]), t.Issue+"\n")
}

// While two tasks run side by side their files are claimed, each works in a work
// tree of its own with its share of the money, and what they did, with what was
// fixed apart, is merged in the order of the tasks.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	var p *scene
	together := meeting()
	var mu sync.Mutex
	claimed := map[string]int{}
	p = newScene(t, pair, func(t agent.Task) any {
		switch {
		case t.Role == agent.Code:
			together(t)
			mu.Lock()
			for _, l := range p.locks() {
				claimed[l.Task+" "+strings.Join(l.Paths, " ")]++
			}
			mu.Unlock()
			if err := eachSide(t); err != nil {
				p.Error(err)
			}
			return result{"summary": "done"}
		case checks(t, "1.2", workflowstate.PostTask):
			return conflict("pattern", "low")
		case t.Role == agent.Fix:
			if err := put(filepath.Join(t.Dir, "right/fixed.txt"), "fixed\n"); err != nil {
				p.Error(err)
			}
		}
		return nil
	})
	p.options.Parallel = 2
	s := p.run()
	p.completed(s)
	p.wants(fmt.Sprint(claimed), "map[1.1 left/**:2 1.2 right/**:2]")
	p.wants(len(p.locks()), 0)
	p.wants(p.subjects("main~3"), "feat: Left (task 1.1)|feat: Right (task 1.2)|fix: the pattern is wrong")
	p.wants(p.git("show", "main:right/fixed.txt"), "fixed")
	for i, d := range s.CompletedTasks {
		p.wants(d.Commit, p.git("rev-parse", fmt.Sprint("main~", 2-i)))
	}
	p.wants([]any{s.CompletedTasks[0].FilesModified, s.CompletedTasks[1].FilesModified}, "[[left/l.txt] [right/r.txt]]")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 0)
	p.wants(p.git("branch", "--list", "warp/*"), "")
	for _, a := range p.asked {
		if a.Dir == p.root || a.Role == agent.Code && a.Budget.MicroUSD > 5_000_000 {
			t.Errorf("%s of %s: in %s, with %d", a.Role, a.Issue, a.Dir, a.Budget.MicroUSD)
		}
	}
}

// Two tasks that touch the same file, or break each other: the later is kept under
// a reference and done again.
func TestSideBySideConflict(t *testing.T) {
	for name, c := range map[string]struct {
		doc  string
		does func(t agent.Task, again bool) error
		why  string
	}{
		"same file": {pair, func(t agent.Task, again bool) error {
			text := t.Issue + "\n"
			if again {
				text = "both\n"
			}
			return put(filepath.Join(t.Dir, "shared.txt"), text)
		}, "it conflicts with the parallel tasks in [shared.txt]"},
		"broken": {strings.Replace(pair, "test -s left/l.txt", "test -s left/l.txt -a ! -e right/bad.txt", 1), func(t agent.Task, again bool) error {
			if t.Issue == "1.2" && !again {
				return put(filepath.Join(t.Dir, "right/bad.txt"), "bad\n")
			}
			return nil
		}, "together with the parallel tasks this fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			together := meeting()
			p = newScene(t, strings.Replace(c.doc, "## Outer", "## Supervisor\n- checks: pre_task\n\n## Outer", 1), func(t agent.Task) any {
				if t.Role != agent.Code {
					return nil
				}
				if t.Chunk == 1 {
					together(t)
				}
				if err := eachSide(t); err != nil {
					p.Error(err)
				}
				if err := c.does(t, t.Chunk > 1); err != nil {
					p.Error(err)
				}
				return result{"summary": "done", "learnings": []string{"of " + t.Issue}}
			})
			p.options.Parallel = 2
			s := p.run()
			p.completed(s)
			p.wants(strings.Contains(strings.Join(p.said, "\n"), c.why), true)
			p.wants(p.subjects("main~2"), "feat: Left (task 1.1)|feat: Right (task 1.2)")
			p.wants([]int{s.CompletedTasks[0].Iterations, s.CompletedTasks[1].Iterations}, "[1 2]")
			p.wants([]any{s.CompletedTasks[1].Cost, s.SafetyBounds.CostSoFar, s.Supervisor.ChecksPerformed}, []any{"$0.04", "$0.06", 3})
			kept := p.git("for-each-ref", "--format=%(refname)", "refs/warp/workflow/")
			p.wants(kept, "refs/warp/workflow/"+s.ID+"/1.2-1")
			p.wants(p.git("show", kept+":right/r.txt"), "1.2")
			p.wants(strings.Count(p.git("worktree", "list"), "\n"), 0)
		})
	}
}

// One of two waits for a person: what the other has done is brought together when
// it is resumed, and is not done again.
func TestSideBySideWaits(t *testing.T) {
	t.Parallel()
	var p *scene
	lies := true
	p = newScene(t, strings.Replace(pair, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1), func(t agent.Task) any {
		if t.Role != agent.Code || lies && t.Issue == "1.1" {
			return nil
		}
		if err := eachSide(t); err != nil {
			p.Error(err)
		}
		return result{"summary": "done"}
	})
	p.options.Parallel = 2
	p.pauses(p.document(), workflowstate.PausedIterations)
	p.wants(p.git("status", "--porcelain"), "")
	lies, p.options.Parallel = false, 1
	p.extend(workflowstate.Limits{Iterations: 3})
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(p.subjects("main~2"), "feat: Left (task 1.1)|feat: Right (task 1.2)")
	p.wants(p.roles("1.2"), "[supervise code supervise]")
}

// A task whose new plan would have files that another has claimed keeps its own.
func TestRePlanCannotClaimWhatIsClaimed(t *testing.T) {
	t.Parallel()
	var p *scene
	together := meeting()
	once := true
	p = newScene(t, pair, func(t agent.Task) any {
		switch {
		case t.Role == agent.Code:
			together(t)
			if err := eachSide(t); err != nil {
				p.Error(err)
			}
			return result{"summary": "done"}
		case checks(t, "1.1", workflowstate.PreTask) && once:
			once = false
			return conflict("architecture", "high")
		case t.Role == agent.Plan:
			return result{"approach": `{"tasks":[{"task":"1.1","files":["left/**","right/r.txt"]}]}`}
		}
		return nil
	})
	p.options.Parallel = 2
	s := p.run()
	p.completed(s)
	if r := s.Supervisor.Interventions[0].Resolution; !strings.Contains(r, "task 1.2 holds it") {
		t.Error(r)
	}
	i := slices.IndexFunc(p.asked, func(a agent.Task) bool { return a.Issue == "1.1" && a.Role == agent.Code })
	p.wants(files(p.asked[i]), "[left/**]")
	p.wants(strings.Contains(p.asked[i].Prompt, "The supervisor objects (architecture)"), true)
}
