package feed

import (
	"fmt"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
)

// Stay is the time that a drive spent in a phase.
type Stay struct {
	Phase    drivestate.Phase
	Issue    string
	From, To time.Time // To is zero while the phase lasts
	epoch    int64
}

// Stays are the phases that drives were in, in the order in which they were entered. One
// whose end is not known, since its drive was replaced by another, has none.
func (f *Feed) Stays() (list []Stay) {
	open := map[string]int{} // by work tree: the stay that lasts
	for _, m := range f.Moves {
		if n, ok := open[m.Root]; ok && list[n].epoch == m.epoch {
			list[n].To = m.Time
		}
		delete(open, m.Root)
		if m.Phase.Active() {
			open[m.Root] = len(list)
			list = append(list, Stay{Phase: m.Phase, Issue: m.Issue, From: m.Time, epoch: m.epoch})
		}
	}
	// Looking for work is part of the work that is found.
	next := map[int64]string{}
	for n := len(list) - 1; n >= 0; n-- {
		s := &list[n]
		if s.Issue == "" {
			s.Issue = next[s.epoch]
		}
		next[s.epoch] = s.Issue
	}
	return list
}

// StaysOf are the phases of one item.
func (f *Feed) StaysOf(i Item) (list []Stay) {
	if i.Kind != Drive && i.Kind != Guided {
		return nil
	}
	for _, s := range f.Stays() {
		if s.Issue == i.Issue && s.epoch == i.epoch {
			list = append(list, s)
		}
	}
	return list
}

// RunsOf are the runs of agents for one item, in the order in which they ended.
func (f *Feed) RunsOf(i Item) (list []evidence.Entry[evidence.Run]) {
	if i.Kind == Drive || i.Kind == Guided {
		for _, e := range f.Book.Runs {
			if e.Row.Issue == i.Issue && e.Row.Epoch == i.epoch {
				list = append(list, e)
			}
		}
		return list
	}
	for _, e := range f.Book.Others {
		if e.Row.Work == i.workName() && !moment(e.At).Before(i.Started) {
			list = append(list, e)
		}
	}
	return list
}

// workName is what rows of evidence call the work of a session or a workflow.
func (i Item) workName() string {
	if i.work != "" {
		return i.work
	}
	return "session " + i.Name
}

// Identity names an item as nothing else is named, in whatever process and work tree it
// is read: a drive that was killed and resumed has the same.
func (i Item) Identity() string {
	if i.Kind == Drive || i.Kind == Guided {
		return fmt.Sprintf("drive %s %d", i.Issue, i.epoch)
	}
	return fmt.Sprintf("%s %d", i.workName(), i.Started.UnixMilli())
}
