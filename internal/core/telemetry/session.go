package telemetry

import "time"

// HooksVersion is the version of the documents' schema that sessions name.
const HooksVersion = "3.0"

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
	LastError         string `json:"last_error,omitempty"` // that ended a turn
	// Calls that failed and have not succeeded since: failing again is no new error.
	Failing []string `json:"failing,omitempty"`
}

// Beginning is what is known of a session when it begins.
type Beginning struct {
	Session   string
	At        time.Time
	Branch    string
	Commit    string
	Directory string
}

// Begin makes the document of a new session.
func Begin(b Beginning) *Session {
	return &Session{
		SessionID:        b.Session,
		Started:          Stamp(b.At),
		GitBranch:        b.Branch,
		GitCommitStart:   b.Commit,
		WorkingDirectory: b.Directory,
		HooksVersion:     HooksVersion,
	}
}
