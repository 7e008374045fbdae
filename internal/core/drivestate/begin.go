package drivestate

import (
	"time"

	"warp/internal/core/lossless"
)

// Begin holds the parameters of a new session.
type Begin struct {
	Session              // without its times, which New sets
	Issue         string // "" to discover work
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
		Version:       Version,
		Session:       b.Session,
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
	s.Session.StartedAt, s.Session.StartedAtEpoch = Stamp(b.Now), b.Now.UnixMilli()
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
