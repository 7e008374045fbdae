package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/leakscan"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
)

// The engine's own checks are made also where the supervisor has no objection.
func TestOwnChecks(t *testing.T) {
	const doc = "# One\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: First\nFiles: lib/**, go.mod\n- [ ] There: `test -s lib/done.txt`\n"
	for _, c := range []struct {
		name, file, text string
		kind             supervise.Type
		severity         supervise.Severity
		detail           string
	}{
		{"dependency", "go.mod", "module x\n\nrequire example.com/heavy v1.0.0\n", supervise.Dependency, supervise.High, "example.com/heavy"},
		{"api", "lib/lib.go", "package lib\n\nfunc Open(name string, mode int) {}\n", supervise.API, supervise.High, "Open"},
		{"secret", "lib/key.txt", "SECRET-1\n", supervise.Security, supervise.Critical, "lib/key.txt holds a secret"},
		{"naming", "lib/notLikeThem.go", "package lib\n", supervise.Pattern, supervise.Low, "camelCase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, doc, nil)
			p.write("go.mod", "module x\n")
			p.write("lib/lib.go", "package lib\n\nfunc Open(name string) {}\n")
			p.write("lib/old_key.txt", "SECRET-0\n")
			for _, n := range []string{"a_a", "b_b", "c_c", "d_d", "e_e"} {
				p.write("lib/"+n+".go", "package lib\n")
			}
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "chore: what is there")
			p.secrets = func(text string) (found []leakscan.Match) {
				for f := range strings.FieldsSeq(text) {
					if strings.HasPrefix(f, "SECRET") {
						found = append(found, leakscan.Match{Rule: "planted", Value: f})
					}
				}
				return found
			}
			was := map[string]string{}
			p.does = func(t agent.Task) any {
				switch {
				case t.Role == agent.Code && t.Chunk == 1:
					was[c.file] = p.read(c.file)
					p.write("lib/done.txt", "done\n")
					p.write("lib/old_key.txt", "SECRET-0 is still there\n")
					p.write(c.file, c.text)
					return result{"summary": "done"}
				case t.Role == agent.Code || t.Role == agent.Fix: // it is fixed
					if err := os.Remove(filepath.Join(p.here(), c.file)); err != nil {
						p.Error(err)
					}
					if before := was[c.file]; !strings.Contains(before, "no such file") {
						p.write(c.file, before)
					}
					return result{"summary": "fixed"}
				}
				return nil
			}
			s := p.run()
			p.completed(s)
			if len(s.Supervisor.Interventions) != 1 {
				t.Fatalf("%+v\n%s", s.Supervisor, strings.Join(p.said, "\n"))
			}
			i := s.Supervisor.Interventions[0]
			if i.ConflictType != c.kind || i.Severity != c.severity || !strings.Contains(i.Detail, c.detail) {
				t.Errorf("%+v", i)
			}
			iterations := 1
			if c.severity != supervise.Low {
				iterations = 2
				p.wants(strings.Contains(p.git("log", "-p", "main"), "+"+strings.TrimSpace(c.text)), false) // it was never committed
			}
			p.wants(s.CompletedTasks[0].Iterations, iterations)
		})
	}
}
