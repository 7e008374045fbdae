package fleetview

import (
	"testing"

	"warp/internal/core/conduct"
)

func TestWords(t *testing.T) {
	v := View{Trains: []Train{{Repo: "x", Line: []string{"x#1", "x#2"}, Turn: true}}}
	for _, c := range []struct {
		r           Requirement
		want, train string
	}{
		{Requirement{State: Running}, "begins", ""},
		{Requirement{State: Running, Phase: "coding", Doing: "Edit a.go"}, "Edit a.go", ""},
		{Requirement{State: Running, Doing: "waits", Ask: &conduct.Ask{Text: "Which?"}}, "asks: Which?", ""},
		{Requirement{State: Waiting, Paused: true, Why: "waits for x#1"}, "paused", ""},
		{Requirement{State: Waiting, Why: "waits for x#1"}, "waits for x#1", ""},
		{Requirement{State: Parked, Why: "red", Outcome: &conduct.Outcome{Result: "failed"}}, "red", ""},
		{Requirement{State: Done, Outcome: &conduct.Outcome{Result: "merged", Commit: "abc"}}, "merged abc", ""},
		{Requirement{Repo: "x", Issue: "2", State: Running, Train: "waits"}, "begins", "place 2 in the merge train"},
		{Requirement{Repo: "x", Issue: "1", State: Running, Train: "has the turn"}, "begins", "has the turn to merge"},
		{Requirement{Repo: "y", Issue: "1", State: Running, Train: "waits"}, "begins", "waits for the merge train"},
	} {
		if got, train := c.r.Words(), v.TrainWords(c.r); got != c.want || train != c.train {
			t.Errorf("%+v: %q and %q", c.r, got, train)
		}
	}
	if got := (Purse{Settled: 2_000_000, Reserved: 500_000, Cap: 50_000_000}).Words(); got != "$2.00 spent, $0.50 reserved, of $50.00" {
		t.Error(got)
	}
}
