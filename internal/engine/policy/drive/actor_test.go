package drive_test

import (
	"context"
	"encoding/json"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
	"warp/internal/engine/agent"
)

// actor is the scene's agent.
type actor struct{ s *scene }

// does is a shell script and what is answered after it.
type does struct {
	script string
	answer any
}

func (actor) Name() string                       { return "actor" }
func (actor) Check(context.Context) agent.Health { return agent.Health{Installed: true} }

// Invoke asks the scene what the agent does. What it does in Go is done here,
// which is under guard already.
func (a actor) Invoke(t agent.Task, _ string, _ []byte) (agent.Invocation, error) {
	a.s.mu.Lock()
	a.s.asked = append(a.s.asked, t)
	a.s.mu.Unlock()
	var what any
	if a.s.does != nil {
		what = a.s.does(t)
	}
	if what == nil {
		what = good(t)
	}
	script, answer := "", what
	switch d := what.(type) {
	case string:
		script, answer = d, map[string]any{"summary": "did it"}
	case does:
		script, answer = d.script, d.answer
	}
	a.s.answer = answer
	return agent.Invocation{Argv: []string{"sh", "-c", "echo works; " + script}}, nil
}

// Parser implements agent.Adapter; it is made after Invoke.
func (a actor) Parser(agent.Task) agent.Parser { return words{a.s.answer} }

// good is what an honest agent does: a file for each criterion.
func good(t agent.Task) any {
	switch t.Role {
	case agent.Plan:
		return map[string]any{"approach": "step by step"}
	case agent.Verify:
		return verdict(t, true)
	}
	var script strings.Builder
	for _, id := range t.Criteria {
		script.WriteString("echo " + id + " > " + id + ".txt; ")
	}
	return script.String()
}

// verdict judges all criteria alike.
func verdict(t agent.Task, met bool) any {
	var list []any
	for _, id := range t.Criteria {
		list = append(list, map[string]any{"id": id, "met": met, "reason": "seen"})
	}
	return map[string]any{"criteria": list}
}

// cost is what each run costs: a cent.
const cost = 10_000

func spent() agent.Usage {
	return agent.Usage{Input: 80, Output: 20, MicroUSD: cost, Priced: true, Turns: 1}
}

// words is what the agent says.
type words struct{ answer any }

// Line implements agent.Parser.
func (w words) Line(raw []byte) []agent.Event {
	u := spent()
	return []agent.Event{{Kind: "result", Text: string(raw), Session: "s1", Usage: &u, Windows: []tokens.Window{{Name: "five_hour"}}}}
}

// End implements agent.Parser.
func (w words) End(exit int, stderr string) agent.Result {
	if r, is := w.answer.(agent.Result); is {
		return r
	}
	text, err := json.Marshal(w.answer)
	if err != nil {
		panic(err)
	}
	v, err := lossless.Parse(text)
	if err != nil {
		panic(err)
	}
	r := agent.Result{End: agent.Done, Text: "I did it", JSON: v, Session: "s1", Usage: spent()}
	if exit != 0 {
		r.End, r.Why = agent.Crashed, stderr
	}
	return r
}
