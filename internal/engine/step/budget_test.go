package step

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/engine/agent"
)

func TestTheBoundsOfTheWorkAreThoseOfTheRun(t *testing.T) {
	d := newDesk(t)
	tk := d.taker()
	tk.Bounds.Limit = budget.Amount{MicroUSD: 100, Tokens: 50, Time: time.Minute}
	d.spent = budget.Amount{MicroUSD: 40, Tokens: 10, Time: 20 * time.Second}
	d.run(tk, Step{})
	if have := d.asked[0]; have.Budget != (agent.Budget{MicroUSD: 60, Tokens: 40}) || have.Timeout != 40*time.Second {
		t.Errorf("%+v", have)
	}
	tk.Bounds.Share(2)
	d.run(tk, Step{})
	if have := d.asked[1]; have.Budget != (agent.Budget{MicroUSD: 30, Tokens: 20}) {
		t.Errorf("two share it: %+v", have)
	}
	d.run(tk, Step{}) // what one had is given back
	if have := d.asked[2]; have.Budget.MicroUSD != 30 {
		t.Errorf("it was not given back: %+v", have)
	}
}

func TestNothingIsLeft(t *testing.T) {
	for why, spent := range map[string]budget.Amount{"$0.01": {MicroUSD: 10_000}, "tokens": {Tokens: 7}, "it took 1m0s": {Time: time.Minute}} {
		d := newDesk(t)
		tk := d.taker()
		tk.Bounds.Limit, d.spent = spent, spent
		a := d.run(tk, named("x"))
		if a.End != agent.Budgeted || !strings.Contains(a.Why, why) || len(d.asked) != 0 || len(d.rows) != 0 {
			t.Errorf("%s: %+v, asked %d times", why, a, len(d.asked))
		}
		if _, known := d.taker().Memory.Answers["x"]; known {
			t.Error("it is answered")
		}
	}
}

func TestABudgetBeyondTheWork(t *testing.T) {
	d := newDesk(t)
	tk := d.taker()
	tk.Bounds.Used = func(context.Context) (string, error) { return "the day's budget is spent", nil }
	if a := d.run(tk, Step{}); a.End != agent.Budgeted || a.Why != "the day's budget is spent" || len(d.asked) != 0 {
		t.Errorf("%+v", a)
	}
}

// The work's time is no failure of the agent's; the run's own is.
func TestTimeIsUp(t *testing.T) {
	d := newDesk(t)
	d.does = func(agent.Task) (agent.Result, error) {
		return agent.Result{End: agent.TimedOut, Why: "it ran out of time"}, nil
	}
	tk := d.taker()
	if a := d.run(tk, Step{}); a.End != agent.TimedOut || !a.Spends() {
		t.Errorf("the run's: %+v", a)
	}
	tk.Bounds.Limit.Time = time.Minute
	if a := d.run(tk, Step{}); a.End != agent.Budgeted || a.Spends() || d.rows[1].Result.End != agent.Budgeted {
		t.Errorf("the work's: %+v", a)
	}
	if a := d.run(tk, Step{Task: agent.Task{Timeout: time.Second}}); a.End != agent.TimedOut {
		t.Errorf("the step's: %+v", a)
	}
}

func TestThreeEmptyRuns(t *testing.T) {
	for name, c := range map[string]struct {
		result agent.Result
		stops  bool
	}{
		"crashed":      {agent.Result{Agent: "fake", End: agent.Crashed, Why: "no such model"}, true},
		"no login":     {agent.Result{Agent: "fake", End: agent.NoLogin, Why: "no such model", Text: "log in"}, true},
		"cancelled":    {agent.Result{End: agent.Cancelled}, false},
		"last words":   {agent.Result{End: agent.Crashed, Why: "no such model", Text: "I tried", Usage: agent.Usage{Input: 1}}, true},
		"with words":   {agent.Result{End: agent.Idle, Text: "I tried"}, false},
		"with tokens":  {agent.Result{End: agent.Idle, Usage: agent.Usage{Input: 1}}, false},
		"done quietly": {agent.Result{End: agent.Done}, false},
	} {
		d := newDesk(t)
		d.does = func(agent.Task) (agent.Result, error) { return c.result, nil }
		tk := d.taker()
		tk.Bounds.Breaker = &budget.Breaker{}
		var err error
		for range 4 {
			_, err = tk.Run(t.Context(), Step{})
		}
		var stop *StoppedError
		if errors.As(err, &stop) != c.stops || c.stops && (len(d.asked) != 3 || !strings.Contains(stop.Why, "no such model") || stop.Do == "") {
			t.Errorf("%s: %v after %d runs", name, err, len(d.asked))
		}
	}
}

// A bound in money that no person asked for gives way where there is no price; one
// that a person asked for does not.
func TestWithoutAPrice(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		d := newDesk(t)
		d.does = func(task agent.Task) (agent.Result, error) {
			if task.Budget.MicroUSD > 0 {
				return agent.Result{Agent: "fake", End: agent.Unpriced}, nil
			}
			return agent.Result{Agent: "fake", End: agent.Done}, nil
		}
		tk := d.taker()
		tk.Bounds.Limit, tk.Bounds.Explicit = budget.Amount{MicroUSD: 100, Tokens: 9}, explicit
		for range 2 {
			a := d.run(tk, Step{})
			if explicit != (a.End == agent.Unpriced) {
				t.Errorf("explicit %v: %+v", explicit, a)
			}
		}
		if want := map[bool]int{false: 1, true: 0}[explicit]; len(d.said) != want || len(d.rows) != 2 {
			t.Errorf("explicit %v: said %q, %d rows", explicit, d.said, len(d.rows))
		}
		if last := d.asked[len(d.asked)-1]; !explicit && last.Budget.Tokens != 9 {
			t.Errorf("the tokens are not bounded: %+v", last)
		}
	}
}

// Who is out of time is told to give time, not money.
func TestOnlyTheTimeIsUp(t *testing.T) {
	limit := budget.Amount{MicroUSD: 100, Tokens: 100, Time: time.Minute}
	for name, c := range map[string]struct {
		spent budget.Amount
		want  bool
	}{
		"nothing": {budget.Amount{MicroUSD: 99, Tokens: 99, Time: time.Second}, false},
		"money":   {budget.Amount{MicroUSD: 100}, false},
		"tokens":  {budget.Amount{Tokens: 100, Time: time.Hour}, false},
		"time":    {budget.Amount{MicroUSD: 99, Time: time.Minute}, true},
	} {
		b := &Bounds{Within: &Bounds{Limit: limit, Spent: func(time.Time) budget.Amount { return c.spent }}}
		if got := b.IsTimeUp(time.Time{}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
