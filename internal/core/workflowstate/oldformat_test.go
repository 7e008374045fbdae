package workflowstate

import (
	"errors"
	"strings"
	"testing"
)

const old = `{"status": "executing", "current_step": 5, "total_steps": 10}`

func TestTheOldFormatIsRecognised(t *testing.T) {
	err := Recognise(parse(t, old))
	var is *OldFormatError
	if !errors.As(err, &is) || *is != (OldFormatError{"executing", 5, 10}) {
		t.Fatal(err)
	}
	for _, want := range []string{"Migration is not automatic", "old workflows must complete under the old system", "warp workflow migrate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %q", want, err)
		}
	}
	for _, other := range []string{seed(t), `{}`, `[]`, `{"status": "x"}`, `{"orchestrator": {}, "current_step": 1}`, `{"current_step": "1"}`} {
		if err := Recognise(parse(t, other)); err != nil {
			t.Errorf("%.40s: %v", other, err)
		}
	}
	if err := Recognise(nil); err != nil {
		t.Error(err)
	}
}

func TestMigrate(t *testing.T) {
	for _, c := range []struct {
		text       string
		status     Status
		start, end string
		note       string
	}{
		{old, Executing, "2026-01-15T12:00:00Z", "", "the start is unknown"},
		{`{"status": "reviewing", "current_step": 5, "total_steps": 10, "started_at": "2026-01-01T01:00:00.5+01:00"}`, Reviewing, "2026-01-01T00:00:00Z", "", "migrated_from"},
		{`{"status": "done", "current_step": 5, "total_steps": 10, "end_time": "2026-01-02T00:00:00Z"}`, Completed, "2026-01-15T12:00:00Z", "2026-01-02T00:00:00Z", "step 5 of 10"},
		{`{"status": "error", "current_step": 5, "total_steps": 10}`, Failed, "2026-01-15T12:00:00Z", "2026-01-15T12:00:00Z", "the end is unknown"},
		{`{"status": "odd", "current_step": 5, "total_steps": 10}`, Executing, "2026-01-15T12:00:00Z", "", `unknown status "odd"`},
	} {
		s, notes := Migrate(parse(t, c.text), "/t.md", clock(12, 0, 0))
		if err := Validate(s); err != nil {
			t.Error(err)
		}
		end := ""
		if s.Orchestrator.EndTime != nil {
			end = *s.Orchestrator.EndTime
		}
		if s.Orchestrator.Status != c.status || s.Orchestrator.StartTime != c.start || end != c.end || !strings.Contains(strings.Join(notes, "\n"), c.note) {
			t.Errorf("%s: %+v, %q, %q", c.text, s.Orchestrator, end, notes)
		}
		if (s.Paused != nil) == s.Orchestrator.Status.Ended() || s.Orchestrator.OuterRalph != (c.status == Reviewing) {
			t.Errorf("%s: %+v", c.text, s.Paused)
		}
		text := string(Print(s, nil))
		if s.Orchestrator.CurrentTask != "5/10" || !strings.Contains(text, `"migrated_from": {`) || !strings.Contains(text, `"total_steps": 10`) {
			t.Errorf("%s", text)
		}
		if Recognise(parse(t, text)) != nil {
			t.Error("it is not old any more")
		}
	}
}
