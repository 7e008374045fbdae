package session

import (
	"context"
	"errors"
	"fmt"

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
	on := l.branch
	if on == "" {
		if on, err = l.guard.Work.Repo().Branch(); err != nil {
			return "", err
		}
	}
	rows := r.doc.Now().Rows(u.index)
	if len(rows) == 0 {
		return "", nil
	}
	title, trailer := subject(rows[len(rows)-1], r.Name), "Warp-Iteration: "+u.name+"/1"
	c := land.Commit{Branch: on, Trailer: trailer, Asked: []string{r.Task}, Change: gitwrite.Change{Base: base, Tree: tree, Exclude: l.guard.Private(),
		Message: fmt.Sprintf("%s\n\nWarp-Session: %s\n%s\n", title, r.Name, trailer)}}
	if man.Head != "" {
		c.Since = []string{man.Head}
	}
	hash, again, err := l.land.Commit(ctx, c)
	var no land.Refusal
	if errors.As(err, &no) {
		said := r.Redact(no.Error())
		return said, u.saveFailure(said)
	}
	if err == nil && hash != "" && !again {
		r.tell(Note{Kind: Committed, Stage: u.shown, Iteration: 1, Hash: hash, Text: title})
	}
	return "", l.commitError(err)
}
