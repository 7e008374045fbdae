package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/budget"
	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// gathering is the body that runs after the members of a parallel stage: it writes a manifest of
// their results and, if wanted, chooses one.
type gathering struct {
	run   *run
	unit  unit
	taker *step.Taker
}

// branchManifest is the file manifest.json of a parallel stage.
type branchManifest struct {
	Stage   string         `json:"stage"`
	Members []memberOutput `json:"members"`
	Choice  string         `json:"choice,omitempty"` // a member's id
	Reason  string         `json:"reason,omitempty"`
	// Taken are the paths that the choice changed in the work tree. They are the session's work: a
	// committing stage includes them.
	Taken []string `json:"taken,omitempty"`
	Base  string   `json:"base,omitempty"` // the tree before that
	Tree  string   `json:"tree,omitempty"` // the tree since then
	Head  string   `json:"head,omitempty"` // the commit checked out at that time
	// Cost of choosing.
	MicroUSD int64 `json:"micro_usd,omitempty"`
	Tokens   int64 `json:"tokens,omitempty"`
	Unpriced bool  `json:"unpriced,omitempty"` // the cost is unknown, at least in part
}

// memberOutput is the result of one member of a parallel stage.
type memberOutput struct {
	ID         string `json:"id"`
	Agent      string `json:"agent"`
	Model      string `json:"model,omitempty"`
	Output     string `json:"output"`         // the path of its output.md
	Tree       string `json:"tree,omitempty"` // its final work tree, kept under Ref
	Ref        string `json:"ref,omitempty"`
	Iterations int    `json:"iterations"`
	Reason     string `json:"reason"`          // why it ended
	Tests      int    `json:"tests,omitempty"` // passed tests, if counted

	unit    int // the last unit of its branch
	endedAt string
}

func (g *gathering) Iterate(ctx context.Context, it Iteration) (Outcome, error) {
	chooses := g.unit.stage.Parallel.Choose != pipeline.All
	out := Outcome{Row: sessionstate.Row{Summary: fmt.Sprintf("%d agents did the stage", len(g.unit.gathers))}}
	man, err := g.openManifest(ctx, it, chooses)
	if err != nil {
		return out, err
	}
	out.Spent, out.Row.Unpriced = budget.Amount{MicroUSD: man.MicroUSD, Tokens: man.Tokens}, man.Unpriced
	if chooses && man.Choice == "" {
		out.Row.Summary, out.Row.End = "nothing was chosen: "+text.Opening(man.Reason), string(agent.Unusable)
		out.Stop = &sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonAgentError, Why: out.Row.Summary}
		return out, nil
	}
	if chooses {
		out.Row.Summary = fmt.Sprintf("%s was chosen: %s", man.Choice, text.Opening(man.Reason))
	}
	if err := g.applyChoice(ctx, man); err != nil {
		return out, err
	}
	g.run.Passed("taken")
	for _, i := range g.unit.gathers {
		g.run.shield.removeMember(ctx, i)
	}
	return out, nil
}

// openManifest writes the manifest, or reads the one written before a crash. If nothing was chosen,
// it chooses again.
func (g *gathering) openManifest(ctx context.Context, it Iteration, chooses bool) (man branchManifest, err error) {
	if man, known := g.run.files.manifest(g.unit); known && (!chooses || man.Choice != "") {
		return man, nil
	}
	man = branchManifest{Stage: g.unit.stage.ID}
	for _, i := range g.unit.gathers {
		if st, err := g.run.doc.Now().Stage(i); err != nil || st.Status != sessionstate.Completed {
			continue // another branch was chosen
		}
		o, err := g.memberOutput(ctx, i)
		if err != nil {
			return man, err
		}
		man.Members = append(man.Members, o)
	}
	switch g.unit.stage.Parallel.Choose {
	case pipeline.ByJudge:
		err = g.askJudge(ctx, it, g.unit.stage.Parallel.Judge, &man)
	case pipeline.First:
		g.chooseFirst(&man)
	case pipeline.Best:
		err = g.chooseBest(ctx, &man)
	}
	if err != nil {
		return man, err
	}
	if err = g.writeManifest(man); err == nil {
		g.run.Passed("gathered")
	}
	return man, err
}

const manifestFile = "/manifest.json"

func (g *gathering) writeManifest(man branchManifest) error {
	text, err := json.MarshalIndent(man, "", "  ")
	if err != nil {
		return err
	}
	return g.run.files.write(g.unit.folder+manifestFile, append(text, '\n'))
}

// manifest reads the manifest of a parallel stage.
func (f *files) manifest(u unit) (man branchManifest, known bool) {
	text, err := durable.ReadPlain(f.path(u.folder + manifestFile))
	return man, err == nil && json.Unmarshal(text, &man) == nil
}

