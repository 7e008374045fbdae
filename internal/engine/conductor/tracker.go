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

func (t *tracker) ask(ctx context.Context, format string, args ...any) error {
	_, err := t.c.Ask(ctx, conduct.Say{Kind: conduct.File, What: fmt.Sprintf(format, args...)})
	return err
}

func (t *tracker) Edit(ctx context.Context, number int, change func(body string) (string, error)) error {
	if err := t.ask(ctx, "the text of #%d", number); err != nil {
		return err
	}
	return t.Tracker.Edit(ctx, number, change)
}

func (t *tracker) Retitle(ctx context.Context, number int, title string) error {
	if err := t.ask(ctx, "the title of #%d", number); err != nil {
		return err
	}
	return t.Tracker.Retitle(ctx, number, title)
}

func (t *tracker) Label(ctx context.Context, number int, add, remove []string) error {
	if err := t.ask(ctx, "the labels of #%d", number); err != nil {
		return err
	}
	return t.Tracker.Label(ctx, number, add, remove)
}

func (t *tracker) Comment(ctx context.Context, number int, n forge.NewComment) error {
	if err := t.ask(ctx, "a comment on #%d", number); err != nil {
		return err
	}
	return t.Tracker.Comment(ctx, number, n)
}

func (t *tracker) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	if err := t.ask(ctx, "the issue %q", n.Title); err != nil {
		return forge.Issue{}, err
	}
	return t.Tracker.Create(ctx, n)
}

func (t *tracker) Close(ctx context.Context, number int) error {
	if err := t.ask(ctx, "#%d is closed", number); err != nil {
		return err
	}
	return t.Tracker.Close(ctx, number)
}

func (t *tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	if err := t.ask(ctx, "labels"); err != nil {
		return err
	}
	return t.Tracker.MakeLabels(ctx, labels)
}

func (t *tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	if err := t.ask(ctx, "a pull request of %s", p.Head); err != nil {
		return forge.Pull{}, err
	}
	return t.Tracker.OpenPull(ctx, p)
}

func (t *tracker) MergePull(ctx context.Context, number int, how forge.Merge) error {
	if err := t.ask(ctx, "pull request #%d is merged", number); err != nil {
		return err
	}
	return t.Tracker.MergePull(ctx, number, how)
}
