package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/schedule"
)

var now = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

var anyone = schedule.Worker{Accounts: []string{"a"}}

// take takes until nothing is left, and tells what came in which order.
func take(q *schedule.Queue, w schedule.Worker, most int) (ids []string, hold schedule.Hold) {
	for range most {
		g, h := q.Take(w, now)
		if h.Why != "" {
			return ids, h
		}
		ids = append(ids, g.ID)
	}
	return ids, schedule.Hold{}
}

func TestOrder(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x"}}, []schedule.Account{{Name: "a"}})
	q.Add(schedule.Requirement{ID: "x#1", Repo: "x", Arrived: now.Add(time.Hour)})
	q.Add(schedule.Requirement{ID: "x#2", Repo: "x", Arrived: now})
	q.Add(schedule.Requirement{ID: "x#3", Repo: "x", Arrived: now.Add(2 * time.Hour), Priority: 5})
	q.Add(schedule.Requirement{ID: "x#3", Repo: "x"}) // known
	if got, hold := take(q, anyone, 9); strings.Join(got, " ") != "x#3 x#2 x#1" || hold.Why != "no work is ready" {
		t.Errorf("%q, %q", got, hold.Why)
	}
}

func TestNeedsAreMergedFirst(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x"}, {Name: "y"}}, []schedule.Account{{Name: "a"}})
	q.Add(schedule.Requirement{ID: "x#1", Repo: "x", Needs: []string{"y#7"}})
	if _, hold := take(q, anyone, 1); hold.Why != "1 requirements wait for others" {
		t.Error(hold.Why)
	}
	if got := q.Circles(); !slices.Equal(got, []string{"x#1"}) {
		t.Errorf("what is not there: %q", got)
	}
	q.Add(schedule.Requirement{ID: "y#7", Repo: "y"})
	if got := q.Circles(); got != nil {
		t.Errorf("%q", got)
	}
	take(q, anyone, 1)
	q.Park("y#7")
	if got, _ := take(q, anyone, 1); got != nil {
		t.Errorf("what it needs was not merged: %q", got)
	}
	q.Return("y#7")
	take(q, anyone, 1)
	q.Merge("y#7")
	if got, _ := take(q, anyone, 1); !slices.Equal(got, []string{"x#1"}) {
		t.Errorf("%q", got)
	}
	q.Add(schedule.Requirement{ID: "x#8", Repo: "x", Needs: []string{"x#9"}})
	q.Add(schedule.Requirement{ID: "x#9", Repo: "x", Needs: []string{"x#8"}})
	if got := q.Circles(); !slices.Equal(got, []string{"x#8", "x#9"}) {
		t.Errorf("a circle: %q", got)
	}
}

func TestRepositoriesShare(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "big"}, {Name: "small"}, {Name: "urgent", Priority: 3}}, []schedule.Account{{Name: "a"}})
	for n := range 100 {
		for _, repo := range []string{"big", "small", "urgent"} {
			q.Add(schedule.Requirement{ID: fmt.Sprintf("%s#%d", repo, n), Repo: repo})
		}
	}
	got, _ := take(q, anyone, 50)
	count := map[string]int{}
	for _, id := range got {
		repo, _, _ := strings.Cut(id, "#")
		count[repo]++
	}
	if count["big"] != 10 || count["small"] != 10 || count["urgent"] != 30 {
		t.Errorf("%v", count)
	}
	// One that had nothing to do does not catch up on it later.
	q.Configure([]schedule.Repository{{Name: "big"}, {Name: "late"}}, []schedule.Account{{Name: "a"}})
	for n := range 100 {
		q.Add(schedule.Requirement{ID: fmt.Sprintf("late#%d", n), Repo: "late"})
	}
	got, _ = take(q, anyone, 20)
	late := 0
	for _, id := range got {
		if strings.HasPrefix(id, "late") {
			late++
		}
	}
	if late != 10 {
		t.Errorf("%d of 20 are the late one's", late)
	}
}

