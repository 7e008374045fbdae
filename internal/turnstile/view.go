package turnstile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// View is one reading of a drive.
type View struct {
	State *drivestate.State
	Stale bool // the process that started it is gone
	Notes []string
	// Foreign means that the file differs from what the journal last recorded.
	Foreign bool
	// Unsigned means that warp did not write the file's content. Undone means that it was changed
	// while an engine was working on it, and the change is ignored.
	Unsigned, Undone bool
	// Pending counts observers' rows that are in State but not in the file yet.
	Pending int
	tree    *lossless.Value
}

// JSON returns the current document, including members unknown to warp, with more at the end.
func (v View) JSON(more ...lossless.Member) []byte {
	doc := lossless.Encode(v.State, v.tree)
	for _, m := range more {
		doc = doc.With(m.Key, m.Value)
	}
	return append(lossless.AppendIndent(nil, doc), '\n')
}

func newView(v durable.View[drivestate.State]) View {
	return View{State: v.Doc, Notes: v.Notes, Foreign: v.Foreign, Unsigned: v.Unsigned, Undone: v.Undone, Pending: len(v.Since), tree: v.Tree}
}

// ActiveError refuses a new session while another is unfinished.
type ActiveError struct {
	Issue string
	Phase drivestate.Phase
	PID   int
	Stale bool
	Caps  budget.Caps // the limits of its command line
}

func (e *ActiveError) Error() string {
	what := fmt.Sprintf("Active session exists: issue %s in phase %s", cmp.Or(e.Issue, "(none)"), e.Phase)
	if e.Stale {
		resume := "warp resume"
		if flags := e.Caps.Flags(); len(flags) > 0 { // without them it would go on without limits
			resume = strings.Join(append(strings.Fields(resume+" "+e.Issue), flags...), " ")
		}
		return fmt.Sprintf("%s (stale: process %d is gone); resume it with %s, or reset it with warp stop --hard", what, e.PID, resume)
	}
	return fmt.Sprintf("%s (process %d); warp status shows it, warp stop ends it", what, e.PID)
}

// Glance is a drive as its file has it, without later observations.
type Glance struct {
	// State has only the phase and the session, enough to tell whose drive it is and whether it is
	// over. It is nil if only the journal can tell.
	State *drivestate.State
	drive *Drive
	file  durable.Glance[drivestate.State]
}

// Glance reads only the drive's file, and parses only the members it needs.
func (d *Drive) Glance() Glance {
	file, ok := d.doc.file.Glance()
	if !ok {
		return Glance{drive: d}
	}
	var s drivestate.State
	err := file.Members(func(key string, raw []byte) {
		switch key {
		case "phase":
			s.Phase = drivestate.Phase(lossless.Plain(raw))
		case "session":
			glanceSession(raw, &s.Session)
		}
	})
	if err != nil || !s.Phase.Known() {
		return Glance{drive: d}
	}
	return Glance{&s, d, file}
}

// Peek also reads the journal.
func (g Glance) Peek() (View, error) { return g.drive.doc.peek(g.file, g.State != nil) }

// glanceSession reads the session by member names: decoding by reflection takes a tenth of a hook's
// time.
func glanceSession(raw []byte, s *drivestate.Session) {
	_ = lossless.Scan(raw, func(key string, raw []byte) { // Peek reports nonsense
		switch key {
		case "claude_session_id":
			s.ClaudeSession = lossless.Plain(raw)
		case "headless":
			s.Headless = string(raw) == "true"
		case "pid":
			s.PID, _ = strconv.Atoi(string(raw))
		case "pid_stamp":
			s.PIDStamp = lossless.Plain(raw)
		}
	})
}
