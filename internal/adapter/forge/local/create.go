package local

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/engine/forge"
)

// Create files an issue under the next number.
func (t *Tracker) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	const doing = "filing an issue"
	if strings.TrimSpace(n.Title) == "" {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "it has no title", Advice: "give it one"}
	}
	d := &document{gap: "\n"}
	now := t.stamp()
	for _, f := range [][2]string{
		{"title", quote(n.Title, false)}, {"labels", join(n.Labels)}, {"state", "open"},
		{"author", quote(t.user, false)}, {"created", now}, {"updated", now},
	} {
		d.head.set(f[0], f[1])
	}
	if len(n.Assignees) > 0 {
		d.head.set("assignees", join(n.Assignees))
	}
	if err := d.replace(n.Body); err != nil {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: err.Error(), Advice: "change the text"}
	}
	number, err := t.add(ctx, doing, issuesFolder, d, func() (int, error) { return t.filed(ctx, n.Once) })
	if err != nil {
		return forge.Issue{}, err
	}
	i, err := t.Get(ctx, number)
	i.Comments = nil
	return i, err
}

// filed finds the issue that was filed with a marker; 0: there is none.
func (t *Tracker) filed(ctx context.Context, marker string) (int, error) {
	if marker == "" {
		return 0, nil
	}
	list, err := t.List(ctx, forge.Query{Closed: true})
	for _, i := range list {
		if strings.Contains(i.Body, marker) {
			return i.Number, nil
		}
	}
	_ = err // a file that cannot be read must not stop a report; at worst it is filed twice
	return 0, nil
}

// add writes a document under the next number, unless found knows one that is
// there already. Both is done under the store's lock.
func (t *Tracker) add(ctx context.Context, doing, folder string, d *document, found func() (int, error)) (int, error) {
	for range 1000 {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("%s: %w", doing, err)
		}
		next, err := t.next(folder)
		if err != nil {
			return 0, err
		}
		have := 0
		err = t.store.EditFile(file(folder, next), func(text []byte) ([]byte, error) {
			var err error
			if have, err = found(); have > 0 {
				return nil, errSame
			} else if err != nil {
				return nil, err
			}
			if now, err := t.next(folder); text != nil || err != nil || now != next {
				return nil, errors.Join(err, errTaken)
			}
			return []byte(d.String()), nil
		})
		switch {
		case err == nil:
			return next, nil
		case have > 0:
			return have, nil
		case reason(err) != "":
			return 0, err
		case !errors.Is(err, errTaken):
			return 0, fmt.Errorf("%s: %w", doing, err)
		}
	}
	return 0, &forge.Error{Doing: doing, Reason: forge.Conflict, Why: "others take every number first", Advice: "try again"}
}

func (t *Tracker) next(folder string) (int, error) {
	all, err := t.numbers(folder)
	if err != nil || len(all) == 0 {
		return 1, err
	}
	return all[len(all)-1] + 1, nil
}
