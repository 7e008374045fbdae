package telemetry

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/errorclass"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// clock is a time of the documents' day.
func clock(hour, minute, second int) time.Time {
	return time.Date(2026, 1, 29, hour, minute, second, 0, time.UTC)
}

func parse(t testing.TB, text string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func documented(t testing.TB, name string) *lossless.Value {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, string(text))
	if sum := v.Get("summary"); sum != nil { // ours counts all that there is, so that it adds up
		v = v.With("summary", sum.With("queued", lossless.NewInt(0)).With("logged", lossless.NewInt(0)))
	}
	return v
}

func printed(v *lossless.Value) string { return string(lossless.AppendIndent(nil, v)) }

// ours are the members that the documents' schema does not have, by type.
var ours = map[string]lossless.Kind{
	"session": lossless.String, "sessions": lossless.Object, "key": lossless.String, "command_counts": lossless.Object, "last_seen": lossless.String,
}

// bare is a document without the members that are ours.
func bare(v *lossless.Value) *lossless.Value {
	out := &lossless.Value{Kind: v.Kind, Raw: v.Raw}
	for _, e := range v.Elems {
		out.Elems = append(out.Elems, bare(e))
	}
	for _, m := range v.Members {
		if kind, is := ours[m.Key]; !is || kind != m.Value.Kind {
			out.Members = append(out.Members, lossless.Member{Key: m.Key, Value: bare(m.Value)})
		}
	}
	return out
}

// row makes a row of a session's journal; pairs are names and texts.
func row(session, kind string, pairs ...string) event.Row {
	data := lossless.NewObject(lossless.Member{Key: "session", Value: lossless.NewString(session)})
	for i := 0; i < len(pairs); i += 2 {
		data = data.With(pairs[i], lossless.NewString(pairs[i+1]))
	}
	return event.Row{At: "2026-01-29T09:30:00.123Z", Kind: kind, Data: data}
}

