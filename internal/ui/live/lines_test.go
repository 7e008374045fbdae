package live_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/live"
)

// lines are what an output that is no terminal gets.
func lines(t *testing.T, o live.Options, notes func(*live.View)) string {
	var b strings.Builder
	synctest.Test(t, func(t *testing.T) {
		o.Now = now
		v := live.New(&b, o)
		notes(v)
		v.Close()
	})
	return b.String()
}

func TestPlainLines(t *testing.T) {
	got := lines(t, live.Options{Color: true, Verbose: true}, func(v *live.View) {
		v.Note(drive.Note{Kind: drive.Phased, Move: drive.Move{From: drivestate.Prerequisites, Phase: drivestate.Discovering, Event: drivestate.PrerequisitesOK}})
		note(v, began, coding, drive.Note{Kind: drive.Criteria, Criteria: criteria(3, 0, 2)}, asked, said("text", "", "hello"), said("tool", "Bash", "ls"),
			drive.Note{Kind: drive.AgentSaid, Speaker: drive.Speaker{Said: &agent.Event{Kind: "note", Text: "session 1", Session: "1"}}}, said("note", "Bash", "not permitted: rm"),
			drive.Note{Kind: drive.AgentEnded, Text: "done"}, drive.Note{Kind: drive.Gated, Passed: yes(), Text: "diff_relevance"}, drive.Note{Kind: drive.Gated, Passed: no(), Text: "lint: 2 errors"},
			drive.Note{Kind: drive.Tested, Passed: no(), Text: "TestX\nTestY"}, drive.Note{Kind: drive.Tested, Passed: yes(), Text: "go test ./..."}, drive.Note{Kind: drive.Tested, Text: "not run, as the settings say"},
			drive.Note{Kind: drive.Judged, Passed: no(), Text: "AC-01: nothing is printed"}, drive.Note{Kind: drive.Committed, Link: drive.Link{Hash: "0123456789abcdef"}, Text: "feat: x"},
			drive.Note{Kind: drive.Criteria, Criteria: criteria(3, 2, 1)}, drive.Note{Kind: drive.Criteria, Criteria: criteria(3, 2, 1)},
			drive.Note{Kind: drive.Filed, Link: drive.Link{Number: 57, URL: "https://example.org/57"}, Text: "report"}, drive.Note{Kind: drive.Intervened, Text: "a commit was taken back"},
			drive.Note{Kind: drive.Asked, Text: "Which? The first."}, drive.Note{Kind: drive.Skipped, Move: drive.Move{Chunk: 2, Total: 5}, Text: "chunk 2 was given up: 3 tries"},
			drive.Note{Kind: drive.Waiting, Text: "usage limit", Until: now().Add(42 * time.Minute)})
		time.Sleep(42 * time.Minute)
		note(v, drive.Note{Kind: drive.Waiting}, drive.Note{Kind: drive.Ended, Meter: drive.Meter{Tokens: 1200, MicroUSD: 20_000}, Outcome: &evidence.Outcome{Result: evidence.Person, Why: "it conflicts", Do: "warp resume"}})
	})
	want(t, got, `
2000-01-01T00:00:00Z - phase      prerequisites -> discovering (prerequisites_ok)
2000-01-01T00:00:00Z #42 began      Greet people
2000-01-01T00:00:00Z #42 phase      chunking -> coding (chunks_defined), chunk 2/5
2000-01-01T00:00:00Z #42 agent      claude (code)
2000-01-01T00:00:00Z #42 said       claude (code): Bash not permitted: rm
2000-01-01T00:00:00Z #42 ran        claude (code): done
2000-01-01T00:00:00Z #42 gate       failed: lint: 2 errors
2000-01-01T00:00:00Z #42 test       failed: TestX TestY
2000-01-01T00:00:00Z #42 test       passed: go test ./...
2000-01-01T00:00:00Z #42 test       not run, as the settings say
2000-01-01T00:00:00Z #42 verdict    not met: AC-01: nothing is printed
2000-01-01T00:00:00Z #42 commit     0123456789 feat: x
2000-01-01T00:00:00Z #42 criteria   2/3 done: AC-01, AC-02
2000-01-01T00:00:00Z #42 filed      #57 report https://example.org/57
2000-01-01T00:00:00Z #42 intervened a commit was taken back
2000-01-01T00:00:00Z #42 decision   Which? The first.
2000-01-01T00:00:00Z #42 skipped    chunk 2 was given up: 3 tries
2000-01-01T00:00:00Z #42 wait       usage limit: waiting until 2000-01-01T00:42:00Z (in 42 min)
2000-01-01T00:42:00Z #42 wait       usage limit: the wait is over
2000-01-01T00:42:00Z #42 end        needs_person; why: it conflicts; do: warp resume; criteria: 2/3 done; spent: 1200 tokens, $0.02, 42m0s
`)
}

