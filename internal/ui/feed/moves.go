package feed

import (
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
)

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

// take processes a row of the drive's document. A row with the whole history repeats earlier
// moves.
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
