package session

import (
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
	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// gathering is the body of what comes after the members of a parallel stage: a
// manifest of what each has made, and, with a judge, the choice of one.
type gathering struct {
	*run
	unit  int
	taker *step.Taker
}

// Manifest is the file manifest.json of a parallel stage.
type Manifest struct {
	Stage   string   `json:"stage"`
	Members []Output `json:"members"`
	Choice  string   `json:"choice,omitempty"` // the id of a member
	Reason  string   `json:"reason,omitempty"`
	// What the choice has cost.
	MicroUSD int64 `json:"micro_usd,omitempty"`
	Tokens   int64 `json:"tokens,omitempty"`
}

// Output is what one member of a parallel stage has made.
type Output struct {
	ID         string `json:"id"`
	Agent      string `json:"agent"`
	Model      string `json:"model,omitempty"`
	Output     string `json:"output"`         // the path of its output.md
	Tree       string `json:"tree,omitempty"` // what it made of the work tree, kept under Ref
	Ref        string `json:"ref,omitempty"`
	Iterations int    `json:"iterations"`
	Reason     string `json:"reason"` // why it ended
}

func (g *gathering) Iterate(ctx context.Context, it Iteration) (Outcome, error) {
	u := g.units[g.unit]
	file := filepath.ToSlash(filepath.Join(session.StageDir(g.Name, g.unit, u.name), "manifest.json"))
	out := Outcome{Row: session.Row{Summary: fmt.Sprintf("%d agents did the stage", len(u.gathers))}}
	man, done := g.manifest(file)
	if !done {
		man.Stage = u.stage.ID
		for _, i := range u.gathers {
			o, err := g.output(ctx, i)
			if err != nil {
				return out, err
			}
			man.Members = append(man.Members, o)
		}
		if j := u.stage.Parallel.Judge; j != nil {
			if err := g.choose(ctx, it, j, &man); err != nil {
				return out, err
			}
		}
		text, err := json.MarshalIndent(man, "", "  ")
		if err == nil {
			err = g.write(file, append(text, '\n'))
		}
		if err != nil {
			return out, err
		}
		g.passed("gathered")
	}
	out.Spent = budget.Amount{MicroUSD: man.MicroUSD, Tokens: man.Tokens}
	if u.stage.Parallel.Judge != nil {
		if out.Row.Summary = "nothing was chosen: " + text.Opening(man.Reason); man.Choice == "" {
			out.Row.End = string(agent.Unusable)
			out.Stop = &session.Decision{Stop: true, Reason: session.ReasonAgentError, Why: out.Row.Summary}
			return out, nil
		}
		out.Row.Summary = fmt.Sprintf("%s was chosen: %s", man.Choice, text.Opening(man.Reason))
	}
	if err := g.take(ctx, man); err != nil {
		return out, err
	}
	g.passed("taken")
	for _, i := range u.gathers {
		g.dismiss(ctx, i)
	}
	return out, nil
}

// manifest is the one that was written before a crash.
func (g *gathering) manifest(file string) (m Manifest, ok bool) {
	text, err := os.ReadFile(g.path(file))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Manifest{}, false
	}
	return m, true
}

// output finds out what a member has made: its output.md, and its work tree.
func (g *gathering) output(ctx context.Context, i int) (o Output, err error) {
	u := g.units[i]
	st, err := g.doc.Now().Stage(i)
	if err != nil {
		return o, err
	}
	o = Output{ID: u.member.ID, Agent: u.member.Agent, Model: u.member.Model, Output: within(g.Root, g.outputFile(i)), Iterations: st.IterationCompleted, Reason: st.Reason}
	if g.guard == nil {
		return o, nil
	}
	own, err := g.apart(ctx, i)
	if err != nil {
		return o, err
	}
	if o.Tree, err = own.Snapshot(); err == nil {
		o.Ref = g.ref(i)
		err = own.Work.Keep(ctx, strings.TrimPrefix(o.Ref, "refs/warp/"), o.Tree)
	}
	return o, err
}

