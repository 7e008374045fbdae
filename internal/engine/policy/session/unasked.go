package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/scope"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

const (
	takeBackStep  = "take-back"
	unaskedMemory = "/unasked.json"
)

// takeBackUnasked has the unit's agent take back what no one asked for in the session's commits,
// once, before they land: there is no verifier here. A non-empty why says what is left for a person
// to merge.
func (l *lane) takeBackUnasked(ctx context.Context, u unit) (why string, err error) {
	base, points, err := l.findUnasked(ctx)
	if err != nil || len(points) == 0 {
		return "", err
	}
	r := l.run
	t := r.taker(ctx, u.index, l.guard, r.spending.bounds)
	if t.Memory, _, err = step.Remember(r.Store, r.files.path(sessionstate.Dir(r.Name)+unaskedMemory), r.Name+" "+u.name); err != nil {
		return "", err
	}
	if _, asked := t.Memory.Answers[takeBackStep]; !asked {
		r.remark("no one asked for this, so the agent takes it back:\n%s", scope.Describe(points))
		if err := l.askToTakeBack(ctx, t, u, base, points); err != nil {
			return "", err
		}
		if _, points, err = l.findUnasked(ctx); err != nil || len(points) == 0 {
			return "", err
		}
	}
	return fmt.Sprintf("no one asked for this: %s; take it back in a commit on %s, or accept it with git merge %[2]s",
		text.OneLine(strings.ReplaceAll(scope.Describe(points), "\n", "; ")), l.branch), nil
}

// askToTakeBack asks the agent, and commits what it took back if the checks pass on that.
func (l *lane) askToTakeBack(ctx context.Context, t *step.Taker, u unit, base string, points []scope.Point) error {
	r := l.run
	before, err := l.guard.Snapshot()
	if err != nil {
		return err
	}
	words := prompt.Render("take-back", map[string]any{"Task": r.reads.taskOf(u, l.guard.Root), "Points": scope.Describe(points), "Base": text.Hash(base)})
	a, err := r.ask(ctx, t, u, 1, step.Step{Name: takeBackStep, Agent: u.stage.Agent, Task: agent.Task{Role: agent.Fix, Dir: l.guard.Root, Model: u.stage.Model, Prompt: words}})
	if err != nil {
		return err
	}
	after, err := l.guard.Snapshot()
	if err != nil || a.Failed() || after == before {
		return err
	}
	if why, err := l.checkTree(ctx, base, after); err != nil || why != "" {
		if err == nil {
			r.remark("what the agent took back is restored: %s", text.Opening(why))
			err = place.Fill(ctx, l.guard.Work, after, before)
		}
		return errors.Join(err, l.guard.Settle(ctx))
	}
	var summary struct{ Summary, Commit string }
	a.Read(&summary)
	said := Outcome{Row: sessionstate.Row{Summary: summary.Summary}, Commit: summary.Commit}
	return l.commit(ctx, u, 0, said, "", land.Commit{Change: gitwrite.Change{Base: before, Tree: after}, Asked: l.asked().Criteria})
}

// checkTree returns why a tree must not land: weakened tests, or a failing check.
func (l *lane) checkTree(ctx context.Context, base, tree string) (why string, err error) {
	lines := l.run.lanes.landingChecks()
	c := judge.Candidate{Repo: l.land.Work.Repo(), Prefix: l.land.Work.Root().Folder(), Base: base, Tree: tree, Criteria: []string{l.run.Task}}
	why, err = l.run.commandSetup().CheckEach(ctx, l.run.Checks.Integrity, c, judge.Site{Dir: l.guard.Root, Base: base}, append(slices.Clone(lines), l.run.Checks.Verify)...)
	if err != nil || why != "" || len(lines) == 0 {
		return why, err
	}
	return l.checkLines(ctx, tree, lines)
}

// findUnasked returns what no one asked for in the session's commits, and where they begin.
func (l *lane) findUnasked(ctx context.Context) (base string, points []scope.Point, err error) {
	repo := l.land.Work.Repo()
	tip, err := l.land.Tip(l.branch)
	if err != nil || tip == "" {
		return "", nil, err
	}
	base, err = gate.MergeBase(ctx, repo, tip, "refs/heads/"+l.target)
	if err != nil {
		return "", nil, err
	}
	points, err = gate.FindUnasked(ctx, repo, base, tip, l.asked())
	own := path.Join(l.land.Work.Root().Folder(), ".claude") + "/"
	return base, slices.DeleteFunc(points, func(p scope.Point) bool { return strings.HasPrefix(p.File, own) }), err
}

// asked returns what the session was asked for: its task, the prompts of its stages, which a person
// wrote, and the items that were done.
func (l *lane) asked() scope.Asked {
	r := l.run
	a := scope.Asked{Criteria: []string{r.Task}, Prefix: l.land.Work.Root().Folder()}
	for _, u := range r.files.units {
		if u.stage.Prompt != "" {
			a.Criteria = append(a.Criteria, u.stage.Prompt, u.stage.Context)
		}
	}
	items, _ := durable.ReadPlain(r.files.path(sessionstate.Dir(r.Name) + itemsFile)) // without it no item was given
	a.Criteria = append(a.Criteria, string(items))
	return a
}

// itemsFile has the texts of the items that were given to agents: a queue forgets what is done.
const (
	itemsFile = "/items.txt"
	mostItems = 256 << 10
)

// noteItem keeps what an item asks for.
func (f *files) noteItem(item *Item) error {
	if item == nil {
		return nil
	}
	return f.edit(sessionstate.Dir(f.name)+itemsFile, func(was []byte) ([]byte, error) {
		if text := item.Title + "\n" + item.Text + "\n"; !bytes.Contains(was, []byte(text)) && len(was)+len(text) <= mostItems {
			was = append(was, text...)
		}
		return was, nil
	})
}
