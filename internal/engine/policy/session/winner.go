package session

import (
	"context"
	"errors"

	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

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
	err = l.commit(ctx, u, 1, subject(rows[len(rows)-1], r.Name), man.Head, land.Commit{Asked: []string{r.Task}, Change: gitwrite.Change{Base: base, Tree: tree}})
	if no, is := errors.AsType[land.Refusal](err); is {
		said := r.Redact(no.Error())
		return said, u.saveFailure(said)
	}
	return "", err
}
