package telemetry

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

func TestFold(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    []event.Row
		want    Session // apart from the id
		changed bool
	}{
		{"nothing", nil, Session{}, false},
		{"other sessions", []event.Row{row("other", event.Edit, "file", "a"), row("", event.AgentBegan), {Kind: event.AgentBegan}}, Session{}, false},
		{"other kinds", []event.Row{row("s", event.Denied), row("s", event.AgentEnded)}, Session{}, false},
		{"rows that say nothing", []event.Row{row("s", event.Edit), row("s", event.SlashCommand), row("s", event.ToolRecovered, "key", "k"), row("s", event.SessionBegan)}, Session{}, false},
		{"files, each once", []event.Row{row("s", event.Edit, "file", "b"), row("s", event.Edit, "file", "a"), row("s", event.Edit, "file", "b")},
			Session{FilesModified: []string{"b", "a"}}, true},
		{"commands", []event.Row{row("s", event.SlashCommand, "name", "b"), row("s", event.SlashCommand, "name", "a"), row("s", event.SlashCommand, "name", "b")},
			Session{CommandsExecuted: []string{"b", "a"}, CommandCounts: Counts{{"b", 2}, {"a", 1}}}, true},
		{"counters", []event.Row{row("s", event.AgentBegan), row("s", event.Compacted), row("s", event.Compacted), row("s", event.PermissionAsk), row("s", event.PermissionDeny)},
			Session{AgentsSpawned: 1, Compactions: 2, PermissionsAsked: 1, PermissionsDenied: 1}, true},
		{"one error, three failures", []event.Row{row("s", event.ToolFailed, "key", "k"), row("s", event.ToolFailed, "key", "k"), row("s", event.ToolFailed, "key", "k")},
			Session{ErrorsEncountered: 1, Failing: []string{"k"}}, true},
		{"two errors and one recovery", []event.Row{row("s", event.ToolFailed, "key", "k"), row("s", event.ToolRecovered, "key", "k"), row("s", event.ToolRecovered, "key", "k"), row("s", event.ToolFailed, "key", "k")},
			Session{ErrorsEncountered: 2, ErrorsRecovered: 1, Failing: []string{"k"}}, true},
		{"failures without a key", []event.Row{row("s", event.ToolFailed), row("s", event.ToolFailed), row("s", event.ToolRecovered)}, Session{ErrorsEncountered: 2}, true},
		{"the end", []event.Row{row("s", event.SessionEnded, "reason", "clear")}, Session{Ended: "2026-01-29T09:30:00Z", EndReason: "clear"}, true},
		{"an end without a time", []event.Row{{At: "then", Kind: event.SessionEnded, Data: row("s", "").Data}}, Session{Ended: "then"}, true},
		{"resumed", []event.Row{row("s", event.SessionEnded, "reason", "clear"), row("s", event.SessionBegan, "source", "resume")}, Session{}, true},
		{"a turn's error", []event.Row{row("s", event.SessionFailed, "error", "rate_limit"), row("s", event.SessionFailed, "error", "invalid_request", "details", "400")},
			Session{LastError: "invalid_request: 400"}, true},
		{"a turn's error, details alone", []event.Row{row("s", event.SessionFailed, "details", "400")}, Session{LastError: "400"}, true},
	} {
		s := &Session{SessionID: "s"}
		c.want.SessionID = "s"
		changed := s.Fold(c.rows)
		if (s.LastSeen != "") != c.changed {
			t.Errorf("%s: last seen %q", c.name, s.LastSeen)
		}
		s.LastSeen = ""
		same := lossless.Equal(lossless.Encode(s, nil), lossless.Encode(c.want, nil))
		if changed != c.changed || !same {
			t.Errorf("%s: %v, %s", c.name, changed, cmp.Diff(printed(lossless.Encode(c.want, nil)), printed(lossless.Encode(s, nil))))
		}
	}
	if (&Session{}).Fold([]event.Row{row("", event.AgentBegan)}) {
		t.Error("a document of no session took a row")
	}
}