func TestBoundsAndPools(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x", Most: 1}, {Name: "gpu", Pool: "gpu"}}, []schedule.Account{{Name: "a", Most: 2}, {Name: "b", Most: 1}})
	for n := range 3 {
		q.Add(schedule.Requirement{ID: fmt.Sprintf("x#%d", n), Repo: "x"})
		q.Add(schedule.Requirement{ID: fmt.Sprintf("gpu#%d", n), Repo: "gpu"})
	}
	if got, hold := take(q, anyone, 3); len(got) != 1 || hold.Why != "every repository with work is at its limit (at_once)" {
		t.Errorf("%q, %q", got, hold.Why)
	}
	gpu := schedule.Worker{Pool: "gpu", Accounts: []string{"a", "b"}}
	if got, hold := take(q, gpu, 9); len(got) != 2 || hold.Why != "every account is at its limit of agents" {
		t.Errorf("%q, %q", got, hold.Why)
	}
	q.Merge("x#0")
	if got, _ := take(q, anyone, 9); !slices.Equal(got, []string{"x#1"}) {
		t.Errorf("%q", got)
	}
	if _, hold := take(q, schedule.Worker{Pool: "gpu", Accounts: []string{"c"}}, 1); hold.Why != "the worker has none of the fleet's accounts" {
		t.Error(hold.Why)
	}
	q.Rest("x#1") // its agent is done, and it is not merged yet
	q.Rest("x#1")
	if _, hold := take(q, anyone, 1); hold.Why != "every repository with work is at its limit (at_once)" {
		t.Error(hold.Why)
	}
	if got, _ := take(q, gpu, 9); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestAnAccountThatMetALimitRests(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x"}}, []schedule.Account{{Name: "a"}, {Name: "b"}})
	for n := range 9 {
		q.Add(schedule.Requirement{ID: fmt.Sprintf("x#%d", n), Repo: "x"})
	}
	both := schedule.Worker{Accounts: []string{"a", "b"}}
	q.Limit("a", now.Add(time.Hour), now)
	for range 3 {
		if g, _ := q.Take(both, now); g.Account != "b" {
			t.Errorf("%+v", g)
		}
	}
	for range 3 {
		q.Limit("b", time.Time{}, now)
	}
	if _, hold := q.Take(both, now); hold.Why != "b: it reached a limit" || !hold.Until.Equal(now.Add(4*time.Minute)) {
		t.Errorf("%+v", hold)
	}
	q.Works("b")
	q.Limit("b", time.Time{}, now.Add(time.Hour))
	if _, hold := q.Take(both, now.Add(time.Hour)); hold.Why != "" {
		t.Errorf("a's limit is over: %+v", hold)
	}
}

func TestWindowsAreUsedAtTheirPace(t *testing.T) {
	for name, c := range map[string]struct {
		percent float64
		share   float64
		passed  time.Duration
		want    string
	}{
		"at its pace":         {50, 0, 2 * time.Hour, ""},
		"a little ahead":      {60, 0, 2 * time.Hour, ""},
		"far ahead":           {80, 0, 2 * time.Hour, "a: 80% of its window five_hour are used, ahead of time"},
		"its share is used":   {50, 0.5, 4 * time.Hour, "a: 50% of its window five_hour are used"},
		"the window is over":  {100, 0, 5 * time.Hour, ""},
		"all of it is used":   {100, 0, 4 * time.Hour, "a: 100% of its window five_hour are used"},
		"ahead of a share":    {30, 0.5, time.Hour, "a: 30% of its window five_hour are used, ahead of time"},
		"not ahead of a half": {20, 0.5, time.Hour, ""},
	} {
		q := schedule.New([]schedule.Repository{{Name: "x"}}, []schedule.Account{{Name: "a", Share: c.share}})
		q.Add(schedule.Requirement{ID: "x#1", Repo: "x"})
		q.Use("a", "five_hour", c.percent, now.Add(5*time.Hour-c.passed), 5*time.Hour)
		_, hold := q.Take(anyone, now)
		if hold.Why != c.want {
			t.Errorf("%s: %+v", name, hold)
		}
		if c.want != "" {
			if _, again := q.Take(anyone, hold.Until); again.Why != "" {
				t.Errorf("%s: at %s it still rests: %+v", name, hold.Until, again)
			}
		}
	}
}

func TestCapsBind(t *testing.T) {
	p := schedule.NewBudget(schedule.Caps{Night: 100, Day: 1000, Repo: map[string]int64{"x": 50}})
	for _, c := range []struct {
		step, repo string
		amount     int64
		want       string
	}{
		{"1", "x", 40, ""},
		{"1", "x", 40, ""}, // it has its reservation
		{"2", "x", 20, "the cap of x leaves too little"},
		{"3", "y", 60, ""},
		{"4", "y", 1, "the cap of the night is reached"},
	} {
		if why := p.Reserve(c.step, c.repo, c.amount, now); !strings.HasPrefix(why, c.want) || (why == "") != (c.want == "") {
			t.Errorf("%s: %q", c.step, why)
		}
	}
	p.Settle("3", "y", 10, now)
	p.Settle("1", "x", 70, now) // it reported late
	p.Settle("9", "x", 5, now)  // it has no reservation
	if settled, reserved, over := p.Spent(); settled != 85 || reserved != 0 || over != 35 {
		t.Error(settled, reserved, over)
	}
	if why := p.Reserve("5", "y", 15, now); why != "" {
		t.Error(why)
	}
}

// A replay on another machine must decide the same: what is waited for is whole seconds.
func TestHoldsAreWholeSeconds(t *testing.T) {
	q := schedule.New([]schedule.Repository{{Name: "x"}}, []schedule.Account{{Name: "a", Share: 1.0 / 3}})
	q.Add(schedule.Requirement{ID: "x#1", Repo: "x"})
	q.Use("a", "five_hour", 27.123456789, now.Add(4*time.Hour+time.Millisecond), 5*time.Hour)
	_, hold := q.Take(anyone, now)
	// 27.1235% are 0.813706 of the share, of which 0.25 may be ahead; 0.2 of the time has passed.
	if got := hold.Until.Sub(now); got != 6547*time.Second {
		t.Errorf("%s: %+v", got, hold)
	}
	if _, again := q.Take(anyone, hold.Until); again.Why != "" {
		t.Errorf("%+v", again)
	}
}

func TestTheRestOfACapIsUsed(t *testing.T) {
	p := schedule.NewBudget(schedule.Caps{Night: 1000, Repo: map[string]int64{"x": 50}})
	for _, c := range []struct {
		step, repo string
		want       int64
		wait       bool
		used       int64 // once it is settled; -1: later
	}{
		{"1", "x", 50, false, -1}, // a cap that is smaller than a tenth of what is asked for
		{"2", "x", 0, true, -1},   // the first may give something back
		{"3", "y", 950, false, 800},
		{"4", "y", 150, false, 140},
		{"5", "y", 0, false, -1}, // 10 are left, and the 50 that may come back are too little
	} {
		got, wait := p.ReserveRest(c.step, c.repo, 1000, now)
		if got != c.want || wait != c.wait {
			t.Errorf("%s: %d, %t", c.step, got, wait)
		}
		if c.used >= 0 {
			p.Settle(c.step, c.repo, c.used, now)
		}
	}
	p.Settle("1", "x", 1, now)
	if got, wait := p.ReserveRest("6", "x", 1000, now); got != 0 || wait {
		t.Errorf("a rest that is not worth it: %d, %t", got, wait)
	}
	if settled, reserved, over := p.Spent(); settled != 941 || reserved != 0 || over != 0 {
		t.Error(settled, reserved, over)
	}
}

// Where no cap binds, nothing is reserved, and nothing is more than that.
func TestNothingIsOverWithoutCaps(t *testing.T) {
	p := schedule.NewBudget(schedule.Caps{})
	p.Settle("1", "x", 70, now)
	if settled, _, over := p.Spent(); settled != 70 || over != 0 {
		t.Error(settled, over)
	}
}

// Whatever happens, no requirement is with two workers, no bound is passed, and what is
// merged stays merged.
func TestNothingIsGrantedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := schedule.New([]schedule.Repository{{Name: "x", Most: 2}, {Name: "y", Priority: 2}}, []schedule.Account{{Name: "a", Most: 3}, {Name: "b"}})
		w := schedule.Worker{Accounts: []string{"a", "b"}}
		running, accounts, done, added := map[string]schedule.Grant{}, map[string]int{}, map[string]bool{}, map[string]bool{}
		repo := func(id string) string { return id[:1] }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"x#1", "x#2", "x#3", "y#1", "y#2", "y#3"}).Draw(t, "id")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				r := schedule.Requirement{ID: id, Repo: repo(id)}
				if need := rapid.SampledFrom([]string{"", "x#1", "y#2"}).Draw(t, "need"); need != "" && need != id {
					r.Needs = []string{need}
				}
				q.Add(r)
				added[id] = true
				continue
			case 1:
				g, hold := q.Take(w, now)
				if hold.Why != "" {
					continue
				}
				if _, twice := running[g.ID]; twice || done[g.ID] {
					t.Fatalf("%s was granted again", g.ID)
				}
				for _, need := range g.Needs {
					if !done[need] {
						t.Fatalf("%s began before %s", g.ID, need)
					}
				}
				running[g.ID] = g
				accounts[g.Account]++
			case 2:
				q.Merge(id)
				done[id] = done[id] || added[id]
				if g, was := running[id]; was {
					accounts[g.Account]--
				}
				delete(running, id)
			case 3:
				q.Park(id)
				if g, was := running[id]; was {
					accounts[g.Account]--
				}
				delete(running, id)
			case 4:
				q.Return(id)
				if g, was := running[id]; was {
					accounts[g.Account]--
				}
				delete(running, id)
			}
			x := 0
			for id := range running {
				if repo(id) == "x" {
					x++
				}
			}
			if x > 2 || accounts["a"] > 3 {
				t.Fatalf("%d of x, %d with a", x, accounts["a"])
			}
		}
	})
}
