package sessions

import (
	"context"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// batch is a pipeline to run several times, as sessions NAME-1, NAME-2, ….
type batch struct {
	Name string `json:"name,omitempty"`
	Runs int    `json:"runs,omitempty"`
}

func (b batch) session(n int) string { return fmt.Sprintf("%s-%d", b.Name, n) }

// Repeat runs sessions one after the other until one does not complete. It skips completed ones
// and resumes unfinished ones, so repeating the command continues the batch.
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
			worst = err // it used up its iterations; continue with the others
		case err != nil:
			return err
		}
	}
	return worst
}

// unfinished returns the definition to run for one session of a batch: nil if it is complete,
// its own if it began before, else the new one.
func unfinished(a *app.App, d *turnstile.Drive, name string, def Definition, force bool) (what *Definition, begun bool, err error) {
	if _, err := openState(d, name).Read(); durable.IsMissing(err) || force {
		return &def, false, nil
	}
	was, err := loadDefinition(a, d, name)
	switch {
	case err != nil:
		return nil, false, err
	case was.Task != def.Task: // from another batch
		return &def, false, nil
	case isComplete(d, name):
		return nil, false, nil
	}
	return &was, true, nil
}

func isComplete(d *turnstile.Drive, name string) bool {
	v, err := openState(d, name).Read()
	return err == nil && v.Doc.Status == sessionstate.Complete
}
