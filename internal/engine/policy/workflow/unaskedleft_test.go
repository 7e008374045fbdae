package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// waitsFor wants the workflow to wait for a person, because of a file.
func (p *scene) waitsFor(path, file string) {
	p.Helper()
	s := p.pauses(path, workflowstate.PausedPerson)
	if !strings.Contains(s.Paused.Why, "it holds what no one asked for: "+file+":") {
		p.Error(s.Paused.Why)
	}
}

// A reason clears what the agent was asked to take back, and neither what came with it nor anything
// that a summary happens to name.
func TestAReasonClearsWhatWasAskedAbout(t *testing.T) {
	judged := strings.Replace(strings.Replace(one, "`test -s a.txt`", "it is", 1), "Files: a.*\n", "", 1)
	for name, c := range map[string]struct {
		second result
		adds   string
		waits  string // for this file; "": it is merged
	}{
		"a reason":                  {second: result{"summary": "ok", "objection": "There needs NOTES.md"}},
		"a summary":                 {second: result{"summary": "NOTES.md stays"}, waits: "NOTES.md"},
		"a reason, and a new file":  {second: result{"summary": "ok", "objection": "There needs NOTES.md"}, adds: "CLAUDE.md", waits: "CLAUDE.md"},
		"a summary, and a new file": {second: result{"summary": "NOTES.md stays"}, adds: "CLAUDE.md", waits: "CLAUDE.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, judged, func(t agent.Task) any {
				switch t.Role {
				case agent.Code:
					if t.Chunk == 1 {
						p.write("a.txt", "x\n")
						p.write("NOTES.md", "x\n")
						return result{"summary": "did"}
					}
					if c.adds != "" {
						p.write(c.adds, "obey\n")
					}
					return c.second
				case agent.Verify:
					said := verdicts(t, true)
					said["unasked"] = []result{}
					return said
				}
				return nil
			})
			if c.waits != "" {
				p.waitsFor(p.document(), c.waits)
				return
			}
			p.completed(p.run())
		})
	}
}

// A later task that touches a file does not clear what an earlier one left in it.
func TestALaterTaskClearsNothing(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, one+"#### Task 1.2: Second\nDepends: 1.1\n- [ ] There: `test -s b.txt`\n", func(t agent.Task) any {
		switch {
		case t.Role == agent.Code && t.Issue == "1.1":
			p.write("a.txt", strings.Repeat("a", t.Chunk))
			p.write("NOTES.md", "thoughts\n")
			return result{"summary": "done"}
		case t.Role == agent.Code:
			p.write("b.txt", "b\n")
			p.write("NOTES.md", "more thoughts\n")
		}
		return nil
	})
	p.waitsFor(p.document(), "NOTES.md")
	p.wants(p.roles("1.1"), "[supervise code code supervise fix]")
}

// An agent that was not told before the engine was killed is told then.
func TestToldAfterAKill(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1), func(t agent.Task) any {
		if t.Role == agent.Code && t.Chunk == 1 {
			p.write("a.txt", "a\n")
			p.write("NOTES.md", "thoughts\n")
		} else if t.Role == agent.Code {
			if err := os.Remove(filepath.Join(t.Dir, "NOTES.md")); err != nil {
				p.Error(err)
			}
		} else {
			return nil
		}
		return result{"summary": "done"}
	})
	p.passed = func(point string) {
		if point == "iteration_done" {
			p.passed = nil
			panic(point)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = p.try(p.document())
	}()
	if s, err := p.try(""); err != nil {
		t.Error(err)
	} else {
		p.completed(s)
		p.wants(p.roles("1.1"), "[supervise code code supervise]")
	}
}

// The same work has one verdict. An objection is heard once, and then a person decides.
func TestOneVerdictForTheSameWork(t *testing.T) {
	doc := strings.Replace(one, "`test -s a.txt`", "it is", 1)
	for name, c := range map[string]struct {
		later  result // what the agent says from its second iteration on
		yes    int    // the verdict that is a yes
		judged int
		ends   string // in a pause, with these words
	}{
		"an objection that is right": {result{"objection": "it is there: ZZ"}, 2, 2, ""},
		"an objection, each time":    {result{"objection": "it is there: ZZ"}, 3, 2, "objects again to the verdict"},
		"done, each time":            {result{"done": []string{"C1"}}, 2, 1, "has used its"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var verdictsAsked []string
			p := newScene(t, strings.Replace(doc, "## Outer", "## Safety bounds\n- max_iterations_per_task: 4\n\n## Outer", 1), func(t agent.Task) any {
				switch {
				case t.Role == agent.Code && t.Chunk > 1:
					return c.later
				case t.Role == agent.Verify:
					verdictsAsked = append(verdictsAsked, t.Prompt)
					return verdicts(t, len(verdictsAsked) == c.yes)
				}
				return nil
			})
			s, err := p.try(p.document())
			if c.ends == "" && err != nil || c.ends != "" && (s.Paused == nil || !strings.Contains(s.Paused.Why, c.ends)) {
				t.Errorf("%v\n%s", err, strings.Join(p.said, "\n"))
			}
			if len(verdictsAsked) != c.judged || c.judged == 2 && !strings.Contains(verdictsAsked[1], "The author objects to it. Check whether that is right, and say so in your reason:\n```untrusted\nit is there: ZZ") {
				t.Errorf("%q", verdictsAsked)
			}
		})
	}
}

// A verifier's point about a file that the task names is about a part of it: it is sent back, and what
// stays is merged by a person.
func TestAPartOfANamedFile(t *testing.T) {
	for name, takesBack := range map[string]bool{"taken back": true, "left": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, strings.Replace(one, "`test -s a.txt`", "a.txt has it", 1), func(t agent.Task) any {
				switch t.Role {
				case agent.Code:
					p.write("a.txt", "asked\nand more\n")
					if t.Chunk > 1 && takesBack {
						p.write("a.txt", "asked\n")
					} else if t.Chunk > 1 {
						p.write("a.txt", "asked\nand even more\n")
					}
					return result{"summary": "did"}
				case agent.Verify:
					said := verdicts(t, true)
					said["unasked"] = []result{}
					if text, _ := os.ReadFile(filepath.Join(t.Dir, "a.txt")); strings.Contains(string(text), "more") {
						said["unasked"] = []result{{"file": "a.txt", "why": "a line that no criterion needs"}}
					}
					return said
				}
				return nil
			})
			if !takesBack {
				p.waitsFor(p.document(), "a.txt")
				return
			}
			p.completed(p.run())
		})
	}
}
