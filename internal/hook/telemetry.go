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

// book is the project's logbook; false where the project has no store, or the
// session no name: nothing is recorded then.
func (c *call) book() (logbook.Book, bool) {
	return logbook.Open(c.drive.Store(), c.around.System.Now), c.Session != "" && c.drive.Store().Exists()
}

func beginSession(c *call) error {
	b, ok := c.book()
	if !ok {
		return nil
	}
	if c.Source == "compact" {
		return b.Amend(c.Session, c.transcript(c.Transcript).ContextTokens)
	}
	err := c.begin(b)
	return errors.Join(err, b.BuryDead(c.Session, c.drive.IsGone))
}

// begin puts the session on record, with how the project stands.
func (c *call) begin(b logbook.Book) error {
	s := telemetry.Beginning{Session: c.Session, At: c.around.System.Now(), Directory: c.Dir, Standing: c.standing()}
	if home := c.home(); home.Top != "" {
		s.Branch, _ = home.Checked()
		s.Commit, _ = home.Tip(s.Branch)
	}
	// A hook's parent may be a shell that ends with it, and a process in a sandbox has
	// another number there.
	if pid, err := strconv.Atoi(c.around.Getenv("CLAUDE_PID")); err == nil && pid > 0 && !c.around.Relayed {
		s.PID = pid
		s.PIDStamp, _ = c.around.System.Started(pid)
	}
	return b.Begin(s, c.Source, c.ownerOfActive())
}

// ownerOfActive is the session that owns the drive under way; "" for none.
func (c *call) ownerOfActive() string {
	s, err := c.glance()
	if err != nil || s == nil || !s.Phase.Active() {
		return ""
	}
	o := turnstile.OwnerOf(s)
	if c.drive.Ownership.IsGone(o) {
		return ""
	}
	return o.Session
}

func flushSession(c *call) error {
	b, ok := c.book()
	if !ok {
		return nil
	}
	return c.flush(b, c.standing())
}

// flush brings the session's record up to date. One that was removed meanwhile, with all
// of .claude/state, starts over: the recording continues from there.
func (c *call) flush(b logbook.Book, now *telemetry.Standing) error {
	known, err := b.Flush(c.Session, now)
	if err != nil || known || !b.Lost(c.Session) {
		return err
	}
	return c.begin(b)
}

func endSession(c *call) error {
	b, ok := c.book()
	if !ok {
		return nil
	}
	now := c.standing()
	if err := c.flush(b, nil); err != nil {
		return err
	}
	return b.End(c.Session, c.Reason, now)
}

func sessionFailed(c *call) error {
	err := c.record(event.SessionFailed, struct {
		Session string `json:"session"`
		Error   string `json:"error"`
		Details string `json:"details"`
	}{c.Session, c.Error, text.Clip(c.Details, 500)})
	if err != nil {
		return err
	}
	return flushSession(c)
}

// maxTranscript is how much of the end of a transcript is looked at.
const maxTranscript = 4 << 20

// transcript reads what a transcript tells; nothing when it cannot be read.
func (c *call) transcript(path string) telemetry.Facts {
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
	return telemetry.ReadTranscript(lines(f))
}

func lines(r io.Reader) iter.Seq[[]byte] {
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

func backUp(c *call) error {
	b, ok := c.book()
	if !ok {
		return nil
	}
	return b.BackUp(c.Session, c.Trigger, c.transcript(c.Transcript))
}
