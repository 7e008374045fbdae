package drivestate

import (
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
)

// Begin holds the parameters of a new session.
type Begin struct {
	Level         int
	Issue         string // "" to discover work
	PID           int
	PIDStamp      string
	GitHubUser    string
	ClaudeSession string
	Headless      bool   // an engine starts it
	MindPID       int    // process of the agent's session that the engine works with
	Sandbox       string // how well its agents are confined
	Caps          budget.Caps
	Branch        string // "" if it does not exist yet
	MainBranch    string
	SessionBranch string
	MergeTarget   string
	MergeStrategy string
	Targets       map[Event][]string // verification gates
	Limits        Limits
	Now           time.Time
}

// New returns the state of a new session, in prerequisites.
func New(b Begin) *State {
	s := &State{
		Version: Version,
		Session: Session{
			StartedAt: Stamp(b.Now), StartedAtEpoch: b.Now.UnixMilli(),
			PID: b.PID, PIDStamp: b.PIDStamp, Level: b.Level,
			GitHubUser: b.GitHubUser, ClaudeSession: b.ClaudeSession, Headless: b.Headless, MindPID: b.MindPID, Sandbox: b.Sandbox, Caps: b.Caps,
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

// Issue returns the requirement's number, "" if there is none.
func (s *State) Issue() string { return value(s.Requirement) }

// BranchName returns the drive's branch, "" if there is none.
func (s *State) BranchName() string { return value(s.Branch) }

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
