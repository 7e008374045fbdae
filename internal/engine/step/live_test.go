package step

import (
	"testing"
	"time"

	"warp/internal/core/budget"
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
