package telemetry

import (
	"time"

	"warp/internal/core/lossless"
)

// Backup is a document compaction/backup_*.json.
type Backup struct {
	Timestamp           string    `json:"timestamp"`
	Reason              string    `json:"reason"`
	Preserved           Preserved `json:"preserved"`
	ContextTokensBefore int       `json:"context_tokens_before"`
	FilesInContext      []string  `json:"files_in_context"`
}

// Preserved are copies of documents; null if there was none.
type Preserved struct {
	LoopState    *lossless.Value `json:"loop_state"`
	WorkQueue    *lossless.Value `json:"work_queue"`
	ActiveAgents *lossless.Value `json:"active_agents"`
	Session      *lossless.Value `json:"session"`
}

// NewBackup returns what to keep of a context before it is compacted. Trigger is the agent's
// reason.
func NewBackup(trigger string, kept Preserved, facts Facts, now time.Time) Backup {
	if trigger == "auto" {
		trigger = "context_limit_approaching"
	}
	return Backup{
		Timestamp:           Stamp(now),
		Reason:              trigger,
		Preserved:           kept,
		ContextTokensBefore: facts.ContextTokens,
		FilesInContext:      facts.FilesInContext,
	}
}

// BackupName returns the name of a backup's file. Names sort by time.
func BackupName(t time.Time) string { return t.UTC().Format("backup_20060102T150405.000Z.json") }
