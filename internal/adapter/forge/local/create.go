package local

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"warp/internal/engine/forge"
)

// Create files an issue under the next number.
func (t *Tracker) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	const doing = "filing an issue"
	if strings.TrimSpace(n.Title) == "" {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "it has no title", Advice: "give it one"}
	}
	d, err := t.newDocument(doing, forge.AddMarker(n.Body, n.Once), [][2]string{{"title", quote(n.Title, false)}, {"labels", join(n.Labels)}})
	if err != nil {
		return forge.Issue{}, err
	}
	if len(n.Assignees) > 0 {
		d.head.set("assignees", join(n.Assignees))
	}
	searched := map[int]bool{}
	number, err := t.add(ctx, doing, issuesFolder, d, func() (int, error) { return t.findFiled(ctx, n.Once, searched) })
	if err != nil {
		return forge.Issue{}, err
	}
	i, err := t.Get(ctx, number)
	i.Comments = nil
	return i, err
}

// newDocument returns an open issue or pull request of ours.
func (t *Tracker) newDocument(doing, body string, fields [][2]string) (*document, error) {
	d := &document{gap: "\n"}
	now := t.stamp()
	for _, f := range append(fields, [][2]string{{"state", "open"}, {"author", quote(t.user, false)}, {"created", now}, {"updated", now}}...) {
		d.head.set(f[0], f[1])
	}
	if err := d.setBody(body); err != nil {
		return nil, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: err.Error(), Advice: "change the text"}
	}
	return d, nil
}

// findFiled returns the issue that was filed with a marker; 0 if there is none. It fails while a
// file cannot be read, so that nothing is filed twice. It skips files in searched: a marker comes
// only with the file that is created for it.
func (t *Tracker) findFiled(ctx context.Context, marker string, searched map[int]bool) (int, error) {
	if marker == "" {
		return 0, nil
	}
	all, err := t.numbers(issuesFolder)
	for _, n := range all {
		if searched[n] {
			continue
		}
		i, bad := t.Get(ctx, n)
		switch {
		case bad == nil && strings.Contains(i.Body, marker):
			return n, nil
		case bad == nil:
			searched[n] = true
		case !forge.Is(bad, forge.NotFound): // else it was removed just now
			err = errors.Join(err, bad)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("filing an issue once: cannot tell whether it already exists: %w", err)
	}
	return 0, nil
}

// add writes a document under the next number, unless found returns an existing one. It takes the
// number first, under the store's lock; the number stays taken if the document is not written.
func (t *Tracker) add(ctx context.Context, doing, folder string, d *document, found func() (int, error)) (int, error) {
	for range 1000 {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("%s: %w", doing, err)
		}
		number, have := 0, 0
		err := t.store.EditFile(folder+"/"+lastFile, func(last []byte) (_ []byte, err error) {
			if have, err = failIfFound(found); err != nil {
				return nil, err
			}
			if number, err = t.next(folder, string(last)); err != nil {
				return nil, err
			}
			return []byte(strconv.Itoa(number) + "\n"), nil
		})
		if err == nil {
			err = t.store.EditFile(file(folder, number), func(text []byte) (_ []byte, err error) {
				if have, err = failIfFound(found); err != nil {
					return nil, err
				}
				if text != nil { // someone has just created it by hand
					return nil, errTaken
				}
				return t.recordWritten(file(folder, number), d.String())
			})
		}
		switch {
		case err == nil:
			return number, nil
		case have > 0:
			return have, nil
		case forge.ReasonOf(err) != "":
			return 0, err
		case !errors.Is(err, errTaken):
			return 0, fmt.Errorf("%s: %w", doing, err)
		}
	}
	return 0, &forge.Error{Doing: doing, Reason: forge.Conflict, Why: "others take every number first", Advice: "try again"}
}

// failIfFound turns a found document into an error.
func failIfFound(found func() (int, error)) (int, error) {
	have, err := found()
	if have > 0 && err == nil {
		err = errSame
	}
	return have, err
}

// lastFile holds the highest number ever given in a folder, so that none is reused after its file
// was removed.
const lastFile = ".last"

// next returns the number after all that were given, here or by hand.
func (t *Tracker) next(folder, last string) (int, error) {
	n := 0
	if last = strings.TrimSpace(last); last != "" {
		var err error
		if n, err = strconv.Atoi(last); err != nil || n < 0 {
			return 0, &forge.Error{Doing: "numbering", Reason: forge.Invalid,
				Why: fmt.Sprintf("%s/%s holds %q, which is not a number", folder, lastFile, last), Advice: "write the highest number that was ever given into it"}
		}
	}
	all, err := t.numbers(folder)
	if err != nil {
		return 0, err
	}
	if len(all) > 0 {
		n = max(n, all[len(all)-1])
	}
	return n + 1, nil
}
