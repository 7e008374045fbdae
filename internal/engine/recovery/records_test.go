package recovery

import (
	"slices"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
)

func written(epoch int64) event.Row {
	return event.Row{Kind: event.Criteria, Data: lossless.Encode(evidence.Written{Issue: "1", Epoch: epoch}, nil)}
}

func commit(epoch int64, hash string) event.Row {
	return event.Row{Kind: event.Commit, Data: lossless.Encode(evidence.Commit{Issue: "1", Epoch: epoch, Hash: hash}, nil)}
}

// Without a state, the commits that count are those of the newest session, which
// began where its criteria were recorded, whatever the clock said.
func TestTheNewestSessionsCommitsAreRecorded(t *testing.T) {
	for name, c := range map[string]struct {
		rows []event.Row
		want []string
	}{
		"one session":                 {[]event.Row{written(5), commit(5, "a"), commit(5, "b")}, []string{"a", "b"}},
		"two":                         {[]event.Row{written(5), commit(5, "a"), written(6), commit(6, "b")}, []string{"b"}},
		"two, by an older version":    {[]event.Row{written(0), commit(0, "a"), written(0), commit(0, "b")}, []string{"b"}},
		"an upgrade in the middle":    {[]event.Row{written(0), commit(0, "a"), commit(5, "b")}, []string{"a", "b"}},
		"criteria were read again":    {[]event.Row{written(5), commit(5, "a"), written(5), commit(5, "b")}, []string{"a", "b"}},
		"nothing is committed so far": {[]event.Row{written(5), commit(5, "a"), written(6)}, nil},
	} {
		r := &Recovery{history: history{book: &evidence.Book{}}}
		for i, row := range c.rows {
			row.At = []string{"2026-11-15T09:00:00.000Z", "2026-11-15T01:00:00.000Z"}[min(i, 1)] // set back
			r.book.Take(row)
		}
		if got := r.recorded(chosen{issue: "1"}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
