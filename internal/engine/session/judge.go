package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/core/untrusted"
	"warp/internal/engine/agent"
)

const (
	judgeTime = 15 * time.Minute
	mostRows  = 20 // that a judge is shown
)

// judge asks whoever decides when to stop, where that is the strategy. A judge
// that fails counts for nothing.
func (b *iterating) judge(ctx context.Context, it Iteration, m *marker, out *Outcome) error {
	j := b.units[b.unit].stage.Judge
	if j == nil || !session.WantsJudge(b.until, b.now().Facts(b.unit, b.Now())) {
		return nil
	}
	if m.Judged == nil {
		vars := b.vars(b.unit, b.dir)
		vars["ITERATION"] = fmt.Sprint(it.Number)
		vars["HISTORY"] = untrusted.Fence(history(append(b.now().Rows(b.unit), out.Row), it.Number))
		res, err := b.consult(ctx, agent.Judge, j, pipeline.Render(j.Prompt, vars), b.dir)
		if err != nil {
			return err
		}
		m.Judged = &judged{Spent: session.Spent{MicroUSD: res.Usage.MicroUSD, Tokens: res.Usage.Tokens()}}
		said := "the judge gave no verdict: " + firstOf(res.Why, res.Invalid)
		if v, ok := verdict(res); ok {
			v.Reason = b.Redact(v.Reason)
			m.Judged.Verdict, said = &v, v.Reason
		}
		if err := b.answer(b.unit, *m); err != nil {
			return err
		}
		b.passed("judged")
		b.tell(Note{Kind: Judged, Stage: b.shown(b.unit), Iteration: it.Number, Agent: res.Agent, Text: b.Redact(said)})
	}
	out.Spent.MicroUSD += m.Judged.Spent.MicroUSD
	out.Spent.Tokens += m.Judged.Spent.Tokens
	out.Row.Judge, out.Row.JudgeFailed = m.Judged.Verdict, m.Judged.Verdict == nil
	return nil
}

// verdict reads what a judge said. One that does not say how sure it is, is.
func verdict(res agent.Result) (v session.Verdict, ok bool) {
	if res.End != agent.Done || res.JSON == nil {
		return v, false
	}
	v.Confidence = 1
	err := json.Unmarshal(lossless.AppendCompact(nil, res.JSON), &v)
	return v, err == nil && v.Confidence >= 0 && v.Confidence <= 1
}

// consult runs an agent that only looks.
func (r *run) consult(ctx context.Context, role agent.Role, j *pipeline.Judge, prompt, dir string) (agent.Result, error) {
	who, err := r.Engine.Agents(j.Agent)
	if err != nil {
		return agent.Result{}, err
	}
	return who.Run(ctx, agent.Task{Role: role, Prompt: prompt, Dir: dir, Issue: r.Name, ReadOnly: true, Level: 3, Model: j.Model, Effort: "low", Idle: judgeTime, Timeout: judgeTime, Linger: runAfter})
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return "it said nothing that could be read"
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
