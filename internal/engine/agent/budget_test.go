//go:build unix

package agent_test

import (
	"slices"
	"testing"

	"warp/internal/engine/agent"
)

// Each attempt gets what those before have left, and the last is stopped in its
// middle.
func TestTheBudgetIsSpentAcrossAttempts(t *testing.T) {
	p := newPlace(t, teller{"a", `echo $TOKENS >> budgets; echo usage 100; echo usage 400; if [ $TOKENS -gt 400 ]; then echo api network; else exec sleep 1000; fi`})
	task := p.task()
	task.Budget.Tokens = 1000
	r := p.run(t, task)
	if r.End != agent.Budgeted || r.Spends() || r.JSON != nil {
		t.Errorf("%+v", r)
	}
	if got := p.counted(t, "budgets"); !slices.Equal(got, []string{"1000", "600", "200"}) {
		t.Errorf("the budgets were %q", got)
	}
	if r.Usage.Tokens() != 1200 {
		t.Errorf("%d tokens were spent", r.Usage.Tokens())
	}
}

func TestNothingIsBegunWithABudgetThatIsSpent(t *testing.T) {
	p := newPlace(t, teller{"a", `echo x >> runs; echo session s; echo spent 500; echo api network`})
	task := p.task()
	task.Budget.Tokens = 500
	r := p.run(t, task)
	if r.End != agent.Budgeted || r.Session != "s" || len(p.counted(t, "runs")) != 1 {
		t.Errorf("%+v after %d runs", r, len(p.counted(t, "runs")))
	}
}

// What the end of a run tells to be too much is paid already: its answer counts.
func TestAnAnswerThatWasTooDearIsStillTaken(t *testing.T) {
	p := newPlace(t, teller{"a", `echo spent 5000; echo '{"summary":"done"}'`})
	task := p.task()
	task.Budget.Tokens = 1000
	r := p.run(t, task)
	if r.End != agent.Done || r.JSON == nil || r.Usage.Tokens() != 5000 {
		t.Errorf("%+v", r)
	}
}

func TestDollarsBindToo(t *testing.T) {
	b := agent.Budget{MicroUSD: 100}
	p := newPlace(t, dollars{teller{"a", "echo usage 150; exec sleep 1000"}})
	task := p.task()
	task.Budget = b
	if r := p.run(t, task); r.End != agent.Budgeted || r.Usage.MicroUSD != 150 {
		t.Errorf("%+v", r)
	}
}

// dollars is a teller whose tokens cost a millionth of a dollar each.
type dollars struct{ teller }

func (d dollars) Parser(t agent.Task) agent.Parser { return priced{d.teller.Parser(t)} }

type priced struct{ agent.Parser }

func (p priced) Line(raw []byte) []agent.Event {
	events := p.Parser.Line(raw)
	for _, e := range events {
		if e.Usage != nil {
			e.Usage.MicroUSD = e.Usage.Input
		}
	}
	return events
}

func (p priced) End(exit int, stderr string) agent.Result {
	r := p.Parser.End(exit, stderr)
	r.Usage.MicroUSD = r.Usage.Input
	return r
}
