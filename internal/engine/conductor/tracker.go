package conductor

import (
	"context"
	"fmt"

	"warp/internal/core/conduct"
	"warp/internal/engine/forge"
)

// Tracker returns a tracker that asks the worker before each change.
func (c *Conductor) Tracker(t forge.Tracker) forge.Tracker {
	if c == nil {
		return t
	}
	asking := &tracker{t, c}
	if w, is := t.(forge.PullWatcher); is {
		return struct {
			*tracker
			forge.PullWatcher
		}{asking, w}
	}
	return asking
}

// tracker asks before each change. Reads go straight through.
type tracker struct {
	forge.Tracker
	c *Conductor
}

// change makes a change that the worker allows.
func (t *tracker) change(ctx context.Context, do func() error, format string, args ...any) error {
	if _, err := t.c.Ask(ctx, conduct.Say{Kind: conduct.File, What: fmt.Sprintf(format, args...)}); err != nil {
		return err
	}
	return do()
}

func (t *tracker) Edit(ctx context.Context, number int, change func(body string) (string, error)) error {
	return t.change(ctx, func() error { return t.Tracker.Edit(ctx, number, change) }, "the text of #%d", number)
}

func (t *tracker) Retitle(ctx context.Context, number int, title string) error {
	return t.change(ctx, func() error { return t.Tracker.Retitle(ctx, number, title) }, "the title of #%d", number)
}

func (t *tracker) Label(ctx context.Context, number int, add, remove []string) error {
	return t.change(ctx, func() error { return t.Tracker.Label(ctx, number, add, remove) }, "the labels of #%d", number)
}

func (t *tracker) Comment(ctx context.Context, number int, n forge.NewComment) error {
	return t.change(ctx, func() error { return t.Tracker.Comment(ctx, number, n) }, "a comment on #%d", number)
}

func (t *tracker) Create(ctx context.Context, n forge.NewIssue) (made forge.Issue, err error) {
	err = t.change(ctx, func() error {
		made, err = t.Tracker.Create(ctx, n)
		return err
	}, "the issue %q", n.Title)
	return made, err
}

func (t *tracker) Close(ctx context.Context, number int) error {
	return t.change(ctx, func() error { return t.Tracker.Close(ctx, number) }, "#%d is closed", number)
}

func (t *tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	return t.change(ctx, func() error { return t.Tracker.MakeLabels(ctx, labels) }, "labels")
}

func (t *tracker) OpenPull(ctx context.Context, p forge.NewPull) (made forge.Pull, err error) {
	err = t.change(ctx, func() error {
		made, err = t.Tracker.OpenPull(ctx, p)
		return err
	}, "a pull request of %s", p.Head)
	return made, err
}

func (t *tracker) MergePull(ctx context.Context, number int, how forge.Merge) error {
	return t.change(ctx, func() error { return t.Tracker.MergePull(ctx, number, how) }, "pull request #%d is merged", number)
}
