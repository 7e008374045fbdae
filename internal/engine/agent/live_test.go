//go:build unix

package agent_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"warp/internal/engine/agent"
)

func TestItIsToldWhatARunWaitsFor(t *testing.T) {
	p := newPlace(t, teller{"a", once("echo limit 0; exit 1", "echo done")})
	var told []string
	task := p.task()
	task.Waiting = func(w agent.Wait) { told = append(told, fmt.Sprint(w.Why, " ", w.Until.Sub(begin) > 0)) }
	if r := p.run(t, task); r.End != agent.Done {
		t.Fatalf("%+v", r)
	}
	if want := []string{"a: usage limit, its end is unknown true", " false"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
}

// raise gives more once.
func raise(more agent.Budget) func() agent.Budget {
	var mu sync.Mutex
	return func() agent.Budget {
		mu.Lock()
		defer mu.Unlock()
		now := more
		more = agent.Budget{}
		return now
	}
}

// Bounds that are raised while an agent runs do not end it.
func TestABudgetThatIsRaisedDuringARun(t *testing.T) {
	p := newPlace(t, teller{"a", `echo run >> runs; echo usage 400; echo usage 700; echo done`})
	task := p.task()
	task.Budget.Tokens, task.More = 500, raise(agent.Budget{Tokens: 500})
	if r := p.run(t, task); r.End != agent.Done || r.Usage.Tokens() != 700 || len(p.counted(t, "runs")) != 1 {
		t.Errorf("%+v", r)
	}
	p = newPlace(t, teller{"a", `echo usage 700; exec sleep 600`})
	task = p.task()
	task.Budget.Tokens, task.More = 500, raise(agent.Budget{Tokens: 100}) // too little
	if r := p.run(t, task); r.End != agent.Budgeted {
		t.Errorf("%+v", r)
	}
}

func TestTimeThatIsRaisedDuringARun(t *testing.T) {
	p := newPlace(t, teller{"a", `while [ ! -e raised ]; do sleep 0.01; done; echo done`})
	task := p.task()
	task.Timeout = time.Millisecond
	task.More = func() agent.Budget {
		touch(t, p.dir, "raised")
		return agent.Budget{Time: time.Minute}
	}
	if r := p.run(t, task); r.End != agent.Done {
		t.Errorf("%+v", r)
	}
}

// An agent that ends by itself at the budget that it was given goes on in its session.
func TestAnAgentThatKnowsItsOldBudgetGoesOn(t *testing.T) {
	p := newPlace(t, teller{"a", `echo "$TOKENS $SESSION" >> budgets; echo session s; ` + once("echo spent 500; echo budget", "echo done")})
	task := p.task()
	task.Budget.Tokens, task.More = 500, raise(agent.Budget{Tokens: 300})
	if r := p.run(t, task); r.End != agent.Done {
		t.Errorf("%+v", r)
	}
	if got := p.counted(t, "budgets"); !slices.Equal(got, []string{"500 ", "300 s"}) {
		t.Errorf("the budgets were %q", got)
	}
}
