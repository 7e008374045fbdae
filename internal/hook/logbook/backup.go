package logbook

import (
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
)

// BackUpContext saves a session's state before its context is compacted.
func (b Book) BackUpContext(session, trigger string, facts telemetry.Facts) error {
	kept := telemetry.Preserved{
		WorkQueue:    readRaw(b.store, LoopFolder+"/work_queue.json"),
		ActiveAgents: readRaw(b.store, AgentsFolder+"/active.json"),
	}
	if text, err := b.store.ReadFile(LoopFolder + "/LOOP_STATE.md"); err == nil && len(text) > 0 {
		kept.LoopState = lossless.Record("text", string(text))
	}
	if s, err := b.Session(session); err == nil && s != nil {
		kept.Session = lossless.Encode(s, nil)
	}
	now := b.now()
	names, err := listBackups(b.store)
	if err != nil {
		return err
	}
	for slices.Contains(names, telemetry.BackupName(now)) { // two backups within one tick of the name
		now = now.Add(time.Millisecond)
	}
	path := BackupFolder + "/" + telemetry.BackupName(now)
	if err := writeFile(b.store, path, telemetry.NewBackup(trigger, kept, facts, now)); err != nil {
		return err
	}
	return b.store.Append(event.Compacted, lossless.Record("session", session, "trigger", trigger, "backup", path))
}

// CorrectBackupTokens corrects the token count of a session's newest backup if the transcript now
// shows more: agents write it a little late.
func (b Book) CorrectBackupTokens(session string, tokens int) error {
	names, err := listBackups(b.store)
	for _, name := range slices.Backward(names) {
		path := BackupFolder + "/" + name
		v := readRaw(b.store, path)
		var old telemetry.Backup
		if v == nil || lossless.Decode(v, &old) != nil || !old.Preserved.Session.Get("session_id").Is(session) {
			continue
		}
		if old.ContextTokensBefore >= tokens {
			return nil
		}
		old.ContextTokensBefore = tokens
		return writeFile(b.store, path, lossless.Encode(&old, v))
	}
	return err
}
