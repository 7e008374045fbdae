package drive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/usage"
	"warp/internal/engine/agent"
)

// run has an agent do a task in the drive's work tree.
func (e *Engine) run(ctx context.Context, s *drive.State, t agent.Task) (agent.Result, error) {
	return e.runIn(ctx, s, e.Drive.Root(), t)
}

// runIn has an agent do a task, under guard: what it destroys is put back, what
// it may not do is taken back, and all of it is on record. The error is the
// context's, or says that the guard could not do its work.
func (e *Engine) runIn(ctx context.Context, s *drive.State, dir string, t agent.Task) (agent.Result, error) {
	left, ok := e.left()
	if !ok {
		return agent.Result{Agent: "none", End: agent.Budgeted, Why: "nothing is left of the session's budget"}, nil
	}
	if stop := e.usedUp(ctx, s); stop != "" {
		e.overspent = stop
		return agent.Result{Agent: "none", End: agent.Budgeted, Why: stop}, nil
	}
	t.Dir, t.Level, t.Issue, t.Chunk = dir, s.Session.Level, s.Issue(), s.Chunk.Index
	t.Model, t.Effort, t.Budget = e.Model, e.effort(s.Phase, t.Role), left
	t.Idle, t.Timeout = time.Duration(e.cfg.IdleSeconds)*time.Second, e.timeLeft(s)
	g, err := e.protect(ctx, s, t.ReadOnly)
	if err == nil {
		err = g.note(t.ReadOnly)
	}
	if err != nil {
		return agent.Result{}, fmt.Errorf("saving the work tree before an agent runs: %w", err)
	}
	e.tell(Note{Kind: AgentBegan, Role: t.Role, Agent: e.Agents.Adapters[0].Name()})
	e.Agents.Watch = func(name string, ev agent.Event) { e.watch(t.Role, name, ev) }
	res, runErr := e.Agents.Run(ctx, t)
	e.passed("agent ended " + string(t.Role))
	e.running = agent.Usage{}
	e.spent.Add(res.Usage)
	tree, err := g.restore(context.WithoutCancel(ctx), t.ReadOnly)
	e.ran(s, t, res, tree)
	if err == nil {
		err = g.dismiss()
	}
	if runErr != nil {
		return res, runErr
	}
	if err != nil {
		return res, fmt.Errorf("looking after an agent: %w", err)
	}
	e.passed("ran " + string(t.Role))
	return res, nil
}

// watch passes on what an agent does while it runs.
func (e *Engine) watch(role agent.Role, name string, ev agent.Event) {
	if ev.Usage != nil {
		e.running = *ev.Usage
	}
	for _, w := range ev.Windows {
		if e.windows == nil {
			e.windows = map[string]usage.Window{}
		}
		e.windows[w.Name] = w
	}
	e.tell(Note{Kind: AgentSaid, Role: role, Agent: name, Said: &ev, Tool: ev.Tool, Text: ev.Text})
}

// Windows is how much of the agent's subscription is used, as it said last.
func (e *Engine) Windows() (list []usage.Window) {
	for _, name := range slices.Sorted(maps.Keys(e.windows)) {
		list = append(list, e.windows[name])
	}
	return list
}

// ran keeps what a run has cost and how it ended.
func (e *Engine) ran(s *drive.State, t agent.Task, res agent.Result, tree string) {
	u := res.Usage
	row := evidence.Run{
		Issue: s.Issue(), Chunk: s.Chunk.Index, Phase: string(s.Phase), Role: string(t.Role), Agent: res.Agent, Model: u.Model, Session: res.Session,
		End: string(res.End), Why: text.Clip(res.Why, maxReason), Criteria: t.Criteria,
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, MicroUSD: u.MicroUSD, Unpriced: !u.Priced, Turns: u.Turns,
		Seconds: res.Duration.Seconds(), Denials: len(res.Denials), Orphans: res.Orphans, Tree: tree, Log: res.Log,
	}
	if res.JSON != nil {
		row.Summary = text.Clip(res.JSON.Get("summary").Text(), maxReason)
		for _, name := range []string{"lessons", "learnings"} {
			if list := res.JSON.Get(name); list != nil {
				for _, l := range list.Elems {
					row.Lessons = append(row.Lessons, text.Clip(l.Text(), maxReason))
				}
			}
		}
	}
	e.keep(s, event.Run, row)
	text := string(res.End)
	if res.Why != "" {
		text += ": " + res.Why
	}
	e.tell(Note{Kind: AgentEnded, Role: t.Role, Agent: res.Agent, Text: text, Unpriced: row.Unpriced})
	if res.Orphans > 0 {
		e.intervene(s, "orphans", "", "%s left %d processes behind; they were ended", res.Agent, res.Orphans)
	}
	if len(res.Denials) > 0 {
		e.remark("%s was not permitted: %s", res.Agent, strings.Join(res.Denials, "; "))
	}
}

// left is what is left of the session's budget; false: nothing.
func (e *Engine) left() (agent.Budget, bool) {
	b := e.Budget
	if b.MicroUSD > 0 {
		if b.MicroUSD -= e.spent.MicroUSD; b.MicroUSD <= 0 {
			return b, false
		}
	}
	if b.Tokens > 0 {
		if b.Tokens -= e.spent.Tokens(); b.Tokens <= 0 {
			return b, false
		}
	}
	return b, true
}

// usedUp says which budget leaves nothing for another run.
func (e *Engine) usedUp(ctx context.Context, s *drive.State) string {
	if e.Counted == nil {
		return ""
	}
	warnings, stop, err := e.Counted(ctx, s, "")
	e.warn(warnings)
	if err != nil {
		e.remark("what was spent could not be found out: %v", err)
	}
	return stop
}

// money says what the session has cost.
func (e *Engine) money() string {
	text := fmt.Sprintf("$%.2f, %d tokens", float64(e.spent.MicroUSD)/1e6, e.spent.Tokens())
	if e.Budget.MicroUSD > 0 {
		text += fmt.Sprintf(", of $%.2f", float64(e.Budget.MicroUSD)/1e6)
	}
	return text
}

// effort is how hard an agent is to think in a phase: hard where it plans and
// judges, unless the settings say otherwise.
func (e *Engine) effort(p drive.Phase, role agent.Role) string {
	if set := e.cfg.Reasoning[string(p)]; set != "" {
		return set
	}
	if p == drive.Planning || p == drive.Testing || role == agent.Verify {
		return "high"
	}
	return "standard"
}

// timeLeft bounds one run: by the phase where its limit is enforced, by the
// session always.
func (e *Engine) timeLeft(s *drive.State) time.Duration {
	limit := max(time.Minute, s.SessionLeft(e.cfg.Limits, e.Now()))
	if e.cfg.Limits.PhaseEnforcement != drive.Warn {
		limit = min(limit, time.Duration(e.cfg.Limits.PhaseMinutes)*time.Minute)
	}
	return limit
}
