package workflow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/place"
)

// A workflow works in a work tree of its own: what a person has checked out, changed,
// staged and left lying about is neither in its way nor in its commits, even under the
// names that the tasks write.
func TestTheWorkIsApartFromThePersons(t *testing.T) {
	t.Parallel()
	var p *scene
	seen := ""
	p = newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Code {
			seen = t.Dir + " " + p.read("a.txt") + " " + p.read("kept.txt")
		}
		return nil
	})
	p.write("kept.txt", "committed\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "chore: kept")
	p.git("switch", "-q", "-c", "mine")
	p.write("a.txt", "a person's\n")
	p.write("kept.txt", "changed\n")
	p.write("staged.txt", "staged\n")
	p.git("add", "staged.txt")
	before := p.git("status", "--porcelain")
	s := p.run()
	p.completed(s)
	p.wants(p.git("status", "--porcelain"), before)
	p.wants([]string{p.git("branch", "--show-current"), p.read("a.txt"), p.read("kept.txt"), p.git("show", "main:a.txt")}, []string{"mine", "a person's\n", "changed\n", "1.1 1"})
	if dir := place.Path(p.root, s.Place); !strings.HasPrefix(seen, dir+" ") || !strings.Contains(seen, "no such file") || !strings.HasSuffix(seen, " committed\n") {
		t.Errorf("the agent saw %q", seen)
	}
	p.wants(p.git("worktree", "list", "--porcelain") == "worktree "+p.root+"\nHEAD "+p.git("rev-parse", "HEAD")+"\nbranch refs/heads/mine", true)
}

// Files of .claude that are tracked are not deleted, in no diff and in no figure.
func TestTrackedFilesOfClaudeAreNotDeleted(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		t.Run(map[bool]string{true: "in place", false: "apart"}[inPlace], func(t *testing.T) {
			t.Parallel()
			p := newScene(t, strings.ReplaceAll(polished, "enabled: no", "enabled: yes"), nil)
			p.options.InPlace = inPlace
			p.write(".claude/commands/mine.md", "one\ntwo\n")
			p.git("add", "-f", ".claude/commands")
			p.git("commit", "-q", "-m", "chore: commands")
			s := p.run()
			p.completed(s)
			judged := 0
			for _, a := range p.asked {
				if a.Role == agent.Verify || a.Role == agent.Supervise {
					judged++
					if strings.Contains(a.Prompt, "commands/mine.md") {
						t.Errorf("%s of %s sees it in the diff:\n%s", a.Role, a.Issue, a.Prompt)
					}
				}
			}
			p.wants(judged > 1, true)
			p.wants(strings.Contains(p.read(".claude/state/workflow/report.md"), "1 file changed, +1 -0 lines"), true)
			p.wants(p.git("show", "main:.claude/commands/mine.md"), "one\ntwo")
		})
	}
}

// Seed 004's full reset leaves everything that a workflow needs to continue: what was
// done stays done, and what a task had changed is in its commit. A sample; make random
// kills it at each point.
func TestAResetOfTheStateFolder(t *testing.T) {
	points := []string{"agent_answered", "iteration_done", "committed"}
	for name, c := range map[string]struct {
		o      Options
		sample []string
	}{
		"apart":        {Options{}, []string{"agent_answered", "committed"}},
		"in place":     {Options{InPlace: true}, []string{"iteration_done"}},
		"side by side": {Options{Parallel: 2}, []string{"stopped"}},
	} {
		o, try := c.o, c.sample
		if complete() && o.Parallel != 2 {
			try = points
		}
		for _, point := range try {
			t.Run(name+", "+point, func(t *testing.T) {
				t.Parallel()
				doc := two
				if o.Parallel == 2 {
					doc = pair
				}
				p := newScene(t, doc, nil)
				p.options.InPlace, p.options.Parallel = o.InPlace, max(1, o.Parallel)
				n := 0
				p.passed = func(at string) {
					if at == point {
						if n++; n == 2 {
							panic(errKilled)
						}
					}
				}
				if o.Parallel == 2 { // a panic in a task of several would end the test
					p.passed = nil
					p.does = func(a agent.Task) any {
						if a.Role == agent.Code && a.Issue == "1.2" && n == 0 {
							n++
							return errors.New("stopped")
						}
						if a.Role == agent.Code {
							if err := eachSide(a); err != nil {
								return err
							}
							return result{"summary": "done"}
						}
						return nil
					}
					_, err := p.try(p.document())
					p.wants(err != nil, true)
				} else {
					p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
				}
				p.passed = nil
				if err := os.RemoveAll(filepath.Join(p.root, ".claude", "state")); err != nil {
					t.Fatal(err)
				}
				s, err := p.try("")
				if err != nil {
					t.Fatalf("%v\n%s", err, strings.Join(p.said, "\n"))
				}
				p.completed(s)
				for _, d := range s.CompletedTasks {
					if d.Commit == "" || len(d.FilesModified) == 0 {
						t.Errorf("task %s has no commit: %+v", d.Task, d)
					}
				}
				p.wants(strings.Count(p.git("log", "--format=%s", "main"), "feat: "), 2)
				p.wants(p.git("status", "--porcelain"), "")
				p.wants(strings.Count(p.git("worktree", "list"), "\n"), 0) // none was kept for what is in it
			})
		}
	}
}

