package turnstile

import (
	"fmt"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// View is a drive as it stands now.
type View struct {
	State *drivestate.State
	Stale bool // the process that began it is gone
	Notes []string
	// Foreign: the file is not what the journal last recorded.
	Foreign bool
	// Unsigned: warp did not write what the file holds. Undone: it was changed
	// while an engine was at it, and the change does not count.
	Unsigned, Undone bool
	// Pending is how many rows of observers the document lacks; they are in
	// State all the same.
	Pending int
	tree    *lossless.Value
}

// JSON is the document as it stands now, with every member that warp does not
// know, and the given ones at its end.
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
}

func (e *ActiveError) Error() string {
	what := fmt.Sprintf("Active session exists: issue %s in phase %s", orNone(e.Issue), e.Phase)
	if e.Stale {
		return fmt.Sprintf("%s (stale: process %d is gone); resume it with warp resume, or reset it with warp stop --hard", what, e.PID)
	}
	return fmt.Sprintf("%s (process %d); warp status shows it, warp stop ends it", what, e.PID)
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
