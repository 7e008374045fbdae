package schedule_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/schedule"
)

// A queue that went through JSON decides as the one that it was made from, whatever
// happened before.
func TestASavedQueueGoesOnTheSame(t *testing.T) {
	repos := []schedule.Repository{{Name: "x", Most: 2}, {Name: "y", Priority: 2}}
	accounts := []schedule.Account{{Name: "a", Most: 3}, {Name: "b", Share: 0.5}}
	w := schedule.Worker{Accounts: []string{"a", "b"}}
	rapid.Check(t, func(t *rapid.T) {
		q, at := schedule.New(repos, accounts), now
		acts := []func(id string){
			func(id string) {
				q.Add(schedule.Requirement{ID: id, Repo: id[:1], Arrived: at, Needs: map[string][]string{"x#3": {"y#1"}, "z#1": {"x#1", "q#1"}}[id]})
			},
			func(string) { q.Take(w, at) }, func(string) { q.Take(w, at) },
			func(id string) { q.Merge(id) }, func(id string) { q.Park(id) }, func(id string) { q.Return(id) }, func(id string) { q.Rest(id) },
			func(id string) { q.Wake(id, "b") },
			func(string) { q.Limit("a", time.Time{}, at) },
			func(string) { q.Use("b", "week", 30, at.Add(time.Hour), 10*time.Hour) },
		}
		ids := []string{"x#1", "x#2", "x#3", "y#1", "y#2", "z#1"}
		step := func() {
			acts[rapid.IntRange(0, len(acts)-1).Draw(t, "act")](rapid.SampledFrom(ids).Draw(t, "id"))
			at = at.Add(time.Minute)
		}
		for range rapid.IntRange(0, 40).Draw(t, "before") {
			step()
		}
		text, err := json.Marshal(q.Save())
		if err != nil {
			t.Fatal(err)
		}
		var s schedule.Saved
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		again := schedule.Restore(repos, accounts, s)
		if diff := cmp.Diff(q.Save(), again.Save()); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(q.Line(), again.Line()); diff != "" {
			t.Fatal(diff)
		}
		for range 12 {
			g, h := q.Take(w, at)
			g2, h2 := again.Take(w, at)
			if diff := cmp.Diff(fmt.Sprint(g, h), fmt.Sprint(g2, h2)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestTheLineSaysWhyEachWaits(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x", Most: 1}, {Name: "y"}}, []schedule.Account{{Name: "a"}})
	for _, r := range []schedule.Requirement{{ID: "x#1", Repo: "x"}, {ID: "x#2", Repo: "x"}, {ID: "y#1", Repo: "y", Priority: 1}, {ID: "y#2", Repo: "y", Needs: []string{"x#1", "z#9"}}, {ID: "z#1", Repo: "z"}} {
		q.Add(r)
	}
	if g, _ := q.Take(anyone, now); g.ID != "x#1" {
		t.Fatal(g.ID)
	}
	var got []string
	for _, w := range q.Line() {
		got = append(got, w.ID+": "+w.Why)
	}
	if diff := cmp.Diff([]string{"y#1: ", "x#2: x is at its limit (at_once)", "y#2: waits for x#1 z#9", "z#1: z is not in the fleet"}, got); diff != "" {
		t.Error(diff)
	}
}

// An account that is taken out of the fleet and put back still has the agents that run.
func TestAnAccountThatComesBackKnowsItsAgents(t *testing.T) {
	repos, accounts := []schedule.Repository{{Name: "x"}}, []schedule.Account{{Name: "a", Most: 1}}
	q := schedule.New(repos, accounts)
	q.Add(schedule.Requirement{ID: "x#1", Repo: "x"})
	q.Add(schedule.Requirement{ID: "x#2", Repo: "x"})
	q.Take(anyone, now)
	q.Configure(repos, nil)
	q.Configure(repos, accounts)
	if g, hold := q.Take(anyone, now); hold.Why != "every account is at its limit of agents" {
		t.Errorf("%+v %+v", g, hold)
	}
}

func TestASavedBudget(t *testing.T) {
	caps := schedule.Caps{Night: 100, Day: 150, Repo: map[string]int64{"x": 60}}
	p := schedule.NewBudget(caps)
	p.Reserve("1", "x", 30, now)
	p.Reserve("2", "y", 30, now)
	p.Settle("1", "x", 50, now)
	text, _ := json.Marshal(p.Save())
	var s schedule.SavedBudget
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	p = schedule.RestoreBudget(caps, s)
	for _, c := range []struct {
		repo   string
		amount int64
		want   string
		later  bool
	}{{"x", 20, "the cap of x", false}, {"y", 30, "the cap of the night", true}, {"y", 60, "the cap of the night", false}} {
		if why := p.Reserve("3", c.repo, c.amount, now); !strings.HasPrefix(why, c.want) {
			t.Errorf("%+v: %q", c, why)
		}
		if got := p.HasRoom(c.repo, c.amount, now); got != c.later {
			t.Errorf("%+v: room later: %v", c, got)
		}
	}
	p.BeginNight()
	if settled, reserved, over := p.Spent(); settled != 0 || reserved != 30 || over != 0 {
		t.Error(settled, reserved, over)
	}
	if why := p.Reserve("4", "y", 71, now); !strings.HasPrefix(why, "the cap of the night") {
		t.Error(why) // what runs on is part of the new night
	}
	if why := p.Reserve("4", "y", 70, now); why != "" {
		t.Error(why)
	}
	if why := p.Reserve("5", "y", 1, now); !strings.HasPrefix(why, "the cap of the night") {
		t.Error(why)
	}
}

// A fleet that has merged for years hands little on.
func TestMergedIDsAreSavedAsRanges(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x"}, {Name: "y"}}, nil)
	ids := []string{"y#7a", "y#8", "y#010", "z", "a..b#3", "a..b#4"}
	for n := range 5000 {
		ids = append(ids, fmt.Sprintf("x#%d", n+100))
	}
	for _, id := range ids {
		q.Add(schedule.Requirement{ID: id, Repo: id[:1]})
		q.Merge(id)
	}
	s := q.Save()
	if got := strings.Join(s.Merged, " "); got != "y#010 y#7a z a..b#3..4 x#100..5099 y#8" {
		t.Errorf("%.200s", got)
	}
	again := schedule.Restore(nil, nil, s)
	for _, id := range ids {
		if !again.IsMerged(id) {
			t.Errorf("%s is forgotten", id)
		}
	}
	if again.IsMerged("x#99") || again.IsMerged("x#5100") {
		t.Error("what was not merged is")
	}
}
