package night

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/nightreport"
	"warp/internal/durable"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

// row is a night in the journal; it has an account once the night has ended.
type row struct {
	Began   string              `json:"began"`
	Several bool                `json:"several,omitempty"`
	PID     int                 `json:"pid"`
	Stamp   string              `json:"pid_stamp,omitempty"`
	Turn    int                 `json:"turn,omitempty"` // how often it was continued
	Account *nightreport.Report `json:"account,omitempty"`
}

// Begin begins a night, or continues the oldest killed one. A night of several issues stays one
// even if a single issue is left.
func Begin(home *durable.Store, me step.Process, several bool, now func() time.Time) (*Night, error) {
	n, err := TakeKilled(home, me, 0, now)
	if err != nil {
		return nil, err
	}
	if n != nil {
		if several && !n.Several {
			err = n.HasSeveral()
		}
		return n, err
	}
	n = &Night{Several: several, home: home, me: me, now: now}
	if _, n.rows, err = findOpen(home); err != nil {
		return nil, err
	}
	for moment := now(); ; moment = moment.Add(time.Millisecond) { // another may begin at the same moment
		n.began = event.Stamp(moment)
		if won, err := n.claim(); won || err != nil {
			return n, err
		}
	}
}

// TakeKilled continues the oldest killed night while there are more than keep of them; else it
// returns nil.
func TakeKilled(home *durable.Store, me step.Process, keep int, now func() time.Time) (*Night, error) {
	for {
		killed, err := findKilled(home)
		if err != nil || len(killed) <= keep {
			return nil, err
		}
		k := killed[0]
		n := &Night{Several: k.Several, began: k.Began, turn: k.Turn + 1, home: home, me: me, now: now, rows: k.before}
		if won, err := n.claim(); won || err != nil {
			return n, err
		}
	}
}

// claim records that the night belongs to this process, and reports whether it does: if several
// engines want a night, the first in the journal gets it (two engines once ended the same killed
// night, and people were told twice).
func (n *Night) claim() (won bool, err error) {
	if err := n.record(nil); err != nil {
		return false, err
	}
	open, _, err := findOpen(n.home)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(open, func(o openNight) bool { return o.Began == n.began })
	if i < 0 {
		return n.turn == 0, nil // another process continued and ended it
	}
	return open[i].Turn < n.turn || n.row().isSameTurn(open[i].row), nil // a row that does not count blocks no night
}

// CountKilled counts the killed nights that are not accounted for yet.
func CountKilled(home *durable.Store) (int, error) {
	killed, err := findKilled(home)
	return len(killed), err
}

// findKilled returns the nights without an end and without a process, oldest first. Several may run
// at once (one that was killed next to another was once forgotten, with everything it had done).
func findKilled(home *durable.Store) ([]openNight, error) {
	open, _, err := findOpen(home)
	return slices.DeleteFunc(open, func(n openNight) bool { return !isGone(n.row) }), err
}

// openNight is a night without an end.
type openNight struct {
	row
	before int // rows of the journal before it began
}

// findOpen returns the nights without an end, oldest first, each with its process, and the number
// of rows in the journal.
func findOpen(home *durable.Store) (list []openNight, rows int, err error) {
	_, err = home.Events(func(r event.Row) bool {
		rows++
		got, ok := readRow(r)
		if !ok {
			return true
		}
		switch i := slices.IndexFunc(list, func(n openNight) bool { return n.Began == got.Began }); {
		case got.Account != nil && i >= 0:
			list = slices.Delete(list, i, i+1)
		case i < 0 && got.Account == nil && got.Turn == 0:
			list = append(list, openNight{got, rows})
		case i < 0: // another process continued and ended it
		case got.Turn == list[i].Turn+1 || got.isSameTurn(list[i].row): // else another process was faster
			got.Several = got.Several || list[i].Several
			list[i].row = got
		}
		return true
	})
	if err != nil && !durable.IsMissing(err) {
		return nil, 0, fmt.Errorf("reading the journal: %w", err)
	}
	return list, rows, nil
}

// readRow reads a row about a night.
func readRow(r event.Row) (got row, ok bool) {
	ok = r.Kind == event.Night && r.Counts() && lossless.Decode(r.Data, &got) == nil
	return got, ok
}

func (r row) isSameTurn(as row) bool {
	return r.Turn == as.Turn && r.PID == as.PID && r.Stamp == as.Stamp
}

func isGone(r row) bool {
	stamp, alive := proc.Started(r.PID)
	return !alive || r.Stamp != "" && stamp != "" && stamp != r.Stamp
}
