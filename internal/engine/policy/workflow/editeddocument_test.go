package workflow

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// half runs a workflow of two tasks until the second is at work, and changes its
// document.
func half(t *testing.T, edit ...string) *scene {
	t.Helper()
	p := newScene(t, two, func(t agent.Task) any {
		if t.Role == agent.Code && t.Issue == "1.2" {
			return errors.Join(put(t.Dir+"/half.txt", "half\n"), errors.New("stopped"))
		}
		return nil
	})
	if _, err := p.try(p.document()); err == nil {
		t.Fatal("it did not stop")
	}
	p.does = nil
	p.write(".claude/task.md", strings.NewReplacer(edit...).Replace(two))
	return p
}

func TestADocumentThatHasChangedIsAsked(t *testing.T) {
	t.Parallel()
	p := half(t, "`test -s b.txt`", "`test -s c.txt`", "Files: b.txt", "Files: c.txt")
	_, err := p.try(p.document())
	var edited *EditedError
	if !errors.As(err, &edited) || !strings.Contains(edited.Diff, "+- [ ] There: `test -s c.txt`") {
		t.Fatalf("%v", err)
	}
	p.wants(len(p.asked) > 0 && strings.Contains(err.Error(), "--replan plans the rest again from it, --as-planned"), true)

	p.options.AsPlanned = true
	s := p.run()
	p.completed(s)
	p.wants(p.git("ls-tree", "--name-only", "main", "--", "b.txt", "c.txt"), "b.txt")
}

func TestResumeGoesOnAsPlanned(t *testing.T) {
	t.Parallel()
	p := half(t, "b.txt", "c.txt")
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(strings.Contains(strings.Join(p.said, "\n"), "has changed since the workflow began; continuing with the old plan"), true)
	p.wants(p.git("ls-tree", "--name-only", "main", "--", "b.txt", "c.txt"), "b.txt")
}

// Planned anew: what is done and unchanged stays done, what has changed is done again,
// what is new is done, and what is gone is kept and not merged.
func TestPlannedAnew(t *testing.T) {
	for name, c := range map[string]struct {
		edit  []string
		coded string // which tasks are coded after it
		files string
		log   string
	}{
		"the task at work": {[]string{"`test -s b.txt`", "`test -s c.txt`", "Files: b.txt", "Files: c.txt"}, "1.2", "a.txt c.txt half.txt", "feat: First (task 1.1)|feat: Second (task 1.2)"},
		"a task that is done": {[]string{"`test -s a.txt`", "`test -s d.txt`", "Files: a.txt", "Files: d.txt"}, "1.1 1.2", "a.txt b.txt d.txt half.txt",
			"feat: First (task 1.1)|feat: First (task 1.1, try 2)|feat: Second (task 1.2)"},
		"another task": {[]string{"#### Task 1.2: Second", "#### Task 1.3: Third\nFiles: e.txt\n- [ ] There: `test -s e.txt`\n#### Task 1.2: Second"}, "1.3 1.2", "a.txt b.txt e.txt half.txt", ""},
		"it is gone":   {[]string{"#### Task 1.2: Second", "#### Task 1.4: Other"}, "1.4", "a.txt b.txt", "feat: First (task 1.1)|feat: Other (task 1.4)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := half(t, c.edit...)
			before := len(p.asked)
			p.options.Replan = true
			s := p.run()
			p.completed(s)
			var coded []string
			for _, a := range p.asked[before:] {
				if a.Role == agent.Code {
					coded = append(coded, a.Issue)
				}
			}
			p.wants(strings.Join(coded, " "), c.coded)
			p.wants(strings.ReplaceAll(p.git("ls-tree", "--name-only", "main"), "\n", " "), ".gitignore "+c.files)
			if c.log != "" {
				p.wants(p.subjects("main~"+string(rune('0'+strings.Count(c.log, "|")+1))), c.log)
			}
			if name == "it is gone" {
				p.wants(p.git("show", "refs/warp/workflow/"+s.ID+"/1.2-left:half.txt"), "half")
			}
			p.wants(s.Orchestrator.TotalPhases, 1)
			_, err := p.try("")
			p.wants(err != nil, true) // it has ended
		})
	}
}

