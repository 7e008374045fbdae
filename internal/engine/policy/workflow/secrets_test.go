package workflow

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/leakscan"
	"warp/internal/engine/agent"
)

// Without a supervisor, or without its check after a task, and in work trees of their own,
// tasks are scanned as well.
func TestSecretsWithoutASupervisor(t *testing.T) {
	for n, set := range []string{"enabled: no", "enabled: false", "enabled: off", "checks: pre_task"} {
		for _, side := range []int{1, 2} {
			if complete() || side == 1+n%2 {
				t.Run(fmt.Sprintf("%s, %d at once", set, side), func(t *testing.T) { t.Parallel(); secretsWithout(t, set, side) })
			}
		}
	}
}

func secretsWithout(t *testing.T, set string, parallel int) {
	doc := "# One\n\n## Supervisor\n- " + set + "\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: First\nFiles: a/**\n- [ ] There: `test -s a/done.txt`\n#### Task 1.2: Second\nFiles: b/**\n- [ ] There: `test -s b/done.txt`\n"
	p := newScene(t, doc, nil)
	p.options.Parallel = parallel
	p.secrets = func(text string) (found []leakscan.Match) {
		if strings.Contains(text, "SECRET-1") {
			found = append(found, leakscan.Match{Rule: "planted", Value: "SECRET-1"})
		}
		return found
	}
	told := 0
	p.does = func(t agent.Task) any {
		if t.Role != agent.Code {
			return nil
		}
		dir := "a"
		if strings.Contains(t.Prompt, "Second") {
			dir = "b"
		}
		text := "SECRET-1\n"
		if strings.Contains(t.Prompt, dir+"/key.txt:1: planted") {
			text = "none\n"
			p.mu.Lock()
			told++
			p.mu.Unlock()
		}
		if err := errors.Join(put(filepath.Join(t.Dir, dir, "key.txt"), text), put(filepath.Join(t.Dir, dir, "done.txt"), "done\n")); err != nil {
			p.Error(err)
		}
		return result{"summary": "done"}
	}
	p.completed(p.run())
	if log := p.git("log", "-p", "--all"); strings.Contains(log, "SECRET-1") || told != 2 {
		t.Errorf("%d side by side: told %d times\n%s", parallel, told, log)
	}
}

func TestNamesOfTasksAreCleaned(t *testing.T) {
	p := newScene(t, strings.Replace(one, "First", "Fixes #99 for @ada", 1), nil)
	p.completed(p.run())
	if log := p.git("log", "--format=%B", "main"); !strings.Contains(log, "fix: Fixes no. 99 for (at)ada (task 1.1)") {
		t.Error(log)
	}
}

// What cannot be committed is not shown to the verifier: the coder is told first.
func TestSecretsBeforeTheVerifier(t *testing.T) {
	p := newScene(t, strings.Replace(one, "`test -s a.txt`", "a.txt has it", 1), nil)
	p.secrets = func(text string) (found []leakscan.Match) {
		if strings.Contains(text, "SECRET-1") {
			found = append(found, leakscan.Match{Rule: "planted", Value: "SECRET-1"})
		}
		return found
	}
	judged := 0
	p.does = func(t agent.Task) any {
		switch t.Role {
		case agent.Code:
			p.write("a.txt", "SECRET-1\n")
			if strings.Contains(t.Prompt, "a.txt:1: planted") {
				p.write("a.txt", "none\n")
			}
			return result{"summary": "did"}
		case agent.Verify:
			judged++
			return verdicts(t, true)
		}
		return nil
	}
	p.completed(p.run())
	if judged != 1 {
		t.Errorf("the verifier was asked %d times", judged)
	}
}
