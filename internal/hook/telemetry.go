package hook

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
)

func beginSession(c *call, b logbook.Book) error {
	if c.Source == "compact" {
		return b.CorrectBackupTokens(c.Session, c.readFacts(c.Transcript).ContextTokens)
	}
	err := c.beginRecord(b)
	return errors.Join(err, b.EndDeadSessions(c.Session, c.drive.IsGone))
}

// beginRecord puts the session on record, with how the project stands.
func (c *call) beginRecord(b logbook.Book) error {
	s := telemetry.Beginning{Session: c.Session, At: c.env.System.Now(), Directory: c.Dir, Standing: c.measureStanding()}
	if home := c.repository(); home.Top != "" {
		s.Branch, _ = home.Checked()
		s.Commit, _ = home.Tip(s.Branch)
	}
	// A hook's parent may be a shell that ends with it, and a process in a sandbox has
	// another number there.
	if pid, err := strconv.Atoi(c.env.Getenv("CLAUDE_PID")); err == nil && pid > 0 && !c.env.Relayed {
		s.PID = pid
		s.PIDStamp, _ = c.env.System.Started(pid)
	}
	return b.BeginSession(s, c.Source, c.ownerOfActive())
}

// ownerOfActive is the session that owns the drive under way; "" for none.
func (c *call) ownerOfActive() string {
	s, err := c.glanceDrive()
	if err != nil || s == nil || !s.Phase.Active() {
		return ""
	}
	o := turnstile.OwnerOf(s)
	if c.drive.Ownership.IsGone(o) {
		return ""
	}
	return o.Session
}

func flushSession(c *call, b logbook.Book) error {
	return c.flushRecord(b, c.measureStanding())
}

// flushRecord brings the session's record up to date. One that was removed in
// between, with all of .claude/state, starts again.
func (c *call) flushRecord(b logbook.Book, now *telemetry.Standing) error {
	known, err := b.FlushSession(c.Session, now)
	if err != nil || known || !b.IsRecordMissing(c.Session) {
		return err
	}
	return c.beginRecord(b)
}

func endSession(c *call, b logbook.Book) error {
	now := c.measureStanding()
	if err := c.flushRecord(b, nil); err != nil {
		return err
	}
	return b.EndSession(c.Session, c.Reason, now)
}

func recordSessionFailure(c *call, b logbook.Book) error {
	err := c.record(event.SessionFailed, struct {
		Session string `json:"session"`
		Error   string `json:"error"`
		Details string `json:"details"`
	}{c.Session, c.Error, text.Clip(c.Details, 500)})
	if err != nil {
		return err
	}
	return flushSession(c, b)
}

// maxTranscript is how much of the end of a transcript is looked at.
const maxTranscript = 4 << 20

// readFacts reads what a transcript tells; nothing when it cannot be read.
func (c *call) readFacts(path string) telemetry.Facts {
	if !filepath.IsAbs(path) || !strings.HasSuffix(path, ".jsonl") {
		return telemetry.Facts{}
	}
	f, err := c.openTranscript(path)
	if err != nil {
		return telemetry.Facts{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return telemetry.Facts{}
	}
	if over := info.Size() - maxTranscript; over > 0 {
		if _, err := f.Seek(over, io.SeekStart); err != nil {
			return telemetry.Facts{}
		}
	}
	return telemetry.ReadTranscript(scanLines(f))
}

func scanLines(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		scan := bufio.NewScanner(r)
		scan.Buffer(make([]byte, 64<<10), maxTranscript)
		for scan.Scan() {
			if !yield(scan.Bytes()) {
				return
			}
		}
	}
}

func backUpContext(c *call, b logbook.Book) error {
	return b.BackUpContext(c.Session, c.Trigger, c.readFacts(c.Transcript))
}
