//go:build unix

package agent_test

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
)

// frugal is a teller that tells no dollars.
type frugal struct {
	teller
	tells agent.Tells
}

func (f frugal) Tells() agent.Tells { return f.tells }

// At a dollar for a million tokens a token costs a micro-dollar.
var prices = tokens.PriceTable{{Model: "cheap", Rate: tokens.Rate{Input: 1_000_000, Output: 1_000_000}}}

func dollarTask(p *place, model string, micro int64) agent.Task {
	p.Prices = prices
	task := p.task()
	task.Model, task.Budget.MicroUSD = model, micro
	return task
}

func TestWhatNoBudgetBindsIsNotBegun(t *testing.T) {
	both := agent.Tells{Tokens: true, Model: true}
	for name, c := range map[string]struct {
		tells agent.Tells
		model string
		micro int64
		limit int64  // in tokens
		why   string // "": it is run
	}{
		"a price":              {both, "cheap", 100, 0, ""},
		"a dated model":        {both, "cheap-2026-01-01", 100, 0, ""},
		"no budget":            {both, "dear", 0, 0, ""},
		"no price":             {both, "dear", 100, 0, `the price of the model "dear" is unknown`},
		"a model, not told":    {agent.Tells{Tokens: true}, "cheap", 100, 0, ""},
		"no model":             {agent.Tells{Tokens: true}, "", 100, 0, "does not report which model it uses"},
		"no model, told later": {both, "", 100, 0, ""},
		"nothing is told":      {agent.Tells{}, "cheap", 100, 0, "neither tokens nor prices"},
		"tokens that are told": {agent.Tells{Tokens: true}, "", 0, 100, ""},
		"tokens, never told":   {agent.Tells{}, "cheap", 0, 100, "set a time limit instead"},
	} {
		p := newPlace(t, frugal{teller{"a", "echo x >> runs; echo fine"}, c.tells})
		task := dollarTask(p, c.model, c.micro)
		task.Budget.Tokens = c.limit
		r := p.run(t, task)
		switch begun := len(grep(t, p.dir, "x")) > 0; {
		case c.why == "" && (r.End != agent.Done || !begun):
			t.Errorf("%s: %+v", name, r)
		case c.why != "" && (r.End != agent.Unpriced || begun || r.Spends() || !strings.Contains(r.Why, c.why) || !r.Usage.Priced || r.Usage.MicroUSD != 0):
			t.Errorf("%s: begun %v, %+v", name, begun, r)
		}
	}
}

// One that tells prices itself needs none from us.
func TestAnAgentThatTellsPricesIsRunOnAnyModel(t *testing.T) {
	p := newPlace(t, teller{"a", "echo fine"})
	if r := p.run(t, dollarTask(p, "dear", 100)); r.End != agent.Done {
		t.Errorf("%+v", r)
	}
}

func TestTheModelIsKnownFromTheStream(t *testing.T) {
	tells := agent.Tells{Tokens: true, Model: true}
	for script, want := range map[string]agent.End{
		"echo model cheap; echo usage 50; echo fine":      agent.Done,
		"echo model cheap; echo usage 150; exec sleep 99": agent.Budgeted,
		"echo model dear; exec sleep 99":                  agent.Unpriced,
		"echo usage 5; exec sleep 99":                     agent.Unpriced, // it does not keep its word
	} {
		p := newPlace(t, frugal{teller{"a", script}, tells})
		r := p.run(t, dollarTask(p, "", 100))
		if r.End != want {
			t.Errorf("%s: %+v", script, r)
		}
		if want == agent.Done && (r.Usage.MicroUSD != 50 || !r.Usage.Priced || r.Usage.Model != "cheap") {
			t.Errorf("%+v", r.Usage)
		}
	}
}

// Who cannot be paid for is passed over, and the limit of the first is waited for.
func TestTheChainGoesPastWhoHasNoPrice(t *testing.T) {
	p := newPlace(t, teller{"a", `echo x >> runs; if [ $(wc -l < runs) -lt 3 ]; then echo limit 0; else echo a did it; fi`}, frugal{teller{"b", "echo b did it"}, agent.Tells{Tokens: true}})
	if r := p.run(t, dollarTask(p, "", 100)); r.Text != "a did it" || len(p.waits) != 1 {
		t.Errorf("%+v, waited %q", r, p.waits)
	}
}

// A cost that nobody knows is not nothing, and one that we know is counted over
// all tries.
func TestCostsAreAddedUp(t *testing.T) {
	for _, c := range []struct {
		model string
		want  agent.Usage
	}{
		{"cheap", agent.Usage{Input: 70, MicroUSD: 70, Priced: true, Model: "cheap"}},
		{"dear", agent.Usage{Input: 70, Model: "dear"}},
	} {
		p := newPlace(t, teller{"a", once("echo spent 40; echo api network", "echo spent 30; echo fine")})
		if r := p.run(t, dollarTask(p, c.model, 0)); r.Usage != c.want {
			t.Errorf("%+v, want %+v", r.Usage, c.want)
		}
	}
}

// Each class of errors has its own retries: a limit before does not use up those
// of the network.
func TestRetriesAreCountedByClass(t *testing.T) {
	p := newPlace(t, teller{"a", `echo x >> runs; case $(wc -l < runs) in 1|2) echo limit 0;; 3) echo api timeout;; 4|5) echo api network;; *) echo fine;; esac`})
	r := p.run(t, p.task())
	const limit = "15m0s a: usage limit, its end is unknown"
	if want := []string{limit, limit, "0s a: timeout", "30s a: network", "1m0s a: network"}; r.End != agent.Done || !slices.Equal(p.waits, want) {
		t.Errorf("%q, waited %q", r.End, p.waits)
	}
}
