package drivestate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
)

const (
	at0 = `"2026-05-08T15:57:00.000Z"`
	at1 = `"2026-05-08T16:07:00.000Z"`
)

// What newChunk does, as every row that begins one has it.
var newChunk = []string{
	"budgets.coding_cycles: 0", "budgets.no_progress.count: gone", "budgets.no_progress.diff: gone", "budgets.no_progress.signature: gone",
	"budgets.retry_count: 0", "checklist.committed: false", "checklist.docs_updated: false", "checklist.report_filed: false", "checklist.tests_passed: false",
}

func with(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}

// Each row is an event, what comes with it, and all it changes in the document
// besides what every move changes.
var eventEffects = []struct {
	from Phase
	on   Event
	data Data
	want []string
}{
	{Idle, Start, Data{}, with(newChunk, []string{"budgets.session_allowance_from: " + at1, "budgets.chunks_allowance_from: 1"})},
	{Prerequisites, PrerequisitesOK, Data{}, nil},
	{Discovering, WorkSelected, Data{Requirement: "43", Branch: "feature/issue-43"}, with(newChunk, []string{`requirement: "43"`, `branch: "feature/issue-43"`,
		"chunk.acs: []", "chunk.base: gone", "chunk.index: 0", "chunk.total: 0", "completed_chunks: []"})},
	{Discovering, NoWork, Data{}, nil},
	{Planning, PlanReady, Data{}, nil},
	{Chunking, ChunksDefined, Data{Chunks: [][]string{{"AC-1"}, {"AC-2", "AC-3"}}}, with(newChunk, []string{
		`chunk.acs: [["AC-1"],["AC-2","AC-3"]]`, `chunk.base: "tree-1"`, "chunk.index: 1", "chunk.total: 2", "token_usage.current_chunk_started_at: " + at1})},
	{Chunking, ChunksDefined, Data{}, with(newChunk, []string{`chunk.base: "tree-1"`, "chunk.index: 1", "token_usage.current_chunk_started_at: " + at1})},
	{Coding, CodeComplete, Data{}, nil},
	{UpdatingDocs, DocsUpdated, Data{}, []string{"checklist.docs_updated: true"}},
	{Testing, TestsPassed, Data{}, []string{"checklist.tests_passed: true", "metrics.tests_run: 8"}},
	{Testing, TestsFailed, Data{}, []string{"budgets.coding_cycles: 2", "budgets.retry_count: 3",
		"checklist.committed: false", "checklist.docs_updated: false", "checklist.report_filed: false", "checklist.tests_passed: false", "metrics.tests_run: 8"}},
	{Committing, Committed, Data{Commit: "2222222"}, []string{"checklist.committed: true", `commit_hashes: ["1111111","2222222"]`, "metrics.commits: 5"}},
	{Committing, Committed, Data{Commit: "1111111"}, []string{"checklist.committed: true"}},
	{Committing, Committed, Data{}, []string{"checklist.committed: true", "metrics.commits: 5"}},
	{Committing, CommitWithDocGate, Data{Commit: "2222222"}, []string{"checklist.committed: true", `commit_hashes: ["1111111","2222222"]`, "metrics.commits: 5"}},
	{Committing, CommitWithDocGate, Data{}, []string{"checklist.committed: true", "metrics.commits: 5"}},
	{DocDriftCheck, DriftClean, Data{}, nil},
	{DocDriftCheck, DriftClean, Data{Commit: "3333333"}, []string{`commit_hashes: ["1111111","3333333"]`, "metrics.commits: 5"}},
	{DocDriftCheck, DriftBlocked, Data{}, []string{"budgets.coding_cycles: 2", "budgets.retry_count: 3",
		"checklist.committed: false", "checklist.docs_updated: false", "checklist.report_filed: false", "checklist.tests_passed: false"}},
	{Reporting, ReportFiled, Data{}, []string{"checklist.report_filed: true", `completed_chunks: [1,{"index":2,"acs":["AC-03"],"at":` + at1 + "}]",
		"metrics.chunks_completed: 2", "metrics.reports_filed: 2"}},
	{ChunkComplete, NextChunk, Data{Tokens: ptr(1500)}, with(newChunk, []string{`chunk.base: "tree-1"`, "chunk.index: 3", "token_usage.session_total: 1500",
		`token_usage.chunk_snapshots: [{"chunk":2,"started_at":` + at0 + `,"completed_at":` + at1 + `,"session_total":1500}]`, "token_usage.current_chunk_started_at: " + at1})},
	{ChunkComplete, RequirementDone, Data{}, []string{"budgets.no_progress.count: gone", "budgets.no_progress.diff: gone", "budgets.no_progress.signature: gone", "budgets.retry_count: 0",
		`token_usage.chunk_snapshots: [{"chunk":2,"started_at":` + at0 + `,"completed_at":` + at1 + `,"session_total":1000}]`, "token_usage.current_chunk_started_at: null"}},
	{RequirementComplete, MergeReady, Data{}, nil},
	{Merging, Merged, Data{}, nil},
	{Merging, MergeFailed, Data{}, []string{"budgets.retry_count: 3"}},
	{Merging, PushFailed, Data{}, []string{"budgets.retry_count: 3"}},
	{AwaitingContinue, ContinueYes, Data{}, with(newChunk, []string{"branch: null", "requirement: null",
		"chunk.acs: []", "chunk.base: gone", "chunk.index: 0", "chunk.total: 0", "completed_chunks: []"})},
	{AwaitingContinue, ContinueYes, Data{Requirement: "43", Branch: "b"}, with(newChunk, []string{`branch: "b"`, `requirement: "43"`,
		"chunk.acs: []", "chunk.base: gone", "chunk.index: 0", "chunk.total: 0", "completed_chunks: []"})},
	{AwaitingContinue, ContinueNo, Data{}, nil},
	{SessionEnding, SessionEnded, Data{Tokens: ptr(2000)}, []string{"token_usage.session_total: 2000"}},
	{BudgetExceeded, BudgetContinue, Data{}, nil},
	{BudgetExceeded, BudgetAbort, Data{}, []string{"aborted: true"}},
	{Coding, Abort, Data{}, []string{"aborted: true"}},
	{Aborted, AbortResolved, Data{Commit: "4444444"}, []string{`commit_hashes: ["1111111","4444444"]`, "metrics.commits: 5"}},
	{Aborted, AbortCleanupFailed, Data{}, nil},
	{Aborted, Restart, Data{}, []string{"aborted: false"}},
}