// memberOutput collects a member's results: its output.md and its work tree.
func (g *gathering) memberOutput(ctx context.Context, i int) (o memberOutput, err error) {
	r, u := g.run, g.run.files.units[i]
	m := u.member
	st, err := r.doc.Now().Stage(i)
	if err != nil {
		return o, err
	}
	o = memberOutput{ID: m.ID, Agent: m.Agent, Model: m.Model, Output: relativeWithin(r.Root, u.pathOf(outputFile)), Reason: st.Reason, unit: i, endedAt: st.CompletedAt}
	for _, k := range r.files.branchOf(i) {
		if st, err := r.doc.Now().Stage(k); err == nil {
			o.Iterations += st.IterationCompleted
		}
	}
	if r.shield.guard == nil {
		return o, nil
	}
	own, err := r.shield.memberGuard(ctx, i)
	if err != nil {
		return o, err
	}
	if o.Tree, err = own.Snapshot(); err == nil {
		o.Ref = r.shield.memberRef(i)
		err = own.Work.Keep(ctx, strings.TrimPrefix(o.Ref, "refs/warp/"), o.Tree)
	}
	return o, err
}

// askJudge asks a judge to choose an output. An answer that names none chooses nothing.
func (g *gathering) askJudge(ctx context.Context, it Iteration, j *pipeline.Judge, man *branchManifest) (err error) {
	vars := g.run.vars(g.unit, g.run.dir)
	var list []string
	for _, m := range man.Members {
		line := fmt.Sprintf("- %s: %s", m.ID, m.Output)
		if m.Tree != "" {
			line += fmt.Sprintf(" (its changes: git diff %s %s)", g.run.shield.recordedBase(g.unit.gathers[0]), m.Tree)
		}
		list = append(list, line)
	}
	vars["CANDIDATES"] = strings.Join(list, "\n")
	if g.taker.Memory, err = g.unit.memory(g.run.Store, it.Number); err != nil {
		return err
	}
	a, err := g.run.ask(ctx, g.taker, g.unit, it.Number, readOnlyStep("choose", agent.Choose, j, text.Render(j.Prompt, vars), g.run.dir))
	if err != nil {
		return err
	}
	man.MicroUSD, man.Tokens, man.Reason = a.Usage.MicroUSD, a.Usage.Tokens(), orNoAnswer(a.Why, a.Invalid)
	man.Unpriced = !a.Usage.Priced
	var said struct{ Choice, Reason string }
	a.Read(&said)
	for _, m := range man.Members {
		if said.Choice == m.ID {
			man.Choice, man.Reason = m.ID, said.Reason
			g.run.tell(Note{Kind: Judged, Stage: g.unit.shown, Iteration: it.Number, Agent: a.Agent, Text: m.ID + ": " + man.Reason})
		}
	}
	return nil
}

// applyChoice brings the choice into the work tree, and its output to where later stages look.
// Without a choice all outputs are concatenated.
func (g *gathering) applyChoice(ctx context.Context, man branchManifest) error {
	var all strings.Builder
	for _, m := range man.Members {
		if man.Choice != "" && m.ID != man.Choice {
			continue
		}
		if m.ID == man.Choice && m.Tree != "" && g.run.shield.guard != nil {
			if err := g.applyChanges(ctx, g.run.shield.recordedBase(g.unit.gathers[0]), m.Tree, man); err != nil {
				return err
			}
		}
		text, err := durable.ReadPlain(filepath.Join(g.run.Root, m.Output))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if man.Choice == "" {
			fmt.Fprintf(&all, "# %s\n\n", m.ID)
		}
		all.Write(text)
	}
	return durable.WriteFile(g.unit.pathOf(outputFile), []byte(all.String()), 0o644)
}

// applyChanges makes a member's changes in the work tree. Files that a person changed meanwhile too
// are kept under a ref.
func (g *gathering) applyChanges(ctx context.Context, base, tree string, man branchManifest) error {
	own := g.run.shield.guard
	repo := own.Work.Repo()
	now, err := own.Snapshot()
	if err != nil {
		return err
	}
	changes, err := repo.Trees().Changes(base, tree)
	theirs, err2 := repo.Trees().Changes(base, now)
	differ, err3 := repo.Trees().Changes(tree, now) // else it was applied before a crash
	head, err4 := repo.Head()
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return err
	}
	if head != "" { // files untracked when the members began are a person's: never delete them
		before, err := repo.Trees().Changes(head, base)
		if err != nil {
			return err
		}
		changes = slices.DeleteFunc(changes, func(c git.Change) bool {
			return c.Status == 'D' && slices.ContainsFunc(before, func(b git.Change) bool { return b.Status == 'A' && b.Path == c.Path })
		})
	}
	if len(changes) == 0 {
		return nil
	}
	paths := git.Paths(changes)
	both := slices.DeleteFunc(git.Paths(theirs), func(p string) bool {
		return !slices.Contains(paths, p) || !slices.Contains(git.Paths(differ), p)
	})
	if len(both) > 0 {
		name := "session/" + g.run.Name + "/" + g.unit.stage.ID + "-yours"
		if err := own.Work.Keep(ctx, name, now); err != nil {
			return err
		}
		g.run.remark("changed in the work tree since the stage began, and also by the chosen branch; your version is kept in refs/warp/%s: %s", name, text.Quote(both, 5))
	}
	man.Taken, man.Base, man.Tree, man.Head = paths, base, tree, cmp.Or(man.Head, head)
	if err := g.writeManifest(man); err != nil {
		return err
	}
	if err := own.Work.Restore(ctx, tree, paths, true); err != nil {
		return err
	}
	return own.Settle(ctx)
}
