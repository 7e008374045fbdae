package drivestate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

func observed(t testing.TB, kind, data string) event.Row {
	t.Helper()
	r := event.Row{At: Stamp(t1), Kind: kind}
	if data != "" {
		v, err := lossless.Parse([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		r.Data = v
	}
	return r
}

func TestFoldTakesInWhatObserversSaw(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []event.Row
		want []string // changes of a drive in coding
	}{
		{"an edit", []event.Row{observed(t, event.Edit, `{"file":"b.go"}`)}, []string{"edit_counts.b.go: 1"}},
		{"more edits", []event.Row{observed(t, event.Edit, `{"file":"a.go"}`), observed(t, event.Edit, `{"file":"a.go"}`)}, []string{"edit_counts.a.go: 5"}},
		{"an edit of nothing", []event.Row{observed(t, event.Edit, `{"file":""}`), observed(t, event.Edit, `{"file":7}`), observed(t, event.Edit, `[]`), observed(t, event.Edit, "")}, nil},
		{"checked off", []event.Row{observed(t, event.Criterion, `{"issue":"42","id":"AC-03","checked":true}`)}, []string{`criteria_checked.42: ["AC-01","AC-02","AC-03"]`}},
		{"checked off twice", []event.Row{observed(t, event.Criterion, `{"issue":"42","id":"AC-01","checked":true}`)}, nil},
		{"taken back", []event.Row{observed(t, event.Criterion, `{"issue":"42","id":"AC-01","checked":false}`)}, []string{`criteria_checked.42: ["AC-02"]`}},
		{"taken back by silence", []event.Row{observed(t, event.Criterion, `{"issue":"42","id":"AC-02"}`)}, []string{`criteria_checked.42: ["AC-01"]`}},
		{"taken back though never checked", []event.Row{observed(t, event.Criterion, `{"issue":"42","id":"AC-09","checked":false}`)}, nil},
		{"of another issue", []event.Row{observed(t, event.Criterion, `{"issue":"43","id":"AC-01","checked":true}`)}, []string{`criteria_checked.43: ["AC-01"]`}},
		{"of nothing", []event.Row{observed(t, event.Criterion, `{"issue":"42","checked":true}`), observed(t, event.Criterion, `{"id":"AC-01","checked":false}`), observed(t, event.Criterion, "")}, nil},
		{"other kinds", []event.Row{observed(t, event.Gate, `{"file":"b.go"}`), observed(t, event.Document, `{"file":"b.go"}`), observed(t, "future", `{"file":"b.go"}`)}, nil},
		{"several", []event.Row{observed(t, "future", ""), observed(t, event.Edit, `{"file":"c.go"}`), observed(t, event.Criterion, `{"issue":"42","id":"AC-01","checked":true}`)}, []string{"edit_counts.c.go: 1"}},
	} {
		s := working(Coding)
		s.Checked = map[string][]string{"42": {"AC-01", "AC-02"}}
		before := tree(s)
		changed := s.Fold(c.rows, huge)
		got := changes(before, tree(s))
		if diff := cmp.Diff(c.want, got); diff != "" || changed != (len(c.want) > 0) {
			t.Errorf("%s: changed %v (-want +got):\n%s", c.name, changed, diff)
		}
	}
}

func TestTheFirstCriterionStartsTheList(t *testing.T) {
	s := New(Begin{Now: t0})
	row := observed(t, event.Criterion, `{"issue":"42","id":"AC-01","checked":true}`)
	if !s.Fold([]event.Row{row}, huge) || len(s.Checked["42"]) != 1 {
		t.Errorf("checked: %v", s.Checked)
	}
}

func TestADoomLoopIsRecordedOnceWhenAFileIsEditedTooOften(t *testing.T) {
	s, l := working(Coding), huge
	s.EditCounts, l.EditsPerFile = nil, 5
	edit := []event.Row{observed(t, event.Edit, `{"file":"src/a.go"}`)}
	for i := 1; i <= 9; i++ {
		s.Fold(edit, l)
		if want := min(1, max(0, i-5)); len(s.DoomLoops) != want {
			t.Fatalf("after edit %d: %d doom loops, want %d", i, len(s.DoomLoops), want)
		}
	}
	want := `{"file":"src/a.go","count":6,"phase":"coding","at":` + at1 + `}`
	if got := string(lossless.AppendCompact(nil, s.DoomLoops[0])); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	must(t, s, Step{Event: CodeComplete, Now: t1, Limits: huge})
	for range 6 {
		s.Fold(edit, l)
	}
	if len(s.DoomLoops) != 2 || s.EditCounts["src/a.go"] != 6 {
		t.Errorf("the next phase counts from the start: %d doom loops, %v", len(s.DoomLoops), s.EditCounts)
	}
}

func TestEditsOutsideADriveAreNotCounted(t *testing.T) {
	for _, p := range Table.States() {
		s := working(p)
		counted := s.Fold([]event.Row{observed(t, event.Edit, `{"file":"b.go"}`)}, huge)
		if want := p != Idle && p != Completed; counted != want || (s.EditCounts["b.go"] == 1) != want {
			t.Errorf("%s: counted %v, want %v", p, counted, want)
		}
	}
}

func TestFoldingLeavesOlderVersionsAlone(t *testing.T) {
	for data, want := range map[string][]string{
		`{"issue":"42","id":"AC-07","checked":true}`:  {"AC-01", "AC-02", "AC-07"},
		`{"issue":"42","id":"AC-01","checked":false}`: {"AC-02"},
	} {
		s := working(Coding)
		list := []string{"AC-01", "AC-02", "AC-03"}
		s.Checked = map[string][]string{"42": list[:2]}
		s.Fold([]event.Row{observed(t, event.Criterion, data)}, huge)
		if diff := cmp.Diff([]string{"AC-01", "AC-02", "AC-03"}, list); diff != "" {
			t.Errorf("%s changed the list that was there:\n%s", data, diff)
		}
		if diff := cmp.Diff(want, s.Checked["42"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", data, diff)
		}
	}
}
