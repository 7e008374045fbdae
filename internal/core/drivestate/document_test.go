package drivestate

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// opened reads a state document of testdata.
func opened(t testing.TB, name string) (*State, *lossless.Value) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := lossless.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := &State{}
	if err := lossless.Decode(doc, s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := Validate(s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s, doc
}

func TestADocumentThatNobodyChangedIsWrittenBackAsItWas(t *testing.T) {
	for _, name := range []string{"seed-state.json", "foreign-state.json"} {
		s, doc := opened(t, name)
		if got := lossless.Encode(s, doc); got != doc {
			t.Errorf("%s: %s", name, cmp.Diff(string(lossless.AppendIndent(nil, doc)), string(lossless.AppendIndent(nil, got))))
		}
	}
}

// The documents are carried over an event and written: the golden files show
// what changed, and that nothing else did.
func TestDocumentsOfOthersKeepWhatIsNotOurs(t *testing.T) {
	for name, golden := range map[string]string{"seed-state.json": "seed-state-after.json", "foreign-state.json": "foreign-state-after.json"} {
		s, doc := opened(t, name)
		out := must(t, s, Step{Event: CodeComplete, Now: t1, Limits: huge})
		if out.To != UpdatingDocs {
			t.Errorf("%s: %+v", name, out)
		}
		after := lossless.Encode(s, doc)
		got := string(lossless.AppendIndent(nil, after)) + "\n"
		if *update {
			if err := os.WriteFile("testdata/"+golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
		wantChanges := []string{
			"budgets.phase_started_at: " + at1,
			"edit_counts.src/file.ts: gone",
			"edit_counts: {}",
			`history: ` + strings.TrimSuffix(compact(doc.Get("history")), "]") + `,{"phase":"updating_docs","at":` + at1 + `,"from":"coding","event":"code_complete"}]`,
			"metrics.session_duration_minutes: 10",
			`phase: "updating_docs"`,
		}
		if diff := cmp.Diff(wantChanges, changes(doc, after)); diff != "" {
			t.Errorf("%s: what changed (-want +got):\n%s", name, diff)
		}
		inOrder(t, name, doc, after)
	}
}

func compact(v *lossless.Value) string { return string(lossless.AppendCompact(nil, v)) }

// inOrder checks that all members that two versions share stand in the same
// order, at every depth.
func inOrder(t *testing.T, path string, was, is *lossless.Value) {
	t.Helper()
	keys := func(v, other *lossless.Value) (list []string) {
		for _, m := range v.Members {
			if other.Get(m.Key) != nil {
				list = append(list, m.Key)
			}
		}
		return list
	}
	if diff := cmp.Diff(keys(was, is), keys(is, was)); diff != "" {
		t.Errorf("%s: members moved:\n%s", path, diff)
	}
	for _, m := range was.Members {
		if now := is.Get(m.Key); now != nil {
			inOrder(t, path+"."+m.Key, m.Value, now)
		}
	}
	for i := range min(len(was.Elems), len(is.Elems)) {
		inOrder(t, path+"[]", was.Elems[i], is.Elems[i])
	}
}

func TestUnknownMembersSurviveAWholeDrive(t *testing.T) {
	s, doc := opened(t, "foreign-state.json")
	for _, on := range []Event{CodeComplete, DocsUpdated, TestsFailed, CodeComplete, DocsUpdated, TestsPassed, Committed, ReportFiled, NextChunk, Abort, Restart, Start} {
		must(t, s, Step{Event: on, Now: t1, Limits: huge})
	}
	after := lossless.Encode(s, doc)
	was, is := map[string]string{}, map[string]string{}
	flatten(was, "", doc)
	flatten(is, "", after)
	for _, path := range []string{
		"$schema", "session.host.name", "session.host.cores", "session.tty", "chunk.title", "checklist.linted", "budgets.dollars",
		"gates.their_gate.semantic", "gates.their_gate.weight", "gates.code_complete.since", "plugins", "metrics.coffee", "token_usage.model", "doom_loop_events",
		"token_usage.session_total.input", "trailing",
	} {
		if was[path] == "" || is[path] != was[path] {
			t.Errorf("%s was %s and became %s", path, was[path], is[path])
		}
	}
	for name, part := range map[string]string{"history": `{"phase":"prerequisites","at":"...","who":"me"}`, "completed_chunks": `{"index":0,"extra":{"deep":[1.0,{"deeper":true}]}}`} {
		if !strings.HasPrefix(is[name], "["+part+",") {
			t.Errorf("%s: %s", name, is[name])
		}
	}
	inOrder(t, "", doc, after)
}

func TestDocumentsThatAreNoneAreToldApart(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "the document must be an object, not an array", `{"phase":7}`: "phase must be a string, not a number",
		`{"history":[{"phase":"coding"},{"reasons":[7]}]}`: "history[1].reasons[0] must be a string, not a number",
		`{"chunk":{"acs":[["AC-01"],"AC-02"]}}`:            "chunk.acs[1] must be an array, not a string",
		`{"gates":{"code_complete":"x"}}`:                  "gates.code_complete must be an object, not a string",
		`{"edit_counts":{"src/a.go":"3"}}`:                 "edit_counts.src/a.go must be a whole number, not a string",
	} {
		doc, err := lossless.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := lossless.Decode(doc, &State{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
