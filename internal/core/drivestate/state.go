package drivestate

import (
	"errors"
	"fmt"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Lease is the name of the lease that keeps a second engine out of a work tree.
const Lease = "warp-drive"

// Version is the document version that this program writes.
const Version = 1

// maxHistory limits the history in the document; the journal has all of it. Every step reads, signs
// and writes the document: with 1,000 rows, three quarters of what the 64th chunk had to read were
// rows that no decision needs.
const maxHistory = 100

// maxSnapshots limits the token snapshots of chunks. They are not a top-level member, so each
// chunk's journal row repeats all of them.
const maxSnapshots = 10

// State is the document .claude/.warp-drive-state.json. The codec keeps members that it does not
// name.
type State struct {
	Version        int                    `json:"version"`
	Session        Session                `json:"session"`
	Phase          Phase                  `json:"phase"`
	Requirement    *string                `json:"requirement"`
	Branch         *string                `json:"branch"`
	Chunk          Chunk                  `json:"chunk"`
	Checklist      Checklist              `json:"checklist"`
	Budgets        Budgets                `json:"budgets"`
	Aborted        bool                   `json:"aborted"`
	EditCounts     map[string]int         `json:"edit_counts"`
	DoomLoops      []*lossless.Value      `json:"doom_loop_events"`
	Gates          map[string]Gate        `json:"gates"`
	Completed      []*lossless.Value      `json:"completed_chunks"`
	CommitHashes   []string               `json:"commit_hashes,omitempty"`
	Checked        map[string][]string    `json:"criteria_checked,omitempty"` // by issue
	History        History                `json:"history"`
	HistoryDropped int                    `json:"history_dropped,omitempty"` // rows only in the journal
	Metrics        Metrics                `json:"metrics"`
	Tokens         Tokens                 `json:"token_usage"`
	MainBranch     string                 `json:"main_branch"`
	SessionBranch  *string                `json:"session_branch"`
	MergeTarget    string                 `json:"merge_target"`
	MergeStrategy  string                 `json:"merge_strategy"`
	Paused         *Pause                 `json:"paused,omitempty"`
	Watch          map[string]Watched     `json:"watch,omitempty"` // guarded branches, by name
	Frozen         *Freeze                `json:"frozen,omitempty"`
	Override       *Override              `json:"override,omitempty"`
	Permissions    *Permissions           `json:"permissions,omitempty"`
	Waiting        *Waiting               `json:"waiting,omitempty"`
	Asked          []Event                `json:"criteria_asked,omitempty"` // events of this phase whose criteria the agent was shown
	Criteria       map[string][]Criterion `json:"criteria,omitempty"`       // by issue, as written
	Titles         map[string]string      `json:"titles,omitempty"`         // by issue
	LastFailure    *Failure               `json:"last_failure,omitempty"`   // in this chunk, until its tests pass
}

// Session identifies who drives, and since when.
type Session struct {
	StartedAt      string `json:"started_at"`
	StartedAtEpoch int64  `json:"started_at_epoch"`
	PID            int    `json:"pid"`
	PIDStamp       string `json:"pid_stamp,omitempty"` // detects a reused pid
	Level          int    `json:"level"`
	GitHubUser     string `json:"github_user"`
	ClaudeSession  string `json:"claude_session_id,omitempty"`
	MindPID        int    `json:"mind_pid,omitempty"` // process of the agent's session that an engine works with
	Headless       bool   `json:"headless,omitempty"` // an engine drives, and only it changes this document
	Sandbox        string `json:"sandbox,omitempty"`  // how well the engine's agents are confined
	PausedSeconds  int64  `json:"paused_seconds,omitempty"`
	ParkedAt       string `json:"parked_at,omitempty"` // since when it waits for a person without an engine
	// Caps are the limits that the command line of its engine gave.
	Caps budget.Caps `json:"caps,omitzero"`
}

// Chunk is the drive's position in the requirement; Index counts from 1.
type Chunk struct {
	Index int        `json:"index"`
	Total int        `json:"total"`
	ACs   [][]string `json:"acs"`
	Base  string     `json:"base,omitempty"` // the work tree's tree when the chunk began
	// Criteria that earlier sessions had checked when the chunks were defined.
	DoneBefore []string `json:"done_before,omitempty"`
	Skipped    []int    `json:"skipped,omitempty"` // skipped chunks
	Tested     string   `json:"tested,omitempty"`  // tree that passed the tests; "" if none did or an engine keeps it
}

// Checklist holds what is established for this chunk.
type Checklist struct {
	DocsUpdated bool `json:"docs_updated"`
	TestsPassed bool `json:"tests_passed"`
	Committed   bool `json:"committed"`
	ReportFiled bool `json:"report_filed"`
}

// Budgets are the counters that the limits apply to.
type Budgets struct {
	PhaseStartedAt    string    `json:"phase_started_at"`
	RetryCount        int       `json:"retry_count"`
	CodingCycles      int       `json:"coding_cycles"`
	NoProgress        *Progress `json:"no_progress,omitempty"`
	ExceededReasons   []string  `json:"exceeded_reasons,omitempty"`
	ExceededAt        string    `json:"exceeded_at,omitempty"`
	ExceededFromPhase Phase     `json:"exceeded_from_phase,omitempty"`
	// Where budgets start counting after budget_continue reset them, and the time spent paused.
	SessionFrom        string `json:"session_allowance_from,omitempty"`
	ChunksFrom         int    `json:"chunks_allowance_from,omitempty"`
	PhasePausedSeconds int64  `json:"phase_paused_seconds,omitempty"`
	// When the first time budget ends, as configured when the phase began. Hooks check it on every
	// tool call, and read the settings only once it has passed.
	TimeUpAt string `json:"time_up_at,omitempty"`
}

// Progress is the current run of identical failures.
type Progress struct {
	Count     int    `json:"count"`
	Signature string `json:"signature"`
	Diff      string `json:"diff"`
}

// Gate guards an event.
type Gate struct {
	Semantic string   `json:"semantic,omitempty"`
	Targets  []string `json:"targets,omitempty"`
}

// Metrics are the session's totals.
type Metrics struct {
	Commits         int     `json:"commits"`
	ReportsFiled    int     `json:"reports_filed"`
	TestsRun        int     `json:"tests_run"`
	ChunksCompleted int     `json:"chunks_completed"`
	SessionMinutes  float64 `json:"session_duration_minutes"`
}

// Tokens are the session's tokens, if counted.
type Tokens struct {
	SessionTotal     *lossless.Value   `json:"session_total"`
	ChunkSnapshots   []*lossless.Value `json:"chunk_snapshots"`
	CurrentStartedAt *string           `json:"current_chunk_started_at"`
}

// Failure is the last failure, in its own words.
type Failure struct {
	At    string `json:"at"`
	Event Event  `json:"event"`
	Text  string `json:"text"`
}

// Pause holds since when the drive is paused.
type Pause struct {
	At string `json:"at"`
}

// Validate returns why a document is not a valid state.
func Validate(s *State) error {
	switch {
	case s.Version < 1:
		return errors.New("version is missing")
	case s.Phase == "":
		return errors.New("phase is missing")
	case !s.Phase.Known():
		return fmt.Errorf("phase %q is not one of the 19 phases", s.Phase)
	case s.Chunk.Index < 0 || s.Chunk.Total < 0:
		return errors.New("chunk.index and chunk.total must not be negative")
	case s.Budgets.RetryCount < 0 || s.Budgets.CodingCycles < 0:
		return errors.New("budgets.retry_count and budgets.coding_cycles must not be negative")
	case s.Session.PausedSeconds < 0 || s.Budgets.PhasePausedSeconds < 0:
		return errors.New("session.paused_seconds and budgets.phase_paused_seconds must not be negative")
	}
	for _, t := range []struct{ name, at string }{
		{"session.started_at", s.Session.StartedAt},
		{"session.parked_at", s.Session.ParkedAt},
		{"budgets.phase_started_at", s.Budgets.PhaseStartedAt},
		{"budgets.session_allowance_from", s.Budgets.SessionFrom},
	} {
		if _, err := time.Parse(time.RFC3339, t.at); t.at != "" && err != nil {
			return fmt.Errorf("%s: %q is not an RFC 3339 time", t.name, t.at)
		}
	}
	if s.Paused != nil {
		if _, err := time.Parse(time.RFC3339, s.Paused.At); err != nil {
			return fmt.Errorf("paused.at: %q is not an RFC 3339 time", s.Paused.At)
		}
	}
	return nil
}

// Stamp formats a time as in the state document.
func Stamp(t time.Time) string { return event.Stamp(t) }
