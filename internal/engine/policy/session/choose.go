package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

// chooseFirst chooses the branch that finished first; on a tie, the first as written.
func (g *gathering) chooseFirst(man *branchManifest) {
	first := slices.MinFunc(man.Members, func(a, b memberOutput) int { return strings.Compare(a.endedAt, b.endedAt) })
	man.Choice, man.Reason = first.ID, "it was done first"
}

// chooseBest chooses the branch whose checks pass with the most tests; on a tie, the first as
// written. A branch whose later stages broke what was checked is not chosen.
func (g *gathering) chooseBest(ctx context.Context, man *branchManifest) error {
	best := -1
	var red []string
	for k := range man.Members {
		m := &man.Members[k]
		failed, passed, err := g.testBranch(ctx, m.unit, m.Tree)
		if err != nil {
			return err
		}
		m.Tests = passed
		switch {
		case failed != "":
			red = append(red, m.ID+": "+failed)
		case best < 0 || passed > man.Members[best].Tests:
			best = k
		}
	}
	if best < 0 {
		man.Reason = "the checks fail in every branch: " + strings.Join(red, "; ")
		return nil
	}
	man.Choice = man.Members[best].ID
	man.Reason = "its checks pass"
	if n := man.Members[best].Tests; n > 0 {
		man.Reason = fmt.Sprintf("its checks pass, with %s", text.Count(n, "test"))
	}
	return nil
}

// testBranch runs a branch's checks on its final tree, and counts the passed tests if the runner
// names them.
func (g *gathering) testBranch(ctx context.Context, end int, tree string) (failed string, passed int, err error) {
	for _, i := range slices.Backward(g.run.files.branchOf(end)) {
		lines := g.run.checkCommands(g.run.files.units[i])
		if len(lines) == 0 {
			continue
		}
		b := g.run.iterating(ctx, i, rules{})
		if err := b.enterWorkTree(ctx); err != nil {
			return "", 0, err
		}
		c := b.candidate(opening{}, tree)
		for _, line := range lines {
			t := b.suite(c, line)
			if t == nil || c.Base == "" { // cannot be counted; it passed when the stage ended
				continue
			}
			ran, err := t.Run(ctx, tree)
			if err != nil {
				return "", 0, err
			}
			if !ran.Result.Passed {
				return g.run.Redact(ran.Result.String()), 0, nil
			}
			for name, r := range ran.Named {
				if r == testoutput.Passed && !strings.HasSuffix(name, testoutput.Whole) {
					passed++
				}
			}
		}
		return "", passed, nil
	}
	return "", 0, nil
}

// commitChoice commits the chosen branch of a parallel stage, once the checks have passed on it.
// refused says why it may not be committed.
func (w *lanes) commitChoice(ctx context.Context, u unit) (refused string, err error) {
	r := w.run
	man, _ := r.files.manifest(u)
	if u.gathers == nil || !u.stage.Commit || w.own == nil || len(man.Taken) == 0 {
		return "", nil
	}
	l := w.own
	free, err := step.TakeTurn(ctx, l.guard.TurnFile(), "another agent is working in this work tree", r.remark)
	if err != nil {
		return "", err
	}
	defer free()
	tree, err := l.guard.Snapshot()
	if err != nil {
		return "", err
	}
	base, err := l.guard.Work.Repo().Trees().Graft(ctx, tree, man.Base, man.Taken)
	if err != nil {
		return "", err
	}
	rows := r.doc.Now().Rows(u.index)
	if len(rows) == 0 {
		return "", nil
	}
	err = l.commit(ctx, u, 1, Outcome{Row: rows[len(rows)-1]}, man.Head, land.Commit{Asked: []string{r.Task}, Change: gitwrite.Change{Base: base, Tree: tree}})
	if no, is := errors.AsType[land.Refusal](err); is {
		said := r.Redact(no.Error())
		return said, u.saveFailure(said)
	}
	return "", err
}
