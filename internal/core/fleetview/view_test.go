package fleetview

import (
	"strings"
	"testing"
	"time"

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
	if got := (Budget{Settled: 2_000_000, Reserved: 500_000, Cap: 50_000_000}).FormatBudget(); got != "$2.00 spent, $0.50 reserved, of $50.00 a night" {
		t.Error(got)
	}
}

func TestRequirementsAreFound(t *testing.T) {
	v := View{
		Running: []Requirement{{Repo: "x", Issue: "1", Phase: "requirement_complete"}, {Repo: "x", Issue: "2", Ask: &conduct.Ask{Text: "Which?"}}},
		Queue:   []Requirement{{Repo: "y", Issue: "1"}}, Parked: []Requirement{{Repo: "y", Issue: "2"}}, Done: []Requirement{{Repo: "x", Issue: "3"}},
	}
	var ids []string
	for _, r := range v.All() {
		ids = append(ids, r.ID())
	}
	if got := strings.Join(ids, " "); got != "x#1 x#2 y#1 y#2 x#3" {
		t.Errorf("in the order %s", got)
	}
	if r, ok := v.Find("y#2"); !ok || r.Repo != "y" || r.Issue != "2" {
		t.Errorf("found %+v, %v", r, ok)
	}
	if r, ok := v.Find("x#9"); ok {
		t.Errorf("found %+v", r)
	}
	if a := v.Asking(); len(a) != 1 || a[0].ID() != "x#2" {
		t.Errorf("asking: %+v", a)
	}
	if got := v.Running[0].PhaseWords(); got != "requirement complete" {
		t.Error(got)
	}
}

func TestMachinesInWords(t *testing.T) {
	at := time.Date(2026, 3, 1, 22, 5, 0, 0, time.Local)
	for want, m := range map[string]Machine{
		"":                                    {},
		"its slots are in use":                {Hold: "its slots are in use"},
		"finishes its steps and leaves":       {Draining: true, Hold: "no work"},
		"has not been heard from":             {Gone: true, Draining: true},
		"has not been heard from since 22:05": {Gone: true, Seen: at},
	} {
		if got := m.Words(); got != want {
			t.Errorf("%+v: %q", m, got)
		}
	}
}
