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

// Preserved are documents as they were; those that there were not are null.
type Preserved struct {
	LoopState    *lossless.Value `json:"loop_state"`
	WorkQueue    *lossless.Value `json:"work_queue"`
	ActiveAgents *lossless.Value `json:"active_agents"`
	Session      *lossless.Value `json:"session"`
}

// NewBackup is what is kept from a context before it is compacted, on the
// trigger that the agent names.
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

// LoopText is the loop's state as a member of a backup: it is Markdown.
func LoopText(markdown string) *lossless.Value {
	return lossless.NewObject(lossless.Member{Key: "text", Value: lossless.NewString(markdown)})
}

// BackupName is the name of a backup's file. Names sort as their times do.
func BackupName(t time.Time) string { return t.UTC().Format("backup_20060102T150405.000Z.json") }
