package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/core/untrusted"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

const (
	judgeTime = 15 * time.Minute
	mostRows  = 20 // that a judge is shown
)

// judge asks the agent that decides when to stop, where that is the strategy. A
// judge that fails counts for nothing.
func (b *iterating) judge(ctx context.Context, it Iteration, out *Outcome) error {
	j := b.units[b.unit].stage.Judge
	if j == nil || !session.WantsJudge(b.until, b.doc.Now().Facts(b.unit, b.Now())) {
		return nil
	}
	_, known := b.taker.Memory.Answers[judging]
	vars := b.vars(b.unit, b.dir)
	vars["ITERATION"] = fmt.Sprint(it.Number)
	vars["HISTORY"] = untrusted.Fence(history(append(b.doc.Now().Rows(b.unit), out.Row), it.Number))
	a, err := b.ask(ctx, b.taker, b.unit, it.Number, consult(judging, agent.Judge, j, pipeline.Render(j.Prompt, vars), b.dir))
	if err != nil {
		return err
	}
	out.Spent = out.Spent.Add(cost(a))
	said := "the judge gave no verdict: " + firstOf(a.Why, a.Invalid)
	if v, ok := verdict(a); ok {
		out.Row.Judge, said = &v, v.Reason
	}
	out.Row.JudgeFailed = out.Row.Judge == nil
	if !known {
		b.passed("judged")
		b.tell(Note{Kind: Judged, Stage: b.shown(b.unit), Iteration: it.Number, Agent: a.Agent, Text: said})
	}
	return nil
}

// verdict reads what a judge said. One that does not say how sure it is, is.
func verdict(a step.Answer) (v session.Verdict, ok bool) {
	v.Confidence = 1
	ok = a.Read(&v)
	return v, ok && v.Confidence >= 0 && v.Confidence <= 1
}

// consult is a step of an agent that only looks.
func consult(name string, role agent.Role, j *pipeline.Judge, prompt, dir string) step.Step {
	return step.Step{Name: name, Agent: j.Agent, Task: agent.Task{Role: role, Prompt: prompt, Dir: dir, ReadOnly: true, Model: j.Model, Effort: "low", Timeout: judgeTime}}
}

// history is what a judge is told of the iterations so far.
func history(rows []session.Row, newest int) string {
	var b strings.Builder
	if cut := len(rows) - mostRows; cut > 0 {
		fmt.Fprintf(&b, "(%d earlier iterations)\n", cut)
		rows = rows[cut:]
	}
	for _, row := range rows {
		n := row.Iteration
		if n == 0 {
			n = newest
		}
		fmt.Fprintf(&b, "%d: changed something: %v; says plateau: %v; %s", n, row.Changed, row.Plateau, row.Summary)
		if row.Reasoning != "" {
			fmt.Fprintf(&b, " (%s)", row.Reasoning)
		}
		b.WriteString("\n")
	}
	return b.String()
}
