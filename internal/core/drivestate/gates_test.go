package drivestate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGatesAreSeededFromTheSemanticOnesAndTheTargets(t *testing.T) {
	semantic := map[string]Gate{"code_complete": {Semantic: "diff_relevance_check"}, "docs_updated": {Semantic: "ac_count_check"}}
	s := New(Begin{Now: t0})
	if diff := cmp.Diff(semantic, s.Gates); diff != "" {
		t.Errorf("a new session (-want +got):\n%s", diff)
	}
	targets := map[Event][]string{CodeComplete: {"make lint", "make vet"}, TestsPassed: {"make type-check"}}
	seeded := map[string]Gate{
		"code_complete": {Semantic: "diff_relevance_check", Targets: []string{"make lint", "make vet"}},
		"docs_updated":  {Semantic: "ac_count_check"},
		"tests_passed":  {Targets: []string{"make type-check"}},
	}
	if diff := cmp.Diff(seeded, New(Begin{Now: t0, Targets: targets}).Gates); diff != "" {
		t.Errorf("a new session with targets (-want +got):\n%s", diff)
	}
	s.Gates = map[string]Gate{"code_complete": {}, "tests_passed": {Targets: []string{"true"}}, "not_an_event": {Semantic: "theirs"}}
	must(t, s, Step{Event: PrerequisitesOK, Now: t1, Limits: huge, Targets: targets})
	seeded["not_an_event"] = Gate{Semantic: "theirs"}
	if diff := cmp.Diff(seeded, s.Gates); diff != "" {
		t.Errorf("a document took a gate away (-want +got):\n%s", diff)
	}
	must(t, s, Step{Event: WorkSelected, Now: t1, Limits: huge})
	semantic["not_an_event"] = Gate{Semantic: "theirs"}
	if diff := cmp.Diff(semantic, s.Gates); diff != "" {
		t.Errorf("targets that were taken out of the settings (-want +got):\n%s", diff)
	}
}

func TestCriteriaGap(t *testing.T) {
	for _, c := range []struct {
		name    string
		index   int
		checked []string
		want    string
	}{
		{"agree", 2, []string{"AC-01", "AC-02", "AC-03"}, ""},
		{"agree in any order", 2, []string{"AC-03", "AC-01", "AC-02"}, ""},
		{"before any chunk", 0, nil, ""},
		{"missing", 2, []string{"AC-01"}, "not checked off: AC-02, AC-03 (run: warp issue check 42 AC-02 AC-03)"},
		{"of a later chunk", 1, []string{"AC-01", "AC-02", "AC-04"}, "checked off, but not part of the chunks done so far: AC-04 (run: warp issue check --undo 42 AC-04)"},
		{"both", 1, []string{"AC-01", "AC-09"}, "not checked off: AC-02 (run: warp issue check 42 AC-02); " +
			"checked off, but not part of the chunks done so far: AC-09 (run: warp issue check --undo 42 AC-09)"},
		{"past what was planned", 9, []string{"AC-01", "AC-02", "AC-03", "AC-04"}, ""},
		{"absurdly far past it", 1 << 62, []string{"AC-01", "AC-02", "AC-03", "AC-04"}, ""},
	} {
		s := working(UpdatingDocs)
		s.Chunk.Index = c.index
		s.Checked = map[string][]string{"42": c.checked, "43": {"AC-77"}}
		if got := s.CriteriaGap(); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestAnAbandonedChunkIsNotDone(t *testing.T) {
	s := working(Testing)
	s.Requirement = ptrTo("42")
	s.Checklist = Checklist{}
	s.Chunk = Chunk{Index: 2, Total: 2, ACs: [][]string{{"AC-1"}, {"AC-2"}}}
	s.Checked = map[string][]string{"42": {"AC-1", "AC-2"}}
	must(t, s, Step{Event: Abort, Now: t1, Limits: huge})
	if got := s.Checked["42"]; len(got) != 1 || got[0] != "AC-1" {
		t.Errorf("checked off after the abort: %v", got)
	}
}

func TestWhatWasDoneBeforeTheChunksWereDefinedIsNoGap(t *testing.T) {
	s := working(Chunking)
	s.Requirement = ptrTo("42")
	s.Checked = map[string][]string{"42": {"AC-1"}}
	must(t, s, Step{Event: ChunksDefined, Data: Data{Chunks: [][]string{{"AC-2"}}}, Now: t1, Limits: huge})
	if gap := s.CriteriaGap(); gap == "" || strings.Contains(gap, "AC-1") {
		t.Errorf("gap: %s", gap)
	}
	s.Checked["42"] = []string{"AC-1", "AC-2"}
	if gap := s.CriteriaGap(); gap != "" {
		t.Errorf("gap: %s", gap)
	}
}
