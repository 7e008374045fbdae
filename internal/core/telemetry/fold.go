package telemetry

import (
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

const maxLastError = 500

// Fold applies what observers appended to the journal since the document was written, and reports
// whether anything changed. It ignores rows of other sessions.
func (s *Session) Fold(rows []event.Row) bool {
	changed := false
	for _, r := range rows {
		if r.Kind == event.Outcome && s.SessionID != "" && r.Data.Get("result").Is("merged") {
			s.Merged++ // the row does not name a session
			changed = true
		}
		if s.SessionID == "" || r.Data.Get("session").Text() != s.SessionID {
			continue
		}
		if !s.take(r) {
			continue
		}
		changed = true
		if r.Kind != event.SessionEnded || s.EndReason != Died { // a dead session's row is written after its death
			s.LastSeen = seconds(r.At)
		}
	}
	return changed
}

func (s *Session) take(r event.Row) bool {
	text := func(name string) string { return r.Data.Get(name).Text() }
	switch r.Kind {
	case event.SessionBegan:
		return s.resumed(r.At)
	case event.SessionEnded:
		if s.Ended != "" {
			return false // two starts may find the same dead session; the first row counts
		}
		s.Ended, s.EndReason = seconds(r.At), text("reason")
	case event.SessionFailed:
		s.LastError = why(r.Data)
	case event.SlashCommand:
		return s.commanded(text("name"))
	case event.Edit:
		return s.edited(text("file"))
	case event.ToolFailed:
		return s.failed(text("key"))
	case event.ToolRecovered:
		return s.recovered(text("key"))
	case event.AgentBegan:
		s.AgentsSpawned++
	case event.Compacted:
		s.Compactions++
	case event.PermissionAsk:
		s.PermissionsAsked++
	case event.PermissionDeny:
		s.PermissionsDenied++
	default:
		return false
	}
	return true
}

// resumed undoes the session's end. Its start stays: a session begins once, however often it is
// resumed.
func (s *Session) resumed(at string) bool {
	was := s.Ended != "" || s.EndReason != ""
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		s.Away += int(between(s.Ended, t).Seconds())
	}
	s.Ended, s.EndReason, s.Counted = "", "", false
	return was
}

func why(data *lossless.Value) string {
	kind, details := data.Get("error").Text(), data.Get("details").Text()
	if kind != "" && details != "" {
		kind += ": "
	}
	return text.Prefix(kind+details, maxLastError)
}

func (s *Session) commanded(name string) bool {
	if name == "" {
		return false
	}
	if !slices.Contains(s.CommandsExecuted, name) {
		if len(s.CommandsExecuted) >= MaxCommands {
			return false
		}
		s.CommandsExecuted = append(s.CommandsExecuted, name)
	}
	s.CommandCounts = s.CommandCounts.add(name)
	return true
}

func (s *Session) edited(file string) bool {
	if file == "" || len(s.FilesModified) >= MaxFiles || slices.Contains(s.FilesModified, file) {
		return false
	}
	s.FilesModified = append(s.FilesModified, file)
	return true
}

// failed counts an error, once for a call that fails repeatedly, so that the document agrees with
// the list of classified errors.
func (s *Session) failed(key string) bool {
	if key != "" && slices.Contains(s.Failing, key) {
		return false
	}
	s.ErrorsEncountered++
	if key != "" && len(s.Failing) < maxFailing {
		s.Failing = append(s.Failing, key)
	}
	return true
}

func (s *Session) recovered(key string) bool {
	at := slices.Index(s.Failing, key)
	if at < 0 {
		return false
	}
	s.Failing = slices.Delete(s.Failing, at, at+1)
	s.ErrorsRecovered++
	return true
}
