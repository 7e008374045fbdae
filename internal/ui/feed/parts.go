package feed

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
)

// Stay is the time a drive spent in a phase.
type Stay struct {
	Phase    drivestate.Phase
	Issue    string
	From, To time.Time // zero while the phase lasts
	epoch    int64
}

// Stays returns the phases of drives in the order they were entered. A stay has no end if
// another drive replaced its drive.
func (f *Feed) Stays() (list []Stay) {
	open := map[string]int{} // the current stay, by work tree
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
	// Count the search for work as part of the work it found.
	next := map[int64]string{}
	for n := len(list) - 1; n >= 0; n-- {
		s := &list[n]
		s.Issue = cmp.Or(s.Issue, next[s.epoch])
		next[s.epoch] = s.Issue
	}
	return list
}

// StaysOf returns the phases of one item.
func (f *Feed) StaysOf(i Item) (list []Stay) {
	if !i.IsDrive() {
		return nil
	}
	for _, s := range f.Stays() {
		if s.Issue == i.Issue && s.epoch == i.epoch {
			list = append(list, s)
		}
	}
	return list
}

// RunsOf returns the agent runs of one item, in the order they ended.
func (f *Feed) RunsOf(i Item) (list []evidence.Entry[evidence.Run]) {
	if i.IsDrive() {
		for _, e := range f.Book.Runs {
			if e.Row.Issue == i.Issue && e.Row.Epoch == i.epoch {
				list = append(list, e)
			}
		}
		return list
	}
	for _, e := range f.Book.Others {
		if e.Row.Work == i.workName() && !ParseTime(e.At).Before(i.Started) {
			list = append(list, e)
		}
	}
	return list
}

// workName returns the name of a session or workflow in evidence.
func (i Item) workName() string {
	if i.work != "" {
		return i.work
	}
	return "session " + i.Name
}

// Identity returns a unique ID for an item, the same in every process and work tree, and after a
// drive was killed and resumed.
func (i Item) Identity() string {
	if i.IsDrive() {
		return fmt.Sprintf("drive %s %d", i.Issue, i.epoch)
	}
	return fmt.Sprintf("%s %d", i.workName(), i.Started.UnixMilli())
}

// commands maps verbs to the commands for sessions and workflows.
var commands = map[string]struct{ session, workflow []string }{
	"pause":    {[]string{"sessions", "stop"}, []string{"workflow", "pause"}},
	"stop":     {[]string{"sessions", "stop"}, []string{"workflow", "pause"}},
	"continue": {[]string{"sessions", "resume"}, []string{"workflow", "resume"}},
	"resume":   {[]string{"sessions", "resume"}, []string{"workflow", "resume"}},
}

// Line is the command line of a verb (pause, continue, resume, stop) for an item, to be run in its
// folder. It names the item's kind, because a session can have the name of a workflow or an issue
// (42), and a workflow can be called --help.
func (i Item) Line(verb string, flags ...string) []string {
	line := commands[verb].session
	switch i.Kind {
	case Workflow: // there is one
		return slices.Concat(commands[verb].workflow, flags)
	case Drive, Guided:
		if line = []string{verb}; verb == "resume" {
			line = []string{"drive"}
			if s := i.Drive.State; s != nil { // without its limits it would run without any
				flags = slices.Concat(flags, s.Session.Caps.Flags())
			}
		}
	}
	return slices.Concat(line, flags, []string{"--", i.Name})
}

// Move is a drive's change from one phase to the next.
type Move struct {
	drivestate.Row
	Time  time.Time
	Issue string
	Root  string
	epoch int64
}

// Wait is a time span in which a drive waited for a limit or was paused by a person.
type Wait struct {
	Why      string // "limit" or "pause"
	Issue    string
	From, To time.Time
}

// progress is what the rows of a drive's document have shown so far.
type progress struct {
	moved string // time of the last move
	issue string // issue of the last move
	epoch int64  // of its session
	held  map[string]time.Time
}

// waitMembers maps members that a drive's document has while it waits to the kind of wait and the
// member with its start.
var waitMembers = map[string]struct{ why, since string }{"waiting": {"limit", "since"}, "paused": {"pause", "at"}}

// take processes a row of the drive's document. A row with the whole history repeats earlier moves.
func (p *progress) take(row dated) (moves []Move, waits []Wait) {
	set := row.Patch.Get("set")
	if row.Full != nil {
		set = row.Full
	}
	if issue := set.Get("requirement"); issue != nil {
		p.issue = issue.Text()
	}
	if epoch, ok := set.Get("session").Get("started_at_epoch").Int(); ok {
		p.epoch = epoch
	}
	waits = p.takeHolds(row, set)
	added, repeats := set.Get("history"), true
	if added == nil {
		added, repeats = row.Patch.Get("grow").Get("history").Get("rows"), false
	}
	var rows []drivestate.Row
	if added == nil || lossless.Decode(added, &rows) != nil { // written by another version
		return nil, waits
	}
	for _, r := range rows {
		if !repeats || r.At > p.moved {
			moves = append(moves, Move{r, ParseTime(r.At), p.issue, row.root, p.epoch})
			p.moved = r.At
		}
	}
	return moves, waits
}

// takeHolds notes waits that begin and returns those that have ended.
func (p *progress) takeHolds(row dated, set *lossless.Value) (over []Wait) {
	for name, hold := range waitMembers {
		began, under := p.held[name]
		now := set.Get(name)
		switch gone := row.Full != nil && now == nil || isUnset(row, name); {
		case under && gone:
			over = append(over, Wait{hold.why, p.issue, began, ParseTime(row.At)})
			delete(p.held, name)
		case !under && now != nil:
			if p.held == nil {
				p.held = map[string]time.Time{}
			}
			if p.held[name] = ParseTime(now.Get(hold.since).Text()); p.held[name].IsZero() {
				p.held[name] = ParseTime(row.At)
			}
		}
	}
	return over
}

func isUnset(row dated, name string) bool {
	unset := row.Patch.Get("unset")
	return unset != nil && slices.ContainsFunc(unset.Elems, func(v *lossless.Value) bool { return v.Is(name) })
}