// What was committed in the workflow's own tree before everything about it was lost is not
// taken for what is done beside others now.
func TestAResetBeforeTasksRunSideBySide(t *testing.T) {
	t.Parallel()
	p := newScene(t, pair, nil)
	p.does = func(a agent.Task) any {
		if a.Role != agent.Code {
			return nil
		}
		if err := eachSide(a); err != nil {
			return err
		}
		return result{"summary": "done"}
	}
	p.passed = func(point string) {
		if point == "committed" {
			panic(errKilled)
		}
	}
	p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
	p.passed = nil
	if err := os.RemoveAll(filepath.Join(p.root, ".claude", "state")); err != nil {
		t.Fatal(err)
	}
	p.options.Parallel = 2
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(p.git("log", "--format=%s", "main"), "feat: Right (task 1.2)\nfeat: Left (task 1.1)\nchore: begin")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 0)
}

// What was verified and is not there any more is done again.
func TestWhatWasVerifiedIsGone(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.passed = func(point string) {
		if point == "iteration_done" {
			panic(errKilled)
		}
	}
	p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
	dirs, err := filepath.Glob(filepath.Join(p.root, ".claude", "worktrees", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	if err := os.RemoveAll(dirs[0]); err != nil {
		t.Fatal(err)
	}
	p.passed = nil
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants([]any{s.CompletedTasks[0].Commit != "", p.git("ls-tree", "--name-only", "main", "--", "a.txt")}, []any{true, "a.txt"})
}

// In place, there must be a branch to go back to.
func TestInPlaceOnNoBranch(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.git("switch", "-q", "--detach")
	p.options.InPlace = true
	if _, err := p.try(p.document()); err == nil || !strings.Contains(err.Error(), "git switch BRANCH first, or run without --in-place") {
		t.Fatal(err)
	}
	p.wants(p.git("branch", "--list", "workflow/*"), "")
	p.options.InPlace = false
	p.completed(p.run())
}

var errKilled = errors.New("killed")

func killed(fn func()) (was bool) {
	defer func() { was = recover() == errKilled }()
	fn()
	return false
}

// What a workflow that was ended has left in its work tree is kept when the next begins.
func TestWhatAnEndedWorkflowHasLeft(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Code {
			if err := put(filepath.Join(t.Dir, "half.txt"), "half\n"); err != nil {
				return err
			}
			return errors.New("stopped")
		}
		return nil
	})
	s, err := p.try(p.document())
	p.wants(err != nil && s != nil, true)
	p.change(func(s *workflowstate.State) { _ = s.Fire(workflowstate.Aborted, "a person ended it", "", p.now()) })
	p.does = nil
	p.completed(p.run())
	p.wants(p.git("show", "refs/warp/workflow/"+s.ID+"/left:half.txt"), "half")
	p.wants(p.git("worktree", "list", "--porcelain") == "worktree "+p.root+"\nHEAD "+p.git("rev-parse", "HEAD")+"\nbranch refs/heads/main", true)
}
