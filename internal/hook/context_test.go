//go:build unix

package hook_test

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/questions"
	"warp/internal/durable"
)

// A session is told the same at its start, at a prompt and after a compaction.
func TestTheContextTellsWhatASessionNeedsToGoOn(t *testing.T) {
	p := newProject(t)
	p.write(".claude/issues/42.md", "---\ntitle: Read mail\n---\n\n- [ ] AC-01: parse mail\n- [ ] AC-02: keep attachments\n")
	driveOn(t, p, 3)
	if _, err := p.drive.Criteria.RecordFromFile("42"); err != nil {
		t.Fatal(err)
	}
	p.walk(drivestate.Testing)
	p.fire(drivestate.TestsFailed, `{"failure":"TestParse: got 1, want 2"}`)
	doc := durable.Open(p.drive.Project.Home(), questions.File, durable.Kind[questions.Book]{Name: questions.Name, Version: questions.Version})
	if _, err := doc.Update(func(tx *durable.Tx[questions.Book]) error {
		tx.Doc = &questions.Book{Version: questions.Version}
		tx.Doc.Ask(questions.Question{Text: "Which charset?", Root: p.root}, time.Now(), time.Hour)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		event string
		more  payload
	}{{"SessionStart", payload{"source": "startup"}}, {"SessionStart", payload{"source": "compact"}}, {"UserPromptSubmit", payload{"prompt": "where are we"}}} {
		told := p.hook(c.event, c.more).Specific.Context
		if len(told) > drivestate.MaxContext {
			t.Errorf("%s: %d bytes", c.event, len(told))
		}
		for _, part := range []string{
			"phase: coding", `#42 "Read mail"`, "- [x] AC-01: parse mail", "- [ ] AC-02: keep attachments",
			"Last failure (tests_failed): TestParse: got 1, want 2", "Waiting until ", "an answer to q1: Which charset?", "code_complete (to updating_docs)",
		} {
			if !strings.Contains(told, part) {
				t.Errorf("%s %v: %q is missing in:\n%s", c.event, c.more, part, told)
			}
		}
	}
	if a := p.hook("UserPromptSubmit", payload{"session_id": "another", "prompt": "hello"}); a.Out != "" {
		t.Errorf("another session is told: %s", a.Out)
	}
}