func TestTheListsOfASessionAreBounded(t *testing.T) {
	s := &Session{SessionID: "s"}
	for i := range 1100 {
		n := fmt.Sprint(i)
		s.Fold([]event.Row{row("s", event.Edit, "file", n), row("s", event.SlashCommand, "name", n), row("s", event.ToolFailed, "key", n)})
	}
	if len(s.FilesModified) != MaxFiles || len(s.CommandsExecuted) != MaxCommands || len(s.CommandCounts) != MaxCommands || len(s.Failing) != maxFailing {
		t.Errorf("%d files, %d commands, %d counts, %d failing", len(s.FilesModified), len(s.CommandsExecuted), len(s.CommandCounts), len(s.Failing))
	}
	if s.ErrorsEncountered != 1100 || s.FilesModified[999] != "999" {
		t.Errorf("%d errors, last file %s", s.ErrorsEncountered, s.FilesModified[999])
	}
	if !s.Fold([]event.Row{row("s", event.SlashCommand, "name", "7")}) || s.CommandCounts[7].N != 2 {
		t.Error("a command that is listed is no longer counted")
	}
}

// However the rows are dealt out, the document comes out alike, and what comes
// out agrees with itself.
func TestFoldingInPartsIsFoldingAtOnce(t *testing.T) {
	kinds := []string{event.Edit, event.SessionBegan, event.SessionEnded, event.SessionFailed, event.SlashCommand, event.ToolFailed,
		event.ToolRecovered, event.AgentBegan, event.Compacted, event.PermissionAsk, event.PermissionDeny, event.Gate}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) event.Row {
			name := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "name")
			return row(rapid.SampledFrom([]string{"s", "s", "other"}).Draw(t, "session"), rapid.SampledFrom(kinds).Draw(t, "kind"),
				"file", name, "name", name, "key", name, "reason", name, "error", name)
		})).Draw(t, "rows")
		at := rapid.IntRange(0, len(rows)).Draw(t, "at")
		once, parts := &Session{SessionID: "s"}, &Session{SessionID: "s"}
		was := printed(lossless.Encode(once, nil))
		changed := once.Fold(rows)
		parts.Fold(rows[:at])
		doc := lossless.Encode(parts, nil)
		again := &Session{}
		if err := lossless.Decode(doc, again); err != nil {
			t.Fatal(err)
		}
		again.Fold(rows[at:])
		if diff := cmp.Diff(printed(lossless.Encode(once, nil)), printed(lossless.Encode(again, nil))); diff != "" {
			t.Fatal(diff)
		}
		if !changed && printed(lossless.Encode(once, nil)) != was {
			t.Fatal("changed and did not say so")
		}
		if once.ErrorsRecovered > once.ErrorsEncountered || len(once.CommandCounts) != len(once.CommandsExecuted) {
			t.Fatalf("%+v", once)
		}
	})
}

func TestCounts(t *testing.T) {
	for text, want := range map[string]string{
		`{"commands": [1]}`:        "commands must be an object, not an array",
		`{"commands": {"a": "1"}}`: "commands.a must be a whole number, not a string",
	} {
		if err := lossless.Decode(parse(t, text), &SessionMetrics{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	src := parse(t, `{"b": 1.0, "a": 2}`)
	var c Counts
	if err := c.FromJSON(src); err != nil || c.ToJSON(src) != src {
		t.Errorf("%v, %v", err, c)
	}
	if got := printed(c.add("a").add("c").ToJSON(src)); got != "{\n  \"b\": 1.0,\n  \"a\": 3,\n  \"c\": 1\n}" {
		t.Error(got)
	}
	null := parse(t, "null")
	if got := Counts(nil).ToJSON(null); got != null {
		t.Error(printed(got))
	}
	if got := printed(Counts{{"a", 1}}.ToJSON(null)); got != "{\n  \"a\": 1\n}" {
		t.Error(got)
	}
}

func TestOneLineEndsWithAWord(t *testing.T) {
	if got := oneLine(" a\n\tb ", 9) + oneLine("é é é é", 9); got != "a b"+"é é…" {
		t.Error(got)
	}
}
