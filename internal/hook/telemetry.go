package hook

import (
	"errors"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/hook/logbook"
)

func beginSession(c *call, b logbook.Book) error {
	if c.Source == "compact" {
		return b.CorrectBackupTokens(c.Session, c.transcripts.readFacts(c.Transcript).ContextTokens)
	}
	err := c.beginRecord(b)
	return errors.Join(err, b.EndDeadSessions(c.Session, c.drive.IsGone))
}

// beginRecord records the session's start and the project's state.
func (c *call) beginRecord(b logbook.Book) error {
	s := telemetry.Beginning{Session: c.Session, At: c.env.System.Now(), Directory: c.Dir, Standing: measureStanding(c.drive)}
	if home := locateRepository(c.drive); home.Top != "" {
		s.Branch, _ = home.Checked()
		s.Commit, _ = home.Tip(s.Branch)
	}
	// A hook's parent may be a shell that ends with it, and a sandboxed process has a different
	// number in there.
	if pid := c.who.namedPID(); pid > 0 && !c.who.relayed {
		s.PID = pid
		s.PIDStamp, _ = c.env.System.Started(s.PID)
	}
	return b.BeginSession(s, c.Source, c.sight.findOwner())
}

func flushSession(c *call, b logbook.Book) error {
	return c.flushRecord(b, measureStanding(c.drive))
}

// flushRecord updates the session's record. It begins a new one if someone has removed the old
// one with all of .claude/state.
func (c *call) flushRecord(b logbook.Book, now *telemetry.Standing) error {
	known, err := b.FlushSession(c.Session, now)
	if err != nil || known || !b.IsRecordMissing(c.Session) {
		return err
	}
	return c.beginRecord(b)
}

func endSession(c *call, b logbook.Book) error {
	now := measureStanding(c.drive)
	if err := c.flushRecord(b, nil); err != nil {
		return err
	}
	return b.EndSession(c.Session, c.Reason, now)
}

func recordSessionFailure(c *call, b logbook.Book) error {
	err := c.record(event.SessionFailed, lossless.Record("session", c.Session, "error", c.Error, "details", text.Clip(c.Details, 500)))
	if err != nil {
		return err
	}
	return flushSession(c, b)
}

func backUpContext(c *call, b logbook.Book) error {
	return b.BackUpContext(c.Session, c.Trigger, c.transcripts.readFacts(c.Transcript))
}
