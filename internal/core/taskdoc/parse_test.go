package taskdoc

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func guide(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/reference/task-document.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// example is the document that the guide shows.
func example(t *testing.T) string {
	t.Helper()
	_, rest, ok := strings.Cut(guide(t), "````md\n")
	text, _, closed := strings.Cut(rest, "````\n")
	if !ok || !closed {
		t.Fatal("the guide shows no document")
	}
	return text
}

// clean parses a document that has nothing wrong with it.
func clean(t *testing.T, text string) *Document {
	t.Helper()
	d, defects := Parse([]byte(text))
	for _, defect := range append(defects, d.Warnings...) {
		t.Error(defect)
	}
	if t.Failed() {
		t.FailNow()
	}
	return d
}

func TestTheTemplateRunsAsItIs(t *testing.T) {
	d := clean(t, Template())
	if want := defaults(); d.Bounds != want.Bounds || d.Supervisor != want.Supervisor || d.OuterLoop != want.OuterLoop {
		t.Error("the template says that its settings are the defaults")
	}
	if d.Goal == "" || d.Context == "" || d.Rollback == "" || len(d.Verification) == 0 || len(d.Tasks()) != 2 {
		t.Errorf("a part is missing: %+v", d)
	}
	if strings.Contains(d.Goal+d.Context+d.Rollback+d.Phases[0].Description+d.Tasks()[0].Description, "<!--") {
		t.Error("comments are not read")
	}
}

func TestTheExampleOfTheGuide(t *testing.T) {
	d := clean(t, example(t))
	if d.Title != "User authentication" || len(d.Phases) != 3 || len(d.Tasks()) != 5 || len(d.Notes) != 1 {
		t.Errorf("%q: %d phases, %d tasks, %d notes", d.Title, len(d.Phases), len(d.Tasks()), len(d.Notes))
	}
	if want := (Bounds{20, 7_500_000, 90 * time.Minute}); d.Bounds != want {
		t.Errorf("%+v", d.Bounds)
	}
	if want := (Supervisor{Enabled: true, PostTask: true, MaxRePlans: 2}); d.Supervisor != want {
		t.Errorf("%+v", d.Supervisor)
	}
	want := Task{ID: "1.2", Name: "Implement JWT authentication", Phase: 0, Line: 43,
		Description: "Tokens live for an hour, and are refreshed with a token of their own.",
		DependsOn:   []string{"1.1"}, Agents: []string{"claude", "codex"}, Files: []string{"src/auth/**", "src/middleware/auth.ts"}, Iterations: 10,
		Criteria: []Criterion{
			{"jwt_generation_working", "JWT generation working", "npm test -- auth/jwt", 53},
			{"tokens_expire_after_1h", "Tokens expire after 1h", "", 54},
		}}
	if diff := cmp.Diff(want, d.Tasks()[1]); diff != "" {
		t.Error(diff)
	}
}

// Each text means the same task.
func TestFieldsAsPeopleWriteThem(t *testing.T) {
	want := Task{ID: "2.1", Phase: 1, Name: "Do it", Description: "Because.\nReally.", DependsOn: []string{"1.1", "1.2"}, Agents: []string{"claude"},
		Files: []string{"a/*.go", "b/*_test.go"}, Iterations: 4, Criteria: []Criterion{{Key: "it_works", Text: "It works", Run: "make test"}}}
	const head = "# T\n## Goal\ng\n### Phase 1: one\n#### Task 1.1: a\n- [ ] x\n#### Task 1.2: b\n- [ ] x\n### Phase 2: two\n#### "
	for name, text := range map[string]string{
		"lines":           "Task 2.1: Do it\nBecause.\nReally.\n\nDepends on: 1.1, 1.2\nAgents: claude\nFiles: a/*.go, b/*_test.go\nMax iterations: 4\n\nSuccess criteria:\n- [ ] It works: `make test`\n",
		"bold":            "Task 2.1 - Do it\nBecause.\nReally.\n\n**Depends on:** Task 1.1 and 1.2.\n**Agents**: `claude`\n**Files:** `a/*.go` `b/*_test.go`\n__Max iterations:__ 4 iterations\n\n* [x] It works: ``make test``\n",
		"items":           "**Task 2.1: Do it**\nBecause.\nReally.\n\n- Depends on: 1.1; 1.2\n- **Agent:** claude\n- Files:\n  - a/*.go\n  - `b/*_test.go`\n- max_iterations: 4\n- Success criteria:\n  1. [ ] It works:\n     `make\n     test`\n",
		"headings":        "TASK 2.1 — Do it ####\n##### Description\nBecause.\nReally.\n##### Depends on\n1.1, 1.2\n##### Agents\n- claude\n##### Files\n- a/*.go\n- b/*_test.go\n##### Max iterations\n4\n##### Success criteria\n- [ ] It works: `make test`\n",
		"description":     "Task 2.1: Do it\nDescription: Because.\nReally.\n\nDepends on:\n1.1,\n1.2\nAgents:\nclaude\nFiles: a/*.go,\n  b/*_test.go\nMax iterations: `4`\n\n- [ ] It works: `make test`\n",
		"windows":         "Task 2.1: Do it\r\nBecause.\r\nReally.\r\n\r\nDepends on: 1.1, 1.2\r\nAgents: claude\r\nFiles: ./a/*.go, b//*_test.go\r\nMax iterations: 4\r\n\r\n- [ ] It works: `make test`\r\n",
		"said more often": "Task 2.1: Do it\nBecause.\nReally.\n\nDepends on: 1.1, 1.1\nDepends on: 1.2\nAgents: claude, claude\nFiles: a/*.go\nFiles: b/*_test.go, a/*.go\nMax iterations: 4\n\n- [ ] It works: `make test`\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := clean(t, head+text).Tasks()[2]
			got.Line, got.Criteria[0].Line = 0, 0
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextsAreKeptAsTheyAre(t *testing.T) {
	d := clean(t, "\ufeff# T\n\nBefore.\n\n## 🎯 Goal\n\nA *b*\n\n```md\n# no title\n### Phase 9: no phase\n- [ ] no criterion\n```\n---\n### More\n- x\n\n    code\n\n## Background\n> quoted\n> ### Phase 8: no phase\n\n## Architecture\nOld.\n\n"+
		"## Plan\n\n### Phase 1: one\nAbout it.\n#### Task 1.1: a\n1. first\n2. second\n   - deeper\n\n| a | b |\n| - | - |\n\n~~~\n- [ ] no\n~~~\n- [ ] It holds\n  in all cases\n  - [ ] Deeper too\n  - on Linux\n\n  and elsewhere\n")
	if want := "A *b*\n\n```md\n# no title\n### Phase 9: no phase\n- [ ] no criterion\n```\n\n### More\n\n- x\n\n    code"; d.Goal != want {
		t.Errorf("%q", d.Goal)
	}
	if want := "Before.\n\n> quoted\n> ### Phase 8: no phase"; d.Context != want {
		t.Errorf("%q", d.Context)
	}
	if diff := cmp.Diff([]Note{{"Architecture", "Old.", 24}}, d.Notes); diff != "" {
		t.Error(diff)
	}
	p := d.Phases[0]
	if want := "1. first\n2. second\n   - deeper\n\n| a | b |\n| - | - |\n\n~~~\n- [ ] no\n~~~"; p.Description != "About it." || p.Tasks[0].Description != want {
		t.Errorf("%q, %q", p.Description, p.Tasks[0].Description)
	}
	if diff := cmp.Diff([]Criterion{{"it_holds_in_all_cases", "It holds in all cases; on Linux and elsewhere", "", 42}, {"deeper_too", "Deeper too", "", 44}}, p.Tasks[0].Criteria); diff != "" {
		t.Error(diff)
	}
}

func TestVerificationCommands(t *testing.T) {
	const tail = "\n### Phase 1: p\n#### Task 1.1: t\n- [ ] x\n"
	d := clean(t, "# T\n## Goal\ng\n## Verification commands\nAll of:\n\n```bash\n# the tests\nmake test # all\nfor f in a b; do\n  test -e $f\ndone\ngo vet \\\n  ./...; true\n```\n- `make lint`\n- [ ] Builds: `make build`\n\nand\n\n    make demo\n"+tail)
	want := []Command{{"", "make test", 9}, {"", "for f in a b; do\n  test -e $f\ndone", 10}, {"", "go vet \\\n  ./...", 13}, {"", "true", 14}, {"", "make lint", 16}, {"Builds", "make build", 17}, {"", "make demo", 21}}
	for i := range want {
		if i < len(d.Verification) {
			d.Verification[i].Run = strings.TrimSuffix(d.Verification[i].Run, ";")
		}
	}
	if diff := cmp.Diff(want, d.Verification); diff != "" {
		t.Error(diff)
	}
}

func TestKeys(t *testing.T) {
	long := "The " + strings.Repeat("very ", 20) + "long one"
	for text, want := range map[string]string{
		"User model updated": "user_model_updated", "Coverage ≥ 80%!": "coverage_80", "`go vet` is *clean*": "go_vet_is_clean", "user's e-mail": "users_e_mail",
		"Größe stimmt": "größe_stimmt", "日本語": "日本語", "✓ – …": "", long: "the" + strings.Repeat("_very", 11), strings.Repeat("x", 99): strings.Repeat("x", 60),
		strings.Repeat("x", 60) + " y": strings.Repeat("x", 60),
	} {
		if got := key(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Only code at the very end, behind a colon, is a command.
func TestCodeInACriterionIsNotAlwaysACommand(t *testing.T) {
	d := clean(t, "# T\n## Goal\ng\n### Phase 1: p\n#### Task 1.1: t\n- [ ] It returns `nil`\n- [ ] It holds: `x` is set\n- [ ] Passed: `make test`\n")
	var got []string
	for _, c := range d.Tasks()[0].Criteria {
		got = append(got, c.Text+"|"+c.Run)
	}
	if diff := cmp.Diff([]string{"It returns `nil`|", "It holds: `x` is set|", "Passed|make test"}, got); diff != "" {
		t.Error(diff)
	}
}