func TestDocumentsAreTheDocumentedOnes(t *testing.T) {
	for name, doc := range map[string]any{
		"current": exampleSession(), "active": exampleAgents(), "result": exampleResult(),
		"classified": exampleErrors(t), "metrics": exampleMetrics(), "backup": exampleBackup(),
	} {
		want, got := printed(documented(t, name)), printed(bare(lossless.Encode(doc, nil)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Documents as they are when nothing has happened: no member of
// the schema is missing, and none is null that has another type.
func TestEmptyDocuments(t *testing.T) {
	for want, doc := range map[string]any{
		`{"agents":[],"total_spawned":0,"total_completed":0,"session_id":""}`:                               &Agents{},
		`{"errors":[],"summary":{"total":0,"recovered":0,"pending":0,"escalated":0,"queued":0,"logged":0}}`: &Errors{},
		`{"sessions":[]}`: &Metrics{},
		`{"session_id":"s","started":"2026-01-29T09:00:00Z","git_branch":"","git_commit_start":"","working_directory":"","hooks_version":"3.0",` +
			`"commands_executed":[],"agents_spawned":0,"files_modified":[],"errors_encountered":0,"errors_recovered":0}`: Begin(Beginning{Session: "s", At: clock(9, 0, 0)}),
		`{"timestamp":"2026-01-29T09:00:00Z","reason":"manual","preserved":{"loop_state":null,"work_queue":null,"active_agents":null,"session":null},` +
			`"context_tokens_before":0,"files_in_context":[]}`: NewBackup("manual", Preserved{}, Facts{}, clock(9, 0, 0)),
		`{"agent_id":"","type":"","task":"","started":"","completed":"2026-01-29T09:00:00Z","duration_seconds":0,"status":"failed","findings":[],` +
			`"recommendations":[],"files_analyzed":[],"metrics":{"files_read":0,"issues_found":0}}`: NewResult(Agent{}, StopFacts{}, clock(9, 0, 0)),
	} {
		if got := string(lossless.AppendCompact(nil, lossless.Encode(doc, nil))); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// foreign is a document with a member that is not ours in every object.
func foreign(v *lossless.Value) *lossless.Value {
	out := &lossless.Value{Kind: v.Kind, Raw: v.Raw}
	for _, e := range v.Elems {
		out.Elems = append(out.Elems, foreign(e))
	}
	for _, m := range v.Members {
		out.Members = append(out.Members, lossless.Member{Key: m.Key, Value: foreign(m.Value)})
	}
	if v.Kind == lossless.Object && v.Get("loop") == nil { // an object of counts has no room for others
		out.Members = append([]lossless.Member{{Key: "theirs", Value: lossless.NewString("kept")}}, out.Members...)
	}
	return out
}

func TestWhatOthersAddIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		doc    any
		change func(any)
	}{
		"current": {&Session{}, func(d any) {
			d.(*Session).Fold([]event.Row{row(sid, event.SlashCommand, "name", "fix"), row(sid, event.SessionEnded, "reason", "clear")})
		}},
		"active": {&Agents{}, func(d any) {
			d.(*Agents).Start(Agent{ID: "new"}, "s2")
			d.(*Agents).Start(Agent{ID: "agent-uuid-1234", Task: "again"}, "s2")
			d.(*Agents).Stop("new", true)
		}},
		"result": {&Result{}, func(d any) {
			r := d.(*Result)
			r.Findings = append([]Finding{{Title: "first"}}, r.Findings...)
		}},
		"classified": {&Errors{}, func(d any) {
			e := d.(*Errors)
			e.Fail(Failure{Class: errorclass.Unknown}, clock(1, 0, 0))
			e.Errors[0].Session, e.Errors[0].Key = "s", "k"
			e.Recover("s", "k", clock(2, 0, 0))
		}},
		"metrics": {&Metrics{}, func(d any) {
			d.(*Metrics).Add(&Session{SessionID: sid}, AgentCounts{}, Summary{}, Quality{}, clock(1, 0, 0))
			d.(*Metrics).Add(&Session{SessionID: "other"}, AgentCounts{}, Summary{}, Quality{}, clock(1, 0, 0))
		}},
		"backup": {&Backup{}, func(d any) { d.(*Backup).Reason = "manual" }},
	} {
		src := foreign(documented(t, name))
		if err := lossless.Decode(src, c.doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := lossless.Encode(c.doc, src); got != src {
			t.Errorf("%s changed though nobody changed it: %s", name, printed(got))
		}
		c.change(c.doc)
		after := printed(lossless.Encode(c.doc, src))
		if was, is := strings.Count(printed(src), "theirs"), strings.Count(after, "theirs"); is != was || after == printed(src) {
			t.Errorf("%s: %d members of others became %d:\n%s", name, was, is, after)
		}
	}
}

// When an element goes, what others added to the next one stays with it.
func TestWhatOthersAddMovesWithItsElement(t *testing.T) {
	for text, c := range map[string]struct {
		doc    any
		change func(any)
	}{
		`{"agents": [{"id": "1", "theirs": 1}, {"id": "2", "theirs": 2}]}`:           {&Agents{}, func(d any) { d.(*Agents).Stop("1", false) }},
		`{"errors": [{"session": "1", "theirs": 1}, {"session": "2", "theirs": 2}]}`: {&Errors{}, func(d any) { d.(*Errors).Drop("1") }},
		`{"sessions": [{"session_id": "1", "theirs": 1}, {"session_id": "2", "theirs": 2}]}`: {&Metrics{}, func(d any) {
			m := d.(*Metrics)
			m.Sessions = m.Sessions[1:]
		}},
	} {
		src := parse(t, text)
		if err := lossless.Decode(src, c.doc); err != nil {
			t.Fatal(err)
		}
		c.change(c.doc)
		list := lossless.Encode(c.doc, src).Members[0].Value.Elems
		if n, _ := list[0].Get("theirs").Int(); len(list) != 1 || n != 2 {
			t.Errorf("%s: %s", text, printed(list[0]))
		}
	}
}
