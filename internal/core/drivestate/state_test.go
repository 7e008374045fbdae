package drivestate

import (
	"testing"
	"time"

	"warp/internal/core/lossless"
)

func TestANewSessionHasTheDocumentedShape(t *testing.T) {
	s := New(Begin{
		Session: Session{Level: 2, PID: 7, PIDStamp: "99", GitHubUser: "u", ClaudeSession: "c"}, Issue: "42", Branch: "b", MainBranch: "main",
		SessionBranch: "sb", MergeTarget: "main", MergeStrategy: "ff-only", Now: t0,
	})
	const want = `{"version":1,` +
		`"session":{"started_at":` + at0 + `,"started_at_epoch":1778255820000,"pid":7,"pid_stamp":"99","level":2,"github_user":"u","claude_session_id":"c"},` +
		`"phase":"prerequisites","requirement":"42","branch":"b","chunk":{"index":0,"total":0,"acs":[]},` +
		`"checklist":{"docs_updated":false,"tests_passed":false,"committed":false,"report_filed":false},` +
		`"budgets":{"phase_started_at":` + at0 + `,"retry_count":0,"coding_cycles":0},"aborted":false,"edit_counts":{},"doom_loop_events":[],` +
		`"gates":{"code_complete":{"semantic":"diff_relevance_check"},"docs_updated":{"semantic":"ac_count_check"}},"completed_chunks":[],` +
		`"history":[{"phase":"prerequisites","at":` + at0 + `}],` +
		`"metrics":{"commits":0,"reports_filed":0,"tests_run":0,"chunks_completed":0,"session_duration_minutes":0},` +
		`"token_usage":{"session_total":null,"chunk_snapshots":[],"current_chunk_started_at":null},` +
		`"main_branch":"main","session_branch":"sb","merge_target":"main","merge_strategy":"ff-only"}`
	if got := string(lossless.AppendCompact(nil, tree(s))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := Validate(s); err != nil {
		t.Error(err)
	}
	bare := New(Begin{Now: t0})
	if bare.Requirement != nil || bare.Branch != nil || bare.SessionBranch != nil || bare.Issue() != "" || bare.BranchName() != "" || s.Issue() != "42" || s.BranchName() != "b" {
		t.Error("what is not known must be null")
	}
}

func TestStampsAreUTCWithMilliseconds(t *testing.T) {
	east := time.FixedZone("", 2*3600)
	if got := Stamp(time.Date(2026, 5, 8, 17, 56, 59, 401_999_999, east)); got != "2026-05-08T15:56:59.401Z" {
		t.Error(got)
	}
}

func TestValidateSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		spoil func(*State)
		want  string
	}{
		{func(s *State) {}, ""},
		{func(s *State) { s.Version = 2 }, ""},
		{func(s *State) { s.Session.StartedAt, s.Budgets.PhaseStartedAt = "", "" }, ""},
		{func(s *State) { s.Budgets.SessionFrom = "2026-05-08T17:57:00+02:00" }, ""},
		{func(s *State) { s.Version = 0 }, "version is missing"},
		{func(s *State) { s.Phase = "" }, "phase is missing"},
		{func(s *State) { s.Phase = "resting" }, `phase "resting" is not one of the 19 phases`},
		{func(s *State) { s.Chunk.Index = -1 }, "chunk.index and chunk.total must not be negative"},
		{func(s *State) { s.Chunk.Total = -1 }, "chunk.index and chunk.total must not be negative"},
		{func(s *State) { s.Budgets.RetryCount = -1 }, "budgets.retry_count and budgets.coding_cycles must not be negative"},
		{func(s *State) { s.Budgets.CodingCycles = -1 }, "budgets.retry_count and budgets.coding_cycles must not be negative"},
		{func(s *State) { s.Session.StartedAt = "yesterday" }, `session.started_at: "yesterday" is not an RFC 3339 time`},
		{func(s *State) { s.Budgets.PhaseStartedAt = "..." }, `budgets.phase_started_at: "..." is not an RFC 3339 time`},
		{func(s *State) { s.Budgets.SessionFrom = "now" }, `budgets.session_allowance_from: "now" is not an RFC 3339 time`},
		{func(s *State) { s.Paused = &Pause{} }, `paused.at: "" is not an RFC 3339 time`},
		{func(s *State) { s.Paused = &Pause{Stamp(t0)} }, ""},
	} {
		s := working(Coding)
		c.spoil(s)
		got := ""
		if err := Validate(s); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestAStampThatIsNoTimeCountsAsNow(t *testing.T) {
	s, l := working(Coding), huge
	s.Session.StartedAt, s.Budgets.PhaseStartedAt, l.PhaseMinutes, l.SessionMinutes = "", "", 1, 1
	if out := must(t, s, Step{Event: CodeComplete, Now: t1, Limits: l}); out.Tripped() {
		t.Errorf("%+v", out)
	}
}
