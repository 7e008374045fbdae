package local

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/engine/forge"
)

// OpenPull records a pull request, or brings the text of the one that is already open up to date.
func (t *Tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	const doing = "opening a pull request"
	d, err := t.newDocument(doing, p.Text(), [][2]string{{"title", quote(p.Title, false)}, {"head", quote(p.Head, false)}, {"base", quote(p.Base, false)}})
	if err != nil {
		return forge.Pull{}, err
	}
	number, err := t.add(ctx, doing, pullsFolder, d, func() (int, error) { return t.findPullNumber(p) })
	if err != nil {
		return forge.Pull{}, err
	}
	if have, err := t.Pull(ctx, number); err != nil || !have.Open || p.Once == "" {
		return have, err
	}
	err = t.change(ctx, doing, pullsFolder, number, func(d *document) error {
		next := p.Renew(d.body)
		if next == d.body {
			return nil
		}
		return d.setBody(next)
	})
	if err != nil {
		return forge.Pull{}, err
	}
	return t.Pull(ctx, number)
}

// findPullNumber returns the pull request open for the branches, or else the newest one with the
// marker; 0 if there is none.
func (t *Tracker) findPullNumber(p forge.NewPull) (int, error) {
	all, err := t.numbers(pullsFolder)
	if err != nil {
		return 0, err
	}
	found := 0
	for _, n := range all {
		have, body, err := t.pull(n)
		switch {
		case err != nil:
			return 0, err
		case have.Head != p.Head || have.Base != p.Base:
		case have.Open:
			return n, nil
		case p.Once != "" && strings.Contains(body, p.Once):
			found = n
		}
	}
	return found, nil
}

// FindPull returns the open pull request for two branches.
func (t *Tracker) FindPull(ctx context.Context, head, base string) (forge.Pull, error) {
	number, err := t.findPullNumber(forge.NewPull{Head: head, Base: base})
	if err != nil || number == 0 {
		return forge.Pull{}, err
	}
	return t.Pull(ctx, number)
}

// Pull returns a pull request, without the branch's commit, which git knows.
func (t *Tracker) Pull(ctx context.Context, number int) (forge.Pull, error) {
	if err := ctx.Err(); err != nil {
		return forge.Pull{}, fmt.Errorf("reading pull request %d: %w", number, err)
	}
	p, _, err := t.pull(number)
	if err == nil && p.Open && t.merged != nil && t.merged(p.Head, p.Base) {
		p.Open, p.Merged = false, true
		err = t.MergePull(ctx, number, forge.Merge{}) // the branch is deleted after that
	}
	return p, err
}

func (t *Tracker) pull(number int) (forge.Pull, string, error) {
	doing := fmt.Sprintf("reading pull request %d", number)
	text, err := t.store.ReadFile(file(pullsFolder, number))
	if err != nil {
		return forge.Pull{}, "", fmt.Errorf("%s: %w", doing, err)
	}
	if text == nil {
		return forge.Pull{}, "", missingFileError(doing, pullsFolder, number)
	}
	d, err := parse(string(text))
	if err != nil {
		return forge.Pull{}, "", invalidFileError(doing, pullsFolder, number, err)
	}
	p := forge.Pull{Number: number, URL: file(pullsFolder, number)}
	head, errHead := d.head.get("head")
	base, errBase := d.head.get("base")
	open, errState := readOpen(&d.head, "open", "merged", "closed")
	if err := errors.Join(errHead, errBase, errState); err != nil {
		return forge.Pull{}, "", invalidFileError(doing, pullsFolder, number, err)
	}
	word, _ := d.head.get("state")
	p.Head, p.Base, p.Open, p.Merged = head, base, open, strings.EqualFold(word, "merged")
	return p, d.body, nil
}

// MergePull records that a pull request was merged. The engine merges it with git.
func (t *Tracker) MergePull(ctx context.Context, number int, _ forge.Merge) error {
	doing := fmt.Sprintf("merging pull request %d", number)
	return t.change(ctx, doing, pullsFolder, number, func(d *document) error {
		if v, _ := d.head.get("state"); v != "merged" {
			t.set(d, "state", "merged")
		}
		return nil
	})
}
