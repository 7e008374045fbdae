package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
)

// iterating is the body of an ordinary loop: one agent with a fresh context.
type iterating struct {
	run *run
	rules
	unit       unit
	dir        string
	lane       *lane // where it commits; nil: it does not
	taker      *step.Taker
	passedTree string // the tree the checks passed on; "": unknown
	// published is where the present iteration's output was put in the project.
	published string
}

// opening is what is known before an iteration's agent is asked, as of the first try.
type opening struct {
	Item   *Item    `json:"item,omitempty"`
	Output string   `json:"output,omitempty"` // hash of output.md
	Tree   string   `json:"tree,omitempty"`   // the work tree, if it is checked afterwards
	Head   string   `json:"head,omitempty"`   // the checked-out commit, if one will be made
	Desk   string   `json:"desk,omitempty"`   // where the agent writes its output
	Left   []string `json:"left,omitempty"`   // what a try changed whose engine was killed
	// Earlier is what earlier iterations left uncommitted.
	Earlier *uncommitted `json:"earlier,omitempty"`
}

const (
	openingFact  = "opening"
	iterateStep  = "iterate"
	fetchedFact  = "fetched"
	reportedFact = "reported"
	judgeStep    = "judge"
)

// Iterate runs the agent, unless it answered before the engine was killed, and evaluates what it
// did.
func (b *iterating) Iterate(ctx context.Context, it Iteration) (out Outcome, err error) {
	b.published = ""
	if err := b.enterWorkTree(ctx); err != nil {
		return out, err
	}
	if b.taker.Memory, err = b.unit.memory(b.run.Store, it.Number); err != nil {
		return out, err
	}
	o, err := b.prepare(ctx, it)
	if err != nil {
		return out, err
	}
	s := step.Step{Name: iterateStep, Agent: b.unit.stage.Agent, Task: agent.Task{Role: agent.Iterate, Prompt: b.prompt(it, o), Dir: b.dir, Model: b.unit.stage.Model}}
	hasWork := slices.ContainsFunc(b.run.doc.Now().Rows(b.unit.index), func(row sessionstate.Row) bool { return row.Changed })
	s.Works = b.taker.Guard != nil && b.unit.stage.Commit && o.Desk == "" && (!hasWork || b.until.Kind == sessionstate.Plateau) // a judge needs no word that all is done
	if o.Item != nil {
		s.Criteria = []string{o.Item.ID}
	}
	if o.Desk != "" {
		s.Write = []string{o.Desk}
	}
	if err := b.writeContext(it, o); err != nil {
		return out, err
	}
	if q, ok := b.queue.(guard.Document); ok {
		s.Scope.Documents = []guard.Document{q}
	}
	a, err := b.run.ask(ctx, b.taker, b.unit, it.Number, s)
	if err != nil {
		return out, err
	}
	report, err := step.FactAs(b.taker.Memory, reportedFact, func() (*status, error) { return b.desk(o).readStatus(), nil })
	if err != nil {
		return out, err
	}
	wrote, err := step.FactAs(b.taker.Memory, fetchedFact, func() (bool, error) {
		err := b.collectOutput(o)
		return b.outputHash() != o.Output, err
	})
	if err != nil {
		return out, err
	}
	if o.Desk != "" {
		_ = durable.RemoveFolder(o.Desk) // else the system cleans up temporary folders
	}
	b.run.Passed("agent_answered")
	if wrote {
		if b.published, err = b.publishOutput(ctx, it); err != nil {
			return out, err
		}
	}
	return b.weighReport(ctx, it, o, report.apply(a), wrote && !report.stops())
}