// A plan that was approved is no approval of another.
func TestThePlanIsApprovedAnew(t *testing.T) {
	t.Parallel()
	p := newScene(t, two, func(t agent.Task) any {
		if t.Role == agent.Code {
			return errors.New("stopped")
		}
		return nil
	})
	asked := 0
	p.approve = func(_ context.Context, plan string) (bool, error) {
		asked++
		return asked == 1 || strings.Contains(plan, "Another"), nil
	}
	p.options.Level = 2
	_, _ = p.try(p.document())
	p.write(".claude/task.md", strings.Replace(two, "Second", "Another", 1))
	p.does = nil
	p.options.Replan = true
	s := p.run()
	p.completed(s)
	p.wants([]any{asked, len(p.pulls), strings.Contains(p.pulls[0].Body, "1.2 Another")}, []any{2, 1, true})
}

func TestAPersonChooses(t *testing.T) {
	t.Parallel()
	for _, anew := range []bool{true, false} {
		p := half(t, "b.txt", "c.txt")
		e := p.engine()
		shown := ""
		e.Choose = func(_ context.Context, diff string) (bool, error) { shown = diff; return anew, nil }
		s, err := e.Run(t.Context(), p.document())
		if err != nil {
			t.Fatal(err)
		}
		p.wants([]any{s.Orchestrator.Status, strings.Contains(shown, "+Files: c.txt"), p.git("ls-tree", "--name-only", "main", "--", "b.txt", "c.txt")},
			[]any{workflowstate.Completed, true, map[bool]string{true: "c.txt", false: "b.txt"}[anew]})
	}
}

// What was found by another document does not hold by this one: a criterion that is new is
// judged, of a task and of the whole.
func TestANewCriterionIsJudged(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.write("a.txt", "a person's\n") // what it merges overlaps
	p.pauses(p.document(), workflowstate.PausedPerson)
	p.write(".claude/task.md", strings.Replace(one, "## Outer", "## Success criteria\n- [ ] All of it reads well\n\n## Outer", 1))
	p.git("clean", "-qf", "a.txt")
	p.options.Replan = true
	p.completed(p.run())
	p.wants(p.roles(workflowstate.OuterTask), "[verify]")
}

// A task that is done again, or that is another by now, has all of its iterations.
func TestIterationsOfAnotherPlan(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(one, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1)
	var p *scene
	p = newScene(t, doc, func(t agent.Task) any {
		if t.Role == agent.Code {
			p.write("a.txt", "")
			return result{"summary": "done"}
		}
		return nil
	})
	p.pauses(p.document(), workflowstate.PausedIterations)
	p.does = nil
	p.write(".claude/task.md", strings.NewReplacer("a.txt", "b.txt", "a.*", "b.*").Replace(doc))
	p.options.Replan = true
	p.completed(p.run())
}

// Killed while a document is taken over: what a task has left that is gone is in no commit.
func TestPlannedAnewAndKilled(t *testing.T) {
	t.Parallel()
	p := half(t, "#### Task 1.2: Second", "#### Task 1.4: Other")
	p.options.Replan = true
	p.passed = func(point string) {
		if point == "resumed" {
			panic(errKilled)
		}
	}
	p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
	p.passed = nil
	s := p.run()
	p.completed(s)
	p.wants(strings.ReplaceAll(p.git("ls-tree", "--name-only", "main"), "\n", " "), ".gitignore a.txt b.txt")
	p.wants(p.git("show", "refs/warp/workflow/"+s.ID+"/1.2-left:half.txt"), "half")
}

// Who asks for another plan gets it, also where an earlier version has not kept the text
// that the workflow was planned by.
func TestPlannedAnewWithoutTheOldText(t *testing.T) {
	t.Parallel()
	p := half(t, "b.txt", "c.txt")
	p.change(func(s *workflowstate.State) { s.Text = "" })
	p.options.Replan = true
	p.completed(p.run())
	p.wants(p.git("ls-tree", "--name-only", "main", "--", "b.txt", "c.txt"), "c.txt")
}