// choose asks a judge which output is taken. One that names none of them has
// chosen nothing.
func (g *gathering) choose(ctx context.Context, it Iteration, j *pipeline.Judge, man *Manifest) error {
	vars := g.vars(g.unit, g.Root)
	var list []string
	for _, m := range man.Members {
		line := fmt.Sprintf("- %s: %s", m.ID, m.Output)
		if m.Tree != "" {
			line += fmt.Sprintf(" (its changes: git diff %s %s)", g.baseOf(g.units[g.unit].gathers[0]), m.Tree)
		}
		list = append(list, line)
	}
	vars["CANDIDATES"] = strings.Join(list, "\n")
	mem, _, err := step.Remember(g.memoryFile(g.unit), fmt.Sprintf("%s %s %d", g.Name, g.units[g.unit].name, it.Number))
	if err != nil {
		return err
	}
	g.taker.Memory = mem
	a, err := g.ask(ctx, g.taker, g.unit, it.Number, consult("choose", agent.Choose, j, pipeline.Render(j.Prompt, vars), g.Root))
	if err != nil {
		return err
	}
	man.MicroUSD, man.Tokens, man.Reason = a.Usage.MicroUSD, a.Usage.Tokens(), firstOf(a.Why, a.Invalid)
	var said struct{ Choice, Reason string }
	a.Read(&said)
	for _, m := range man.Members {
		if said.Choice == m.ID {
			man.Choice, man.Reason = m.ID, said.Reason
			g.tell(Note{Kind: Judged, Stage: g.shown(g.unit), Iteration: it.Number, Agent: a.Agent, Text: m.ID + ": " + man.Reason})
		}
	}
	return nil
}

// take brings the choice into the work tree, and its output to where later stages
// look. Without a judge all outputs stand one after the other.
func (g *gathering) take(ctx context.Context, man Manifest) error {
	var all strings.Builder
	for _, m := range man.Members {
		if man.Choice != "" && m.ID != man.Choice {
			continue
		}
		if m.ID == man.Choice && m.Tree != "" && g.guard != nil {
			if err := g.apply(ctx, g.baseOf(g.units[g.unit].gathers[0]), m.Tree); err != nil {
				return err
			}
		}
		text, err := os.ReadFile(filepath.Join(g.Root, m.Output))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if man.Choice == "" {
			fmt.Fprintf(&all, "# %s\n\n", m.ID)
		}
		all.Write(text)
	}
	return os.WriteFile(g.outputFile(g.unit), []byte(all.String()), 0o644)
}

// keepUntracked leaves out that files are gone which were not tracked when the
// members began: they are a person's, and nothing of ours deletes them.
func (g *gathering) keepUntracked(base string, changes []git.Change) ([]git.Change, error) {
	head, err := g.guard.Work.Repo().Head()
	if err != nil || head == "" {
		return changes, err
	}
	before, err := g.guard.Work.Repo().Changes(head, base)
	return slices.DeleteFunc(changes, func(c git.Change) bool {
		return c.Status == 'D' && slices.ContainsFunc(before, func(b git.Change) bool { return b.Status == 'A' && b.Path == c.Path })
	}), err
}

// apply makes the changes of a member in the work tree. What a person changed
// there meanwhile, and the member too, is kept beside.
func (g *gathering) apply(ctx context.Context, base, tree string) error {
	here := g.guard.Work
	changes, err := here.Repo().Changes(base, tree)
	if err == nil {
		changes, err = g.keepUntracked(base, changes)
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	now, err := g.guard.Snapshot()
	if err != nil {
		return err
	}
	theirs, err := here.Repo().Changes(base, now)
	if err != nil {
		return err
	}
	paths := git.Paths(changes)
	both := slices.DeleteFunc(git.Paths(theirs), func(p string) bool { return !slices.Contains(paths, p) })
	again, err := here.Repo().Changes(tree, now)
	if err != nil {
		return err
	}
	both = slices.DeleteFunc(both, func(p string) bool { return !slices.Contains(git.Paths(again), p) }) // taken before a crash
	if len(both) > 0 {
		name := "session/" + g.Name + "/" + g.units[g.unit].stage.ID + "-yours"
		if err := here.Keep(ctx, name, now); err != nil {
			return err
		}
		g.remark("changed in the work tree since the stage began, and by the choice too; as it was, it is kept in refs/warp/%s: %s", name, text.Quote(both, 5))
	}
	if err := here.Restore(ctx, tree, paths, true); err != nil {
		return err
	}
	return g.guard.Settle(ctx)
}
