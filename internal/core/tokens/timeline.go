package tokens

import (
	"slices"
	"sort"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Timeline holds which session did which work when, in one work tree. It is built from the rows of
// the journal, oldest first.
type Timeline struct {
	steps  []step
	Merged []string // merged requirements
}

// step is the state of a drive from a time on.
type step struct {
	at int64
	Place
	owner string // the driving session
}

// Take adds a row of the journal, ignoring rows that are not about a drive.
func (t *Timeline) Take(r event.Row) {
	if r.Doc != "drive" {
		return
	}
	now := step{at: stamp(r.At)}
	if n := len(t.steps); n > 0 && r.Full == nil {
		now = t.steps[n-1]
		now.at = stamp(r.At)
	}
	switch set := r.Patch.Get("set"); {
	case r.Full != nil:
		now.take(r.Full)
	case r.Kind == event.Removed:
		now = step{at: now.at}
	default:
		now.take(set)
	}
	if r.Data.Get("event").Text() == string(drivestate.Merged) && now.Issue != "" && !slices.Contains(t.Merged, now.Issue) {
		t.Merged = append(t.Merged, now.Issue)
	}
	t.steps = append(t.steps, now)
}

func (s *step) take(members *lossless.Value) {
	if v := members.Get("phase"); v != nil {
		s.Phase = v.Text()
	}
	if v := members.Get("requirement"); v != nil {
		s.Issue = v.Text()
	}
	if v := members.Get("chunk"); v != nil {
		n, _ := v.Get("index").Int()
		s.Chunk = int(n)
	}
	if v := members.Get("session"); v != nil {
		s.owner = v.Get("claude_session_id").Text()
	}
}

// Of returns the work that a session did at a time; false if it drove nothing then.
func (t *Timeline) Of(session string, at time.Time) (Place, bool) {
	ms := at.UnixMilli()
	i := sort.Search(len(t.steps), func(i int) bool { return t.steps[i].at > ms })
	if i == 0 {
		return Place{}, false
	}
	s := t.steps[i-1]
	if session == "" || s.owner != session || !drivestate.Phase(s.Phase).Active() {
		return Place{}, false
	}
	return s.Place, true
}

// Issues returns the requirements worked on since a time.
func (t *Timeline) Issues(since time.Time) (list []string) {
	for _, s := range t.steps {
		if s.at >= since.UnixMilli() && s.Issue != "" && !slices.Contains(list, s.Issue) {
			list = append(list, s.Issue)
		}
	}
	return list
}
