package drivestate

import (
	"time"

	"warp/internal/core/lossless"
)

// Begin is what a new session starts from.
type Begin struct {
	Level         int
	Issue         string // "" when work is to be discovered
	PID           int
	PIDStamp      string
	GitHubUser    string
	ClaudeSession string
	Headless      bool   // an engine begins it
	MindPID       int    // the process of the session that it works with
	Sandbox       string // how well its agents are contained
	Branch        string // "" when it is to be made
	MainBranch    string
	SessionBranch string
	MergeTarget   string
	MergeStrategy string
	Targets       map[Event][]string // verification gates
	Limits        Limits
	Now           time.Time
}

// New is the state of a session that has just begun, in prerequisites.
func New(b Begin) *State {
	s := &State{
		Version: Version,
		Session: Session{
			StartedAt: Stamp(b.Now), StartedAtEpoch: b.Now.UnixMilli(),
			PID: b.PID, PIDStamp: b.PIDStamp, Level: b.Level,
			GitHubUser: b.GitHubUser, ClaudeSession: b.ClaudeSession, Headless: b.Headless, MindPID: b.MindPID, Sandbox: b.Sandbox,
		},
		Phase:         Prerequisites,
		Requirement:   optional(b.Issue),
		Branch:        optional(b.Branch),
		Chunk:         Chunk{ACs: [][]string{}},
		Budgets:       Budgets{PhaseStartedAt: Stamp(b.Now)},
		EditCounts:    map[string]int{},
		DoomLoops:     []*lossless.Value{},
		Completed:     []*lossless.Value{},
		History:       []Row{{Phase: Prerequisites, At: Stamp(b.Now)}},
		Tokens:        Tokens{ChunkSnapshots: []*lossless.Value{}},
		MainBranch:    b.MainBranch,
		SessionBranch: optional(b.SessionBranch),
		MergeTarget:   b.MergeTarget,
		MergeStrategy: b.MergeStrategy,
	}
	showGates(s, b.Targets)
	if b.Limits != (Limits{}) {
		setTimeUp(s, b.Limits, b.Now)
	}
	return s
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Issue is the requirement's number, "" when there is none.
func (s *State) Issue() string { return value(s.Requirement) }

// BranchName is the drive's branch, "" when there is none.
func (s *State) BranchName() string { return value(s.Branch) }

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
