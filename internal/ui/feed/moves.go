package feed

import (
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
)

// Move is a drive's way from a phase to the next.
type Move struct {
	drivestate.Row
	Time  time.Time
	Issue string
	Root  string
	epoch int64
}

// Wait is time in which a drive waited, for a limit to end or because a person paused it.
type Wait struct {
	Why      string // "limit" or "pause": the document's words are for people
	Issue    string
	From, To time.Time
}

// progress is what the rows of a drive's document have told so far.
type progress struct {
	moved string // when it moved last
	issue string // what that was about
	epoch int64  // its session
	held  map[string]time.Time
}

// holds are the members of a drive's document that are there while it waits, and what
// says since when.
var holds = map[string]struct{ why, since string }{"waiting": {"limit", "since"}, "paused": {"pause", "at"}}

// take notes what a row of the drive's document tells. A row that has the whole history
// repeats the moves before it.
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
	if added == nil || lossless.Decode(added, &rows) != nil { // of another version
		return nil, waits
	}
	for _, r := range rows {
		if !repeats || r.At > p.moved {
			moves = append(moves, Move{r, moment(r.At), p.issue, row.root, p.epoch})
			p.moved = r.At
		}
	}
	return moves, waits
}

// takeHolds notes waits that begin, and returns those that are over.
func (p *progress) takeHolds(row dated, set *lossless.Value) (over []Wait) {
	for name, hold := range holds {
		began, under := p.held[name]
		now := set.Get(name)
		switch gone := row.Full != nil && now == nil || isUnset(row, name); {
		case under && gone:
			over = append(over, Wait{hold.why, p.issue, began, moment(row.At)})
			delete(p.held, name)
		case !under && now != nil:
			if p.held == nil {
				p.held = map[string]time.Time{}
			}
			if p.held[name] = moment(now.Get(hold.since).Text()); p.held[name].IsZero() {
				p.held[name] = moment(row.At)
			}
		}
	}
	return over
}

func isUnset(row dated, name string) bool {
	unset := row.Patch.Get("unset")
	return unset != nil && slices.ContainsFunc(unset.Elems, func(v *lossless.Value) bool { return v.Is(name) })
}