// What an agent does not tell is not nothing.
func TestACostThatIsNotKnown(t *testing.T) {
	for text, n := range map[string]drive.Note{
		"spent: cost unknown, 0s\n":                {},
		"spent: 1200 tokens, cost unknown, 0s\n":   {Meter: drive.Meter{Tokens: 1200}},
		"spent: 1200 tokens, at least $0.02, 0s\n": {Meter: drive.Meter{Tokens: 1200, MicroUSD: 20_000}},
	} {
		n.Kind, n.Unpriced = drive.AgentEnded, true
		got := lines(t, live.Options{}, func(v *live.View) {
			note(v, began, n, drive.Note{Kind: drive.AgentEnded, Text: "done"}, drive.Note{Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.Failed}})
		})
		once(t, got, text)
	}
	// All agents ran before it was resumed.
	got := lines(t, live.Options{}, func(v *live.View) {
		spent := evidence.Effort{Cost: evidence.Cost{Unpriced: 2}}
		note(v, began, drive.Note{Kind: drive.Ended, Meter: drive.Meter{Spent: spent}, Outcome: &evidence.Outcome{Result: evidence.Merged, Epoch: 1}})
	})
	once(t, got, "spent: cost unknown, 0s\n")
}

func TestJSONLines(t *testing.T) {
	reset := time.Date(2000, 1, 1, 15, 0, 0, 0, time.FixedZone("", 3600))
	got := lines(t, live.Options{JSON: true, Terminal: true, Color: true}, func(v *live.View) {
		note(v, coding, said("tool", "Bash", "echo \"<a>\"\n\x1b[2J"), drive.Note{Kind: drive.AgentSaid, Speaker: drive.Speaker{Said: &agent.Event{Kind: "limit", Text: "usage limit", Reset: &reset}}},
			drive.Note{Kind: drive.Tested, Passed: no(), Text: "TestX", Meter: drive.Meter{Tokens: 5, MicroUSD: 7, Left: 90 * time.Second}},
			drive.Note{Kind: drive.Ended, Outcome: &evidence.Outcome{Issue: "42", Result: evidence.Merged}})
	})
	var list []map[string]any
	for l := range strings.Lines(got) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%v: %q", err, l)
		}
		for k, v := range map[string]any{"at": "2000-01-01T00:00:00Z", "issue": "42", "title": "Greet people"} {
			if m[k] != v {
				t.Errorf("%s is %v", k, m[k])
			}
			delete(m, k)
		}
		list = append(list, m)
	}
	if diff := cmp.Diff([]map[string]any{
		{"kind": "phase", "from": "chunking", "phase": "coding", "event": "chunks_defined", "chunk": 2.0, "total": 5.0},
		{"kind": "said", "agent": "claude", "said": "tool", "tool": "Bash", "text": "echo \"<a>\"\n\x1b[2J"},
		{"kind": "said", "said": "limit", "text": "usage limit", "until": "2000-01-01T14:00:00Z"},
		{"kind": "test", "passed": false, "text": "TestX", "tokens": 5.0, "micro_usd": 7.0, "left_seconds": 90.0},
		{"kind": "end", "outcome": map[string]any{"issue": "42", "result": "merged"}},
	}, list); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(got, `echo \"<a>\"`) {
		t.Errorf("characters of HTML are escaped: %s", got)
	}
}

func FuzzALineForANote(f *testing.F) {
	f.Add("test", "42", "text\nmore", "日本\x1b[2J", 5)
	f.Add("end", "", "\xff", "\u202e", 0)
	f.Fuzz(func(t *testing.T, kind, issue, text, title string, n int) {
		got := lines(t, live.Options{}, func(v *live.View) {
			v.Note(drive.Note{Kind: drive.Kind(kind), Issue: issue, Text: text, Title: title, Move: drive.Move{Chunk: n, Total: n}, Link: drive.Link{Number: n}, Meter: drive.Meter{Tokens: int64(n), Left: time.Duration(n)}, Speaker: drive.Speaker{Said: &agent.Event{Kind: kind, Text: text, Tool: title}}, Criteria: []drive.Criterion{{ID: issue, Text: text, Done: n > 0}}})
		})
		if strings.Count(got, "\n") > 2 || strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q", got)
		}
	})
}
