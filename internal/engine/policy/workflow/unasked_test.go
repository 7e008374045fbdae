package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// What no one asked for is sent back to the task's agent, once: that costs no iteration, and teaches
// nothing. What stays is merged by a person.
func TestUnaskedWorkOfATask(t *testing.T) {
	judged := strings.Replace(one, ": `test -s a.txt`", "", 1)
	for name, c := range map[string]struct {
		doc   string
		leave func(p *scene, n int) // besides the work
		names bool                  // the verifier names it
		level int
		keep  string // the agent's objection of the second iteration; "": it takes it back
		ends  string
	}{
		"taken back":                    {doc: one, level: 3, ends: "merged"},
		"taken back, named by verifier": {doc: judged, level: 3, names: true, ends: "merged"},
		"left":                          {doc: one, level: 3, keep: " ", ends: "waits"},
		"left, named by verifier":       {doc: judged, level: 3, names: true, keep: " ", ends: "waits"},
		"left at level 2":               {doc: one, level: 2, keep: " ", ends: "pull"},
		"needed, says the verifier":     {doc: judged, level: 3, keep: "NOTES.md is needed", ends: "merged with it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "NOTES.md"
			if c.names {
				file = "more.txt"
			}
			var p *scene
			p = newScene(t, strings.Replace(c.doc, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1), func(t agent.Task) any {
				switch t.Role {
				case agent.Code:
					p.write("a.txt", "a\n")
					if t.Chunk == 1 || c.keep != "" {
						p.write(file, "thoughts\n")
						if t.Chunk > 1 {
							return result{"summary": "NOTES.md stays", "objection": c.keep}
						}
						return nil
					}
					if err := os.Remove(filepath.Join(t.Dir, file)); err != nil {
						p.Error(err)
					}
				case agent.Verify:
					if c.keep == "" && strings.Contains(t.Prompt, "was asked to take this back") {
						p.Error("the verifier is asked about what is gone")
					}
					said := verdicts(t, true)
					said["unasked"] = []result{}
					if c.names {
						said["unasked"] = []result{{"file": file, "why": "no criterion asks for it"}}
					}
					return said
				}
				return nil
			})
			p.options.Level, p.options.Yes = c.level, true
			merged := func() string { return p.git("ls-tree", "--name-only", "main", "a.txt", file) }
			s, err := p.try(p.document())
			if told := p.prompt("1.1", 2); !strings.Contains(told, "No one asked for this. Take it back") || !strings.Contains(told, file) {
				t.Errorf("the agent is not told: %q", told)
			}
			if got := p.read(".claude/learnings.jsonl"); strings.Contains(got, "asked for") {
				t.Error("it is a lesson: " + got)
			}
			switch c.ends {
			case "merged", "merged with it":
				if err != nil {
					t.Fatal(err, p.said)
				}
				p.completed(s)
				p.wants(merged(), map[string]string{"merged": "a.txt", "merged with it": file + "\na.txt"}[c.ends])
			case "pull":
				p.wants([]any{err, merged(), len(p.pulls)}, []any{nil, "", 1})
				if body := p.pulls[0].Body; !strings.Contains(body, "Look at this first: no one asked for it\n\n- \""+file) {
					t.Error(body)
				}
			case "waits":
				if s.Paused == nil || s.Paused.Reason != workflowstate.PausedPerson || !strings.Contains(s.Paused.Why, "it holds what no one asked for: "+file) {
					t.Fatalf("%+v, %v\n%s", s.Paused, err, strings.Join(p.said, "\n"))
				}
				p.wants(merged(), "")
				p.git("merge", "-q", "--no-edit", s.Branch)
				s, err = p.try("")
				if err != nil {
					t.Fatal(err)
				}
				p.completed(s)
			}
		})
	}
}