// enterWorkTree switches to the unit's work tree: members of a parallel stage, and stages that
// commit while others run, have their own.
func (b *iterating) enterWorkTree(ctx context.Context) (err error) {
	if b.run.shield.guard == nil {
		return nil
	}
	var g *guard.Guard
	switch {
	case b.unit.member != nil:
		g, err = b.run.shield.memberGuard(ctx, b.unit.index)
	case b.run.lanes.isApart(b.unit) && b.lane == b.run.lanes.own:
		if b.lane, err = b.run.lanes.laneOf(ctx, b.unit); err == nil {
			g = b.lane.guard
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	b.dir, b.taker = g.Root, b.run.taker(ctx, b.unit.index, g, b.taker.Bounds)
	return nil
}

// prepare records everything that is compared afterwards, and takes an item.
func (b *iterating) prepare(ctx context.Context, it Iteration) (opening, error) {
	m := b.taker.Memory
	_, known := m.Facts[openingFact]
	o, err := step.FactAs(m, openingFact, func() (opening, error) { return b.snapshotWorkTree(ctx) })
	if err == nil {
		err = b.claimItem(ctx, o.Item)
	}
	if err != nil {
		return o, err
	}
	if !known {
		b.run.Passed("iteration_marked")
		return o, nil
	}
	if _, answered := m.Answers[iterateStep]; answered {
		return o, nil
	}
	desk := o.Desk
	if err := b.setUpDesk(&o); err != nil {
		return o, err
	}
	// What a killed try left in the work tree is this iteration's work.
	if g := b.taker.Guard; g != nil && g.Left != nil && g.Left.Label == b.unit.label(it.Number) {
		o.Left = slices.Concat(o.Left, g.Left.Changed)
		g.Left = nil
	} else if o.Desk == desk {
		return o, nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return o, err
	}
	m.Facts[openingFact] = string(text)
	return o, m.Save()
}

func (b *iterating) snapshotWorkTree(ctx context.Context) (o opening, err error) {
	if o.Item, err = b.nextItem(ctx); err != nil {
		return o, err
	}
	o.Output = b.outputHash()
	if g := b.taker.Guard; g != nil && b.unit.isChecked(b.until) {
		if o.Tree, err = g.Snapshot(); err == nil {
			o.Head, err = g.Work.Repo().Head()
		}
		if err != nil {
			return o, err
		}
		if o.Earlier, err = earlierWork(b, o); err != nil {
			return o, err
		}
	}
	return o, b.setUpDesk(&o)
}

// weighReport compares the agent's report with what can be observed.
func (b *iterating) weighReport(ctx context.Context, it Iteration, o opening, a step.Answer, wrote bool) (Outcome, error) {
	said := ReportOf(a)
	out := Outcome{Spent: costOf(a), Learnings: said.Learnings, Commit: said.Commit, Unreadable: said.Unreadable, Files: slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Left, a.Changed))))}
	out.Row = sessionstate.Row{Agent: a.Agent, Unpriced: !a.Usage.Priced, Summary: said.Summary, Plateau: said.Plateau, Reasoning: said.Reasoning}
	out.Row.Changed = len(out.Files)+len(a.Yours) > 0 || wrote
	if b.published != "" {
		out.Files = append(out.Files, b.published)
	}
	if o.Item != nil {
		out.Row.Item = o.Item.ID
	}
	if a.End != agent.Done {
		out.Row.End, out.Row.Summary = string(a.End), a.Why
		if a.Do != "" {
			out.Row.Summary += "; " + a.Do
		}
		if err := keepUncommitted(ctx, b, o, out, false); err != nil {
			return out, err
		}
		return out, b.closeItem(ctx, o.Item, false, &out)
	}
	if err := b.writeOutput(a, said); err != nil {
		return out, err
	}
	ok, err := b.checkIteration(ctx, it, o, &out)
	if err == nil {
		err = keepUncommitted(ctx, b, o, out, ok)
	}
	if err != nil {
		return out, err
	}
	if q, ok := b.queue.(finder); ok && len(said.Found) > 0 {
		if err := q.Add(ctx, said.Found); err != nil {
			return out, err
		}
	}
	if o.Item == nil {
		out.Row.Items = slices.DeleteFunc(said.Done, func(id string) bool { return strings.TrimSpace(id) == "" })
	} else if err := b.closeItem(ctx, o.Item, ok && slices.Contains(said.Done, o.Item.ID), &out); err != nil {
		return out, err
	}
	if q := questionIn(a); q != nil {
		return out, askPerson(ctx, b, it, q, &out)
	}
	return out, b.askWhetherToStop(ctx, it, &out)
}

const (
	judgeTime = 15 * time.Minute
	mostRows  = 20 // shown to a judge
)

// askWhetherToStop asks the judge whether to stop, if that is the strategy. A judge that fails does
// not count; one that gives no confidence counts as certain.
func (b *iterating) askWhetherToStop(ctx context.Context, it Iteration, out *Outcome) error {
	r, j := b.run, b.unit.stage.Judge
	if j == nil || !sessionstate.WantsJudge(b.until, r.doc.Now().Facts(b.unit.index, r.Now())) {
		return nil
	}
	_, known := b.taker.Memory.Answers[judgeStep]
	vars := r.vars(b.unit, b.dir)
	vars["ITERATION"] = fmt.Sprint(it.Number)
	vars["HISTORY"] = text.Fence(history(append(r.doc.Now().Rows(b.unit.index), out.Row), it.Number))
	a, err := r.ask(ctx, b.taker, b.unit, it.Number, readOnlyStep(judgeStep, agent.Judge, j, text.Render(j.Prompt, vars), b.dir))
	if err != nil {
		return err
	}
	out.Spent = out.Spent.Add(costOf(a))
	out.Row.Unpriced = out.Row.Unpriced || !a.Usage.Priced
	said, v := "the judge gave no verdict: "+orNoAnswer(a.Why, a.Invalid), sessionstate.Verdict{Confidence: 1}
	if a.Read(&v) && v.Confidence >= 0 && v.Confidence <= 1 {
		out.Row.Judge, said = &v, v.Reason
	}
	out.Row.JudgeFailed = out.Row.Judge == nil
	if !known {
		r.Passed("judged")
		r.tell(Note{Kind: Judged, Stage: b.unit.shown, Iteration: it.Number, Agent: a.Agent, Text: said})
	}
	return nil
}

// readOnlyStep returns the step of an agent that may not write.
func readOnlyStep(name string, role agent.Role, j *pipeline.Judge, prompt, dir string) step.Step {
	task := agent.Task{Role: role, Prompt: prompt, Dir: dir, ReadOnly: true, Model: j.Model, Effort: "low", Timeout: judgeTime}
	return step.Step{Name: name, Agent: j.Agent, Task: task}
}

// history returns the iterations so far as a judge sees them.
func history(rows []sessionstate.Row, newest int) string {
	var b strings.Builder
	if cut := len(rows) - mostRows; cut > 0 {
		fmt.Fprintf(&b, "(%d earlier iterations)\n", cut)
		rows = rows[cut:]
	}
	rows[len(rows)-1].Iteration = newest
	for _, row := range rows {
		changed := fmt.Sprint(row.Changed)
		if row.Unseen {
			changed = "unknown"
		}
		fmt.Fprintf(&b, "%d: changed something: %s; says plateau: %v; %s", row.Iteration, changed, row.Plateau, row.Summary)
		if row.Reasoning != "" {
			fmt.Fprintf(&b, " (%s)", row.Reasoning)
		}
		b.WriteString("\n")
	}
	return b.String()
}
