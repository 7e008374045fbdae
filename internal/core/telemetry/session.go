package telemetry

import "time"

// hooksVersion is the version of the documents' schema that sessions name.
const hooksVersion = "3.0"

// The bounds of a session's lists: what comes later is not listed.
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
	CommandsExecuted  []string `json:"commands_executed"` // each once, in the order of their first use
	AgentsSpawned     int      `json:"agents_spawned"`
	FilesModified     []string `json:"files_modified"` // each once
	ErrorsEncountered int      `json:"errors_encountered"`
	ErrorsRecovered   int      `json:"errors_recovered"`

	CommandCounts     Counts `json:"command_counts,omitempty"`
	PermissionsAsked  int    `json:"permissions_asked,omitempty"`
	PermissionsDenied int    `json:"permissions_denied,omitempty"`
	Compactions       int    `json:"compactions,omitempty"`
	Ended             string `json:"ended,omitempty"`
	EndReason         string `json:"end_reason,omitempty"`
	Counted           bool   `json:"counted,omitempty"`    // its end is in the metrics, and what it left was cleaned up
	LastError         string `json:"last_error,omitempty"` // that ended a turn
	// Calls that failed and have not succeeded since: failing again is not a new error.
	Failing []string `json:"failing,omitempty"`

	PID      int    `json:"pid,omitempty"` // of the agent; 0: not known
	PIDStamp string `json:"pid_stamp,omitempty"`
	LastSeen string `json:"last_seen,omitempty"` // when something was journalled of it last
	Away     int    `json:"away_seconds,omitempty"`
	// Earlier are the minutes of the session before its document started over.
	Earlier int `json:"earlier_minutes,omitempty"`
	Merged  int `json:"requirements_merged,omitempty"` // by drives, while it ran
	// Before and After are how the project stood when the session began, and stands now.
	Before *Standing `json:"before,omitempty"`
	After  *Standing `json:"after,omitempty"`
}

// Beginning is what is known of a session when it begins.
type Beginning struct {
	Session   string
	At        time.Time
	Branch    string
	Commit    string
	Directory string
	PID       int
	PIDStamp  string
	Standing  *Standing // nil: not known
}

// Begin makes the document of a new session.
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

// Resume takes a session up again, in the agent's new process. Where its last end was
// counted, what was fixed before is in the metrics; how much is covered is held against
// the first beginning. One that died and comes back has one beginning.
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

// Seen is when something was known of the session last.
func (s *Session) Seen() time.Time {
	for _, at := range []string{s.LastSeen, s.Started} {
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Until is when the session ended; one that died, when something was known of it last.
func (s *Session) Until() time.Time {
	if t, err := time.Parse(time.RFC3339, s.Ended); err == nil && s.EndReason != Died {
		return t
	}
	return s.Seen()
}

// Minutes is how long the session ran until then.
func (s *Session) Minutes(until time.Time) int {
	ran := between(s.Started, until) - time.Duration(s.Away)*time.Second
	return s.Earlier + int(max(0, ran).Round(time.Minute).Minutes())
}
