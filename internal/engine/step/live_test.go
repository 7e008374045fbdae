package step

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/livestate"
	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
)

// A limit that a person raises while an agent runs is that run's, too.
func TestALimitThatIsRaisedDuringARun(t *testing.T) {
	d := newDesk(t)
	tk := d.taker()
	limit := budget.Amount{MicroUSD: 100, Tokens: 50, Time: time.Minute}
	tk.Bounds.Raised = func() budget.Amount { return limit }
	d.does = func(task agent.Task) (agent.Result, error) {
		if more := task.More(); more != (budget.Amount{Time: time.Minute}) {
			t.Errorf("nothing was raised: %+v", more)
		}
		limit = budget.Amount{MicroUSD: 300, Tokens: 50, Time: 5 * time.Hour}
		if more := task.More(); more != (budget.Amount{MicroUSD: 200, Time: 2 * time.Hour}) { // no run has more time than that
			t.Errorf("it was raised: %+v", more)
		}
		if more := task.More(); more.MicroUSD != 0 {
			t.Errorf("that was given already: %+v", more)
		}
		return agent.Result{End: agent.Done}, nil
	}
	d.run(tk, Step{})
	d.does = nil
	d.run(tk, Step{}) // what was given is given back
	if have := d.asked[1].Budget; have != (agent.Budget{MicroUSD: 300, Tokens: 50}) {
		t.Errorf("%+v", have)
	}
}

func TestItIsToldThatAStepWaitsForItsTurn(t *testing.T) {
	d := newDesk(t)
	tk := d.guarded()
	var told []string
	tk.Waiting = func(w agent.Wait) { told = append(told, w.Why) }
	free, err := TakeTurn(t.Context(), tk.Guard.TurnFile(), "", tk.Remark)
	d.must(err)
	tk.Remark = func(string, ...any) { free() }
	d.run(tk, Step{})
	if len(told) != 2 || told[0] != "another agent in this work tree" || told[1] != "" {
		t.Errorf("told %q", told)
	}
	d.does = func(task agent.Task) (agent.Result, error) {
		task.Waiting(agent.Wait{Why: "a limit"})
		return agent.Result{End: agent.Done}, nil
	}
	if d.run(tk, Step{}); len(told) != 3 || told[2] != "a limit" {
		t.Errorf("told %q", told)
	}
}

// What an agent does is in the file of the engine's lease while it runs, and gone with
// the lease.
func TestWhatAnAgentDoesIsShown(t *testing.T) {
	d := newDesk(t)
	lease, err := Acquire(t.Context(), d.store(), "drive", Process{PID: os.Getpid()}, func(string, ...any) {})
	d.must(err)
	taker := d.taker()
	taker.Live = lease.Live
	taker.Bounds.Limit.MicroUSD = 900
	d.spent.MicroUSD = 100
	file := filepath.Join(d.store().Dir(), filepath.FromSlash(livestate.File("drive")))
	d.does = func(task agent.Task) (agent.Result, error) {
		task.Waiting(agent.Wait{Why: "a limit"})
		task.Heard("claude", agent.Event{Kind: "tool", Tool: "Edit", Usage: &agent.Usage{Input: 5, MicroUSD: 7}, Windows: []tokens.Window{{Name: "five_hour", Percent: 20}}})
		s := shown(t, lease.Live, file)
		if len(s.Agents) != 1 || s.Agents[0].Agent != "claude" || s.Agents[0].Tool != "Edit" || s.MicroUSD != 107 || s.Caps.MicroUSD != 900 ||
			s.Wait == nil || s.Wait.Why != "a limit" || len(s.Windows) != 1 || s.PID != os.Getpid() {
			t.Errorf("%+v", s)
		}
		return agent.Result{End: agent.Done}, nil
	}
	d.run(taker, Step{Task: agent.Task{Role: agent.Code}})
	if s := shown(t, lease.Live, file); len(s.Agents) != 0 || s.MicroUSD != 107 {
		t.Errorf("after it: %+v", s)
	}
	lease.Live.Set(func(*livestate.State) {})
	lease.Release()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("it is still shown: %v", err)
	}
	lease.Live.Set(func(*livestate.State) {})
	lease.Live.mu.Lock() // a timer that had gone off may still be looking
	defer lease.Live.mu.Unlock()
	if lease.Live.next != nil {
		t.Error("it would be shown again")
	}
}

// Before any agent runs, what bounds the work is shown, and when its time is up: by what is
// left of it, or by something else that ends it sooner.
func TestBoundsAreShown(t *testing.T) {
	d := newDesk(t)
	lease, err := Acquire(t.Context(), d.store(), "drive", Process{PID: os.Getpid()}, func(string, ...any) {})
	d.must(err)
	defer lease.Release()
	taker := d.taker()
	taker.Live = lease.Live
	now := taker.Now()
	d.spent = budget.Amount{Time: 20 * time.Minute}
	for _, c := range []struct {
		most        time.Duration
		until, want time.Time
	}{
		{time.Hour, time.Time{}, now.Add(40 * time.Minute)},
		{time.Hour, now.Add(8 * time.Hour), now.Add(40 * time.Minute)},
		{time.Hour, now.Add(time.Minute), now.Add(time.Minute)},
		{0, now.Add(time.Minute), now.Add(time.Minute)},
		{0, time.Time{}, time.Time{}},
	} {
		taker.Bounds.Limit = budget.Amount{Time: c.most, MicroUSD: 900}
		taker.ShowBounds(c.until)
		s := shown(t, lease.Live, filepath.Join(d.store().Dir(), filepath.FromSlash(livestate.File("drive"))))
		if !s.Caps.Ends.Equal(c.want) || s.Caps.MicroUSD != 900 || s.Caps.Seconds != c.most.Seconds() {
			t.Errorf("%v, until %v: %+v, want %v", c.most, c.until, s.Caps, c.want)
		}
	}
}

// shown is what the file says, without the wait for its turn.
func shown(t *testing.T, l *Live, file string) *livestate.State {
	t.Helper()
	l.write()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := livestate.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
