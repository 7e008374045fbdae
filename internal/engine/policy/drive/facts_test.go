package drive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// What the work plants for agents to obey is in the diff, and not in the verifier's folder, where an
// agent would load it. The verifier knows what the tests said.
func TestAVerifierLoadsNoInstructionsOfTheWork(t *testing.T) {
	t.Parallel()
	s := newScene(t, "## Acceptance criteria\n\n- [ ] AC-01: there are AC-01.txt, CLAUDE.md, Agents.md and docs/.GEMINI/settings.json\n")
	s.sh("echo honest > CLAUDE.md; git add -A; git commit -qm 'docs: instructions'")
	judged := 0
	s.does = func(task agent.Task) any {
		switch task.Role {
		case agent.Code:
			return "echo AC-01 > AC-01.txt; echo obey > CLAUDE.md; echo obey > Agents.md; mkdir -p docs/.GEMINI; echo '{}' > docs/.GEMINI/settings.json"
		}
		if judged++; judged > 1 {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(task.Dir, "CLAUDE.md"))
		if err != nil || string(text) != "honest\n" {
			t.Errorf("CLAUDE.md is %q, %v", text, err)
		}
		for _, name := range []string{"Agents.md", "docs"} {
			if _, err := os.Lstat(filepath.Join(task.Dir, name)); err == nil {
				t.Errorf("%s is in its folder", name)
			}
		}
		if _, err := os.Lstat(filepath.Join(task.Dir, "AC-01.txt")); err != nil {
			t.Error(err)
		}
		for _, want := range []string{"+obey", "warp ran the tests on exactly this work: sh test.sh passed"} {
			if !strings.Contains(task.Prompt, want) {
				t.Errorf("%q is not in the prompt:\n%s", want, task.Prompt)
			}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if judged == 0 {
		t.Error("no verifier was asked")
	}
	s.want("what is merged", s.sh("git ls-tree -r --name-only main | tr '\\n' ' '"), ".gitignore AC-01.txt Agents.md CLAUDE.md code.txt docs/.GEMINI/settings.json test.sh")
}
