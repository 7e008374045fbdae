package workflow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/learning"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

const polished = "# One\n\n## Success criteria\n- [ ] Whole: `test -d .git`\n- [ ] It reads well\n\n## Outer loop\n- max_iterations: 2\n\n### Phase 1: P\n#### Task 1.1: First\nFiles: a.txt\n- [ ] There: `test -s a.txt`\n\n## Verification\n```sh\ntest ! -e bad.txt\n```\n"

// Findings are made by priority, each committed apart; one that breaks what holds
// is taken back.
func TestOuterLoop(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, polished, func(t agent.Task) any {
		switch {
		case t.Role == agent.Scan && t.Chunk == 1:
			return result{"findings": []result{{"title": "last", "priority": "low"}, {"title": "breaks\x1b[31m", "priority": "P2"}, {"title": "first", "priority": "S1"},
				{"title": "deletes", "priority": "medium"}, {"title": "nothing"}, {"title": "too many", "priority": "S9"}}}
		case t.Role == agent.Fix:
			switch {
			case strings.Contains(t.Prompt, "breaks"):
				p.write("bad.txt", "bad\n")
			case strings.Contains(t.Prompt, "deletes"):
				if err := os.Remove(p.here() + "/a.txt"); err != nil {
					p.Error(err)
				}
			case strings.Contains(t.Prompt, "first"):
				p.write("first.txt", "1\n")
			case strings.Contains(t.Prompt, "last"):
				p.write("last.txt", "2\n")
			case strings.Contains(t.Prompt, "too many"):
				p.write("many.txt", "2\n")
			}
		}
		return nil
	})
	s := p.run()
	p.completed(s)
	p.wants(p.subjects("main~4"), "feat: First (task 1.1)|refactor: first|refactor: last|refactor: too many")
	p.wants(p.git("status", "--porcelain"), "")
	p.wants(p.roles(workflowstate.OuterTask), "[verify scan fix fix fix fix fix verify scan]")
	report := p.read(".claude/state/workflow/report.md")
	for _, want := range []string{"- before: 1 of 1 verification commands pass; 1 file changed, +1 -0 lines\n", "- after: 1 of 1 verification commands pass; 4 files changed, +4 -0 lines\n", "- [x] It reads well", "| 1.1 First | 1 |"} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is missing in\n%s", want, report)
		}
	}
}

// What is not met globally comes first; when it stays so, the workflow has failed
// and says why.
func TestGlobalCriteria(t *testing.T) {
	for name, fixes := range map[string]bool{"fixed": true, "not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, strings.Replace(polished, "test ! -e bad.txt", "test -e good.txt", 1), func(t agent.Task) any {
				if t.Role == agent.Fix && fixes && strings.Contains(t.Prompt, "Meet the success criteria") {
					p.write("good.txt", "good\n")
				}
				return nil
			})
			s := p.run()
			if fixes {
				p.completed(s)
				p.wants(p.git("show", "main:good.txt"), "good")
				return
			}
			p.wants([]any{s.Orchestrator.Status, s.Failure.Reason, p.git("rev-list", "--count", "main")}, []any{"failed", "failed", "1"})
			p.wants(strings.HasPrefix(s.Failure.Why, "the global success criteria are not met: test -e good.txt ended with 1"), true)
			p.wants(p.roles(workflowstate.OuterTask), "[verify scan fix scan fix]")
		})
	}
}

// Lessons are put before later tasks and later workflows, no more than fit, and
// are written once however often an engine dies.
func TestLearnings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("shared parser ", 12)
	p := newScene(t, strings.ReplaceAll(two, "a.txt", "lib/a.txt"), nil)
	p.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Issue == "1.1" {
			p.write("lib/a.txt", "a\n")
			list := []string{"use the shared parser of lib/a.txt"}
			for range 40 {
				list = append(list, long+strings.Repeat("x", len(list)/2))
			}
			return result{"summary": "done", "learnings": list}
		}
		return nil
	}
	points := map[string]int{}
	dies := ""
	p.passed = func(point string) {
		if points[point]++; point == dies {
			dies = ""
			panic(point)
		}
	}
	for _, at := range []string{"learnings_written", "iteration_done"} {
		dies = at
		func() {
			defer func() {
				if recover() != any(at) {
					t.Error("it did not die at", at)
				}
			}()
			_, _ = p.try(p.document())
		}()
	}
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	book := learning.Read([]byte(p.read(".claude/learnings.jsonl")))
	p.wants([]int{len(book.Lessons()), book.Bad(), len(s.Learnings)}, "[7 0 7]")
	p.wants(p.roles("1.1"), "[supervise code verify supervise]")

	p.write(".claude/task.md", strings.Replace(one, "First", "Extend the shared parser", 1))
	p.does = nil
	p.completed(p.run())
	asked := p.asked[len(p.asked)-2]
	_, lessons, _ := strings.Cut(asked.Prompt, "What earlier work on this project taught:")
	lessons, _, _ = strings.Cut(lessons, "Rules:")
	if strings.Count(lessons, "- (pattern) shared parser") < 3 || len(lessons) > mostLessons+200 {
		t.Errorf("%d: %s", len(lessons), asked.Prompt)
	}
}

// What a workflow knew whose state is gone is of no use to the next.
func TestWhatAnotherKnewIsNotUsed(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Code {
			return errors.New("stopped")
		}
		return nil
	})
	if _, err := p.try(p.document()); err == nil {
		t.Fatal("it did not stop")
	}
	if err := os.Remove(filepath.Join(p.root, ".claude", workflowstate.File)); err != nil {
		t.Fatal(err)
	}
	p.does = nil
	s := p.run()
	p.completed(s)
	p.wants([]any{p.roles("1.1"), s.SafetyBounds.CostSoFar}, []any{"[supervise code supervise code supervise]", "$0.03"})
}
