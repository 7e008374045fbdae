package feed

import (
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
}

// movesIn are the moves that a row of the drive's document tells. A row that has the
// whole history repeats the moves before it.
func (t *tree) movesIn(row dated) (list []Move) {
	set := row.Patch.Get("set")
	if row.Full != nil {
		set = row.Full
	}
	if issue := set.Get("requirement"); issue != nil {
		t.issue = issue.Text()
	}
	added, repeats := set.Get("history"), true
	if added == nil {
		added, repeats = row.Patch.Get("grow").Get("history").Get("rows"), false
	}
	var rows []drivestate.Row
	if added == nil || lossless.Decode(added, &rows) != nil { // of another version
		return nil
	}
	for _, r := range rows {
		if !repeats || r.At > t.moved {
			list = append(list, Move{r, moment(r.At), t.issue, row.root})
			t.moved = r.At
		}
	}
	return list
}
