package drivestate

import (
	"slices"
	"time"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// effect is what an event does to the document, besides moving the phase.
type effect struct {
	retry bool // costs one retry of the chunk
	cycle bool // costs one code/test cycle of the chunk
	test  bool // a test run happened
	chunk bool // finishes a chunk
	apply func(*State, Step)
}

var effects = lazy.Table[Event, effect]{
	{Start, effect{apply: beginAgain}},
	{WorkSelected, effect{apply: selectWork}},
	{ChunksDefined, effect{apply: defineChunks}},
	{DocsUpdated, effect{apply: func(s *State, _ Step) { s.Checklist.DocsUpdated = true }}},
	{TestsPassed, effect{test: true, apply: func(s *State, st Step) { s.Checklist.TestsPassed, s.Chunk.Tested = true, st.Tested }}},
	{TestsFailed, effect{test: true, retry: true, cycle: true, apply: backToCoding}},
	{Committed, effect{apply: commit}},
	{CommitWithDocGate, effect{apply: commit}},
	{DriftBlocked, effect{retry: true, cycle: true, apply: backToCoding}},
	{ReportFiled, effect{chunk: true, apply: finishChunk}},
	{NextChunk, effect{apply: nextChunk}},
	{RequirementDone, effect{apply: requirementDone}},
	{MergeFailed, effect{retry: true}},
	{PushFailed, effect{retry: true}},
	{ContinueYes, effect{apply: forgetWork}},
	{BudgetContinue, effect{apply: renewBudgets}},
	{BudgetAbort, effect{apply: abandon}},
	{Abort, effect{apply: abandon}},
	{Restart, effect{apply: func(s *State, _ Step) { s.Aborted = false }}},
}

// abandon gives up the drive. The current chunk is not done, so its criteria are unchecked.
func abandon(s *State, _ Step) {
	s.Aborted = true
	s.Paused = nil // so that the clean-up can proceed
	if !s.Checklist.ReportFiled {
		uncheck(s, s.Chunk.Present())
	}
}

// beginAgain starts over after a restart, with fresh counters.
func beginAgain(s *State, st Step) {
	s.Aborted = false
	s.Checklist = Checklist{}
	s.Budgets = Budgets{SessionFrom: Stamp(st.Now), ChunksFrom: s.Metrics.ChunksCompleted}
	s.Session.PausedSeconds = 0
}

func selectWork(s *State, _ Step) {
	s.Chunk = Chunk{ACs: [][]string{}}
	s.Completed = []*lossless.Value{}
	resetChunk(s)
}

func forgetWork(s *State, st Step) {
	if st.Data.Requirement == "" {
		s.Requirement = nil
	}
	if st.Data.Branch == "" {
		s.Branch = nil
	}
	selectWork(s, st)
}

func defineChunks(s *State, st Step) {
	if st.Data.Chunks != nil {
		s.Chunk.ACs = st.Data.Chunks
		s.Chunk.Total = len(st.Data.Chunks)
	}
	s.Chunk.Index = min(1, s.Chunk.Total)
	s.Chunk.DoneBefore = text.Without(s.Checked[s.Issue()], slices.Concat(s.Chunk.ACs...))
	s.Chunk.Base = st.Tree
	resetChunk(s)
	s.Tokens.CurrentStartedAt = optional(Stamp(st.Now))
}

// resetChunk resets the state of one chunk.
func resetChunk(s *State) {
	s.Chunk.Tested = ""
	s.Checklist = Checklist{}
	s.Budgets.RetryCount = 0
	s.Budgets.CodingCycles = 0
	s.Budgets.NoProgress = nil
}

// backToCoding withdraws what a failure disproved. The commit of a blocked chunk stays in
// commit_hashes; the chunk needs another one.
func backToCoding(s *State, _ Step) {
	s.Checklist = Checklist{}
	s.Chunk.Tested = ""
}

// commit counts a commit whose hash is unknown; learn has counted the others.
func commit(s *State, st Step) {
	s.Checklist.Committed = true
	if st.Data.Commit == "" && len(st.Commits) == 0 {
		s.Metrics.Commits++
	}
}

func finishChunk(s *State, st Step) {
	s.Checklist.ReportFiled = true
	s.Metrics.ReportsFiled++
	s.Metrics.ChunksCompleted++
	done := struct {
		Index int      `json:"index"`
		ACs   []string `json:"acs"`
		At    string   `json:"at"`
	}{s.Chunk.Index, s.Chunk.Present(), Stamp(st.Now)}
	s.Completed = append(s.Completed, lossless.Encode(done, nil))
}

func nextChunk(s *State, st Step) {
	snapshotTokens(s, st.Now)
	s.Chunk.Index++
	s.Chunk.Total = max(s.Chunk.Total, s.Chunk.Index)
	s.Chunk.Base = st.Tree
	resetChunk(s)
	s.Tokens.CurrentStartedAt = optional(Stamp(st.Now))
}

func requirementDone(s *State, st Step) {
	snapshotTokens(s, st.Now)
	s.Tokens.CurrentStartedAt = nil
	s.Budgets.RetryCount = 0 // the merge has its own retries
	s.Budgets.NoProgress = nil
}

// snapshotTokens records the tokens of the chunk that ends.
func snapshotTokens(s *State, now time.Time) {
	snap := struct {
		Chunk       int             `json:"chunk"`
		StartedAt   *string         `json:"started_at"`
		CompletedAt string          `json:"completed_at"`
		Total       *lossless.Value `json:"session_total"`
	}{s.Chunk.Index, s.Tokens.CurrentStartedAt, Stamp(now), s.Tokens.SessionTotal}
	list := append(s.Tokens.ChunkSnapshots, lossless.Encode(snap, nil))
	s.Tokens.ChunkSnapshots = list[max(0, len(list)-maxSnapshots):]
}