func ptr(n int64) *int64 { return &n }

func TestWhatEachEventChanges(t *testing.T) {
	seen := map[Event]bool{}
	for _, c := range eventEffects {
		seen[c.on] = true
		s := working(c.from)
		if c.on == DocsUpdated || c.on == TestsPassed || c.on == Committed || c.on == CommitWithDocGate || c.on == ReportFiled {
			s.Checklist = Checklist{}
		}
		before := tree(s)
		rows := len(s.History)
		must(t, s, Step{Event: c.on, Data: c.data, Now: t1, Limits: huge, Tree: "tree-1"})
		to, _ := Table.Next(c.from, c.on)
		move := []string{`metrics.session_duration_minutes: 10`}
		if to != c.from {
			if !c.from.Trips() && c.from != Idle { // waiting is not charged; a start begins anew anyway
				move = append(move, "session.paused_seconds: 600")
			}
			move = append(move, "phase: \""+string(to)+`"`, "budgets.phase_started_at: "+at1, "edit_counts: {}", "edit_counts.a.go: gone")
		}
		got := slices.DeleteFunc(changes(before, tree(s)), func(line string) bool { return len(line) > 9 && line[:9] == "history: " })
		if diff := cmp.Diff(with(c.want, move), got); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", c.on, c.from, diff)
		}
		want := Row{Phase: to, At: Stamp(t1), From: c.from, Event: c.on}
		if diff := cmp.Diff(want, s.History[len(s.History)-1], ignoreRest); diff != "" || len(s.History) != rows+1 {
			t.Errorf("%s in %s: history of %d rows ends with (-want +got):\n%s", c.on, c.from, len(s.History), diff)
		}
	}
	for _, on := range Table.AllEvents() {
		if !seen[on] {
			t.Errorf("the effects of %s are not looked at", on)
		}
	}
}

func TestALoopOntoTheSamePhaseIsStillTheSameStay(t *testing.T) {
	s, l := working(Merging), huge
	s.Budgets.PhasePausedSeconds = 60
	l.PhaseMinutes = 10
	if out := must(t, s, Step{Event: MergeFailed, Now: t0.Add(11 * time.Minute), Limits: l}); out.Tripped() {
		t.Fatalf("%+v", out)
	}
	if s.EditCounts["a.go"] != 3 || s.Budgets.PhaseStartedAt != Stamp(t0) || s.Budgets.PhasePausedSeconds != 60 {
		t.Errorf("edits %v, budgets %+v", s.EditCounts, s.Budgets)
	}
	if out := must(t, s, Step{Event: PushFailed, Now: t0.Add(11*time.Minute + 1e6), Limits: l}); !out.Tripped() {
		t.Error("failing again and again starts the phase's clock anew")
	}
}

func TestTheLastChunkIsCompletedWithItsCriteria(t *testing.T) {
	s := working(Reporting)
	s.Chunk.Index = 3
	must(t, s, Step{Event: ReportFiled, Now: t1, Limits: huge})
	if got, want := compact(s.Completed[1]), `{"index":3,"acs":["AC-04"],"at":`+at1+`}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChunksMayGrowPastWhatWasPlanned(t *testing.T) {
	s := working(ChunkComplete)
	s.Chunk.Index = 3
	must(t, s, Step{Event: NextChunk, Now: t1, Limits: huge})
	if s.Chunk.Index != 4 || s.Chunk.Total != 4 || len(s.Chunk.criteria(4)) != 0 {
		t.Errorf("%+v", s.Chunk)
	}
	s = working(Chunking)
	s.Chunk = Chunk{}
	must(t, s, Step{Event: ChunksDefined, Now: t1, Limits: huge})
	if s.Chunk.Index != 0 || s.Chunk.Total != 0 {
		t.Errorf("without chunks: %+v", s.Chunk)
	}
}

// The journal's row of a chunk tells all accounts that the document has: they stay few.
func TestOnlyTheNewestAccountsOfChunksAreKept(t *testing.T) {
	s := working(ChunkComplete)
	for range 30 {
		s.Phase = ChunkComplete
		must(t, s, Step{Event: NextChunk, Now: t1, Limits: huge})
	}
	list := s.Tokens.ChunkSnapshots
	if n, _ := list[len(list)-1].Get("chunk").Int(); len(list) != maxSnapshots || int(n) != s.Chunk.Index-1 {
		t.Errorf("%d accounts, the last of chunk %d; the drive is in chunk %d", len(list), n, s.Chunk.Index)
	}
}

func TestTokensThatNobodyCountedStayUnknown(t *testing.T) {
	s := working(ChunkComplete)
	s.Tokens = Tokens{}
	must(t, s, Step{Event: NextChunk, Now: t1, Limits: huge})
	want := `{"session_total":null,"chunk_snapshots":[{"chunk":2,"started_at":null,"completed_at":` + at1 + `,"session_total":null}],"current_chunk_started_at":` + at1 + `}`
	if got := string(lossless.AppendCompact(nil, lossless.Encode(s.Tokens, nil))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
