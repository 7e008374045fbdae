package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/sys/written"
)

// rounds limits the retries on a file that others keep changing.
const rounds = 5

var (
	errSame  = errors.New("nothing changes")
	errTaken = errors.New("the number is taken")
)

// change edits one file under the store's lock. People's editors ignore the lock: if the file has
// changed meanwhile, fn runs again.
func (t *Tracker) change(ctx context.Context, doing, folder string, number int, fn func(*document) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	name := file(folder, number)
	var told error // fn's own error, returned without context
	err := t.store.EditFile(name, func(text []byte) ([]byte, error) {
		for range rounds {
			if text == nil {
				return nil, missingFileError(doing, folder, number)
			}
			d, err := parse(string(text))
			if err != nil {
				return nil, invalidFileError(doing, folder, number, err)
			}
			if told = fn(d); told != nil {
				return nil, told
			}
			next := d.String()
			if next == string(text) {
				return nil, errSame
			}
			now, err := t.store.ReadFile(name)
			if err != nil || string(now) == string(text) {
				if err != nil {
					return nil, err
				}
				return t.recordWritten(name, next)
			}
			text = now
		}
		return nil, &forge.Error{Doing: doing, Reason: forge.Conflict, Why: forge.ErrChanging.Error(), Advice: "try again when they are done"}
	})
	switch {
	case err == nil || errors.Is(err, errSame):
		return nil
	case told != nil || forge.ReasonOf(err) != "":
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// recordWritten records a text as written by warp before it is written, so that a guard that finds
// it while an agent runs knows whose it is.
func (t *Tracker) recordWritten(name, text string) ([]byte, error) {
	return []byte(text), written.Add(t.store, name, []byte(text))
}

// stampUpdated updates the time of change in files that have one.
func (t *Tracker) stampUpdated(d *document) {
	if _, ok := d.head.fields["updated"]; ok {
		d.head.set("updated", t.stamp())
	}
}

func (t *Tracker) stamp() string { return t.now().UTC().Format(time.RFC3339) }

func (t *Tracker) onIssue(ctx context.Context, what string, number int, fn func(string, *document) error) error {
	doing := fmt.Sprintf("%s issue %d", what, number)
	return t.change(ctx, doing, issuesFolder, number, func(d *document) error {
		if _, err := t.issue(doing, number, d.String()); err != nil {
			return err
		}
		return fn(doing, d)
	})
}

// Edit changes an issue's body.
func (t *Tracker) Edit(ctx context.Context, number int, change func(string) (string, error)) error {
	return t.onIssue(ctx, "editing", number, func(doing string, d *document) error {
		next, err := change(d.body)
		if err != nil || next == d.body {
			return err
		}
		if err := d.setBody(next); err != nil {
			return invalidFileError(doing, issuesFolder, number, err)
		}
		t.stampUpdated(d)
		return nil
	})
}

// Retitle changes an issue's title.
func (t *Tracker) Retitle(ctx context.Context, number int, title string) error {
	return t.onIssue(ctx, "changing the title of", number, func(_ string, d *document) error {
		t.set(d, "title", quote(title, false))
		return nil
	})
}

// Close closes an issue; a closed one stays closed.
func (t *Tracker) Close(ctx context.Context, number int) error {
	return t.onIssue(ctx, "closing", number, func(_ string, d *document) error {
		if v, _ := d.head.get("state"); !strings.EqualFold(v, "closed") {
			t.set(d, "state", "closed")
		}
		return nil
	})
}

// set changes a field; a file without front matter gets one.
func (t *Tracker) set(d *document, key, value string) {
	if len(d.head.lines) == 0 {
		d.gap = d.head.lineEnd()
	}
	d.head.set(key, value)
	t.stampUpdated(d)
}

// Label adds labels to an issue, then removes some.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	return t.onIssue(ctx, "labelling", number, func(doing string, d *document) error {
		have, err := d.head.list("labels")
		if err != nil {
			return invalidFileError(doing, issuesFolder, number, err)
		}
		next := slices.Clone(have)
		for _, l := range add {
			if !(forge.Issue{Labels: next}).Has(l) {
				next = append(next, l)
			}
		}
		gone := forge.Issue{Labels: remove}
		next = slices.DeleteFunc(next, gone.Has)
		if !slices.Equal(have, next) {
			t.set(d, "labels", join(next))
		}
		return nil
	})
}

func join(labels []string) string {
	var out []string
	for _, l := range labels {
		out = append(out, quote(l, true))
	}
	return strings.Join(out, ", ")
}

// Comment adds a comment to an issue.
func (t *Tracker) Comment(ctx context.Context, number int, c forge.NewComment) error {
	text := forge.AddMarker(c.Body, c.Once)
	return t.onIssue(ctx, "commenting on", number, func(doing string, d *document) error {
		said := func(have comment) bool { return strings.Contains(have.body, c.Once) }
		if i := slices.IndexFunc(d.comments, said); c.Once != "" && i >= 0 {
			if body := strings.TrimRight(text, "\r\n"); c.Update && d.comments[i].body != body {
				d.rewriteComment(i, text)
				t.stampUpdated(d)
			}
			return nil
		}
		if strings.TrimSpace(text) == "" {
			return &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "the comment is empty", Advice: "say something"}
		}
		d.addComment(t.user, text, t.now())
		t.stampUpdated(d)
		return nil
	})
}
