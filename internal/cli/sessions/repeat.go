package sessions

import (
	"context"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// batch is a pipeline that is run several times: the sessions NAME-1, NAME-2 and so on.
type batch struct {
	Name string `json:"name,omitempty"`
	Runs int    `json:"runs,omitempty"`
}

func (b batch) session(n int) string { return fmt.Sprintf("%s-%d", b.Name, n) }

// Repeat runs sessions one after the other, until one does not complete. What an earlier
// call completed is not run again, and what it left unfinished is resumed: the same
// command goes on where it was.
func Repeat(ctx context.Context, a *app.App, d *turnstile.Drive, name string, def Definition, o Options, runs int) error {
	b := batch{name, runs}
	if err := sessionstate.CheckName(b.session(runs)); err != nil {
		return &app.UsageError{Err: err}
	}
	var worst error
	for n := 1; n <= runs; n++ {
		one := b.session(n)
		what, begun, err := unfinished(a, d, one, def, o.Force)
		if err != nil {
			return err
		}
		if what == nil {
			a.Printf("%s is complete; --force runs it again\n", one)
			continue
		}
		each := o
		each.Goes = begun
		if o.Detach || o.UI {
			each.batch = b
			return Start(ctx, a, d, one, *what, each)
		}
		switch err := Start(ctx, a, d, one, *what, each); {
		case app.IsA[*app.Silent](err) && app.Code(err) == app.Partly && isComplete(d, one):
			worst = err // it did what it may, and so may the others
		case err != nil:
			return err
		}
	}
	return worst
}

// unfinished is what is left to run of one session of a batch: nothing when it is
// complete, its own definition when it was begun before, else a new one.
func unfinished(a *app.App, d *turnstile.Drive, name string, def Definition, force bool) (what *Definition, begun bool, err error) {
	if _, err := open(d, name).Read(); durable.IsMissing(err) || force {
		return &def, false, nil
	}
	was, err := load(a, d, name)
	switch {
	case err != nil:
		return nil, false, err
	case was.Task != def.Task: // of another batch
		return &def, false, nil
	case isComplete(d, name):
		return nil, false, nil
	}
	return &was, true, nil
}

func isComplete(d *turnstile.Drive, name string) bool {
	v, err := open(d, name).Read()
	return err == nil && v.Doc.Status == sessionstate.Complete
}
