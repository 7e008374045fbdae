package telemetry

import "time"

// hooksVersion is the schema version in session documents.
const hooksVersion = "3.0"

// Limits of a session's lists: later entries are not listed.
const (
	MaxFiles    = 1000
	MaxCommands = 1000
	maxFailing  = 500
)

// Session is the document session/current.json.
type Session struct {
	SessionID         string   `json:"session_id"`
	Started           string   `json:"started"`
	GitBranch         string   `json:"git_branch"`
	GitCommitStart    string   `json:"git_commit_start"`
	WorkingDirectory  string   `json:"working_directory"`
	HooksVersion      string   `json:"hooks_version"`
	CommandsExecuted  []string `json:"commands_executed"` // distinct, in the order of first use
	AgentsSpawned     int      `json:"agents_spawned"`
	FilesModified     []string `json:"files_modified"` // distinct
	ErrorsEncountered int      `json:"errors_encountered"`
	ErrorsRecovered   int      `json:"errors_recovered"`

	CommandCounts     Counts `json:"command_counts,omitempty"`
	PermissionsAsked  int    `json:"permissions_asked,omitempty"`
	PermissionsDenied int    `json:"permissions_denied,omitempty"`
	Compactions       int    `json:"compactions,omitempty"`
	Ended             string `json:"ended,omitempty"`
	EndReason         string `json:"end_reason,omitempty"`
	Counted           bool   `json:"counted,omitempty"`    // its end is in the metrics, and it was cleaned up
	LastError         string `json:"last_error,omitempty"` // the last that ended a turn
	// Calls that have not succeeded since they failed: another failure is not a new error.
	Failing []string `json:"failing,omitempty"`

	PID      int    `json:"pid,omitempty"` // of the agent; 0 if unknown
	PIDStamp string `json:"pid_stamp,omitempty"`
	LastSeen string `json:"last_seen,omitempty"` // time of its last journal row
	Away     int    `json:"away_seconds,omitempty"`
	// Earlier are the session's minutes before its document started over.
	Earlier int `json:"earlier_minutes,omitempty"`
	Merged  int `json:"requirements_merged,omitempty"` // by drives, while it ran
	// Before and After describe the project at the session's start and now.
	Before *Standing `json:"before,omitempty"`
	After  *Standing `json:"after,omitempty"`
}

// Beginning holds what is known of a session when it begins.
type Beginning struct {
	Session   string
	At        time.Time
	Branch    string
	Commit    string
	Directory string
	PID       int
	PIDStamp  string
	Standing  *Standing // nil if unknown
}

// Begin returns the document of a new session.
func Begin(b Beginning) *Session {
	return &Session{
		SessionID:        b.Session,
		Started:          Stamp(b.At),
		GitBranch:        b.Branch,
		GitCommitStart:   b.Commit,
		WorkingDirectory: b.Directory,
		HooksVersion:     hooksVersion,
		PID:              b.PID,
		PIDStamp:         b.PIDStamp,
		Before:           b.Standing,
	}
}

// Resume continues a session in the agent's new process. If its last end was counted, earlier fixes
// are in the metrics, but coverage still compares with the first beginning. A session that died and
// comes back keeps its beginning.
func (s *Session) Resume(b Beginning, wasCounted bool) {
	s.resumed(Stamp(b.At))
	s.PID, s.PIDStamp = b.PID, b.PIDStamp
	if !wasCounted && s.Before != nil {
		return
	}
	first := s.Before
	if s.Before = b.Standing; first != nil && s.Before != nil {
		next := *s.Before
		next.Coverage, next.CoverageAt = first.Coverage, first.CoverageAt
		s.Before = &next
	}
	s.After, s.Merged = nil, 0
}

// Seen returns when the session was last heard of.
func (s *Session) Seen() time.Time {
	for _, at := range []string{s.LastSeen, s.Started} {
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Until returns when the session ended; for one that died, when it was last heard of.
func (s *Session) Until() time.Time {
	if t, err := time.Parse(time.RFC3339, s.Ended); err == nil && s.EndReason != Died {
		return t
	}
	return s.Seen()
}

// Minutes returns how long the session ran until then.
func (s *Session) Minutes(until time.Time) int {
	ran := between(s.Started, until) - time.Duration(s.Away)*time.Second
	return s.Earlier + int(max(0, ran).Round(time.Minute).Minutes())
}
