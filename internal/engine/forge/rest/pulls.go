package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// pull is a server's JSON of a pull request.
type pull struct {
	Number     int
	Body       string
	State      string
	HTMLURL    string `json:"html_url"`
	Merged     bool
	MergedAt   *time.Time `json:"merged_at"` // GitHub's lists have only this
	Head, Base struct {
		Ref    string
		Label  string
		SHA    string `json:"sha"`
		RepoID int64  `json:"repo_id"`
	}
}

func (p pull) translate() forge.Pull {
	out := forge.Pull{
		Number: p.Number, URL: p.HTMLURL, Head: p.Head.Ref, Base: p.Base.Ref, Commit: p.Head.SHA,
		Open: p.State == "open", Merged: p.Merged || p.MergedAt != nil,
	}
	if strings.HasPrefix(out.Head, "refs/pull/") { // the branch was deleted
		out.Head = p.Head.Label
	}
	return out
}

// OpenPull opens a pull request, or brings the text of the one that is already open up to date.
func (r *Repo) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	doing := r.Doing("opening a pull request from %s into %s", text.Visible(p.Head), text.Visible(p.Base))
	if found, err := r.findPull(ctx, doing, p); err != nil || found.Number > 0 {
		if err == nil && found.Open {
			err = r.renewPull(ctx, found.Number, p)
		}
		return found, err
	}
	body := map[string]string{"title": p.Title, "body": p.Text(), "head": p.Head, "base": p.Base}
	var made pull
	_, err := r.Send(ctx, doing, http.MethodPost, r.Path("pulls"), body, &made)
	if err == nil {
		return made.translate(), nil
	}
	if forge.Is(err, forge.Invalid) || forge.Is(err, forge.Conflict) { // another was faster, or there is nothing to merge
		if found, err := r.findPull(ctx, doing, p); err == nil && found.Number > 0 {
			return found, nil
		}
	}
	return forge.Pull{}, err
}

// renewPull replaces the text that warp wrote. If others keep changing it, it is theirs.
func (r *Repo) renewPull(ctx context.Context, number int, p forge.NewPull) error {
	doing := r.Doing("updating the text of pull request %d", number)
	err := forge.Rewrite(func() (string, error) {
		var now pull
		err := r.Read(ctx, doing, r.Path("pulls/%d", number), &now)
		return now.Body, err
	}, func(body string) error {
		return r.patch(ctx, doing, number, "body", body)
	}, func(was string) (string, error) { return p.Renew(was), nil })
	if errors.Is(err, forge.ErrChanging) {
		return nil
	}
	return err
}

// findPull finds the open pull request for the branches, or else the newest one with the marker.
// One from a fork belongs to another project, whatever its branch is called; only users with write access
// can push a branch here.
func (r *Repo) findPull(ctx context.Context, doing string, p forge.NewPull) (found forge.Pull, err error) {
	query := r.query(r.dialect.Pulls(p.Head, p.Base))
	query.Set("state", "open")
	if p.Once != "" {
		query.Set("state", "all")
	}
	err = pages(ctx, &r.API, doing, r.Path("pulls"), query, func(list []pull) bool {
		for _, one := range list {
			now := one.translate()
			if one.Head.RepoID != one.Base.RepoID || now.Head != p.Head || now.Base != p.Base {
				continue
			}
			if now.Open || now.Number > found.Number && strings.Contains(one.Body, p.Once) {
				found = now
			}
			if now.Open {
				return false
			}
		}
		return true
	})
	if err != nil {
		return forge.Pull{}, err
	}
	return found, nil
}

// FindPull returns the open pull request for two branches.
func (r *Repo) FindPull(ctx context.Context, head, base string) (forge.Pull, error) {
	doing := r.Doing("looking for a pull request from %s into %s", text.Visible(head), text.Visible(base))
	return r.findPull(ctx, doing, forge.NewPull{Head: head, Base: base})
}

// Pull reads a pull request.
func (r *Repo) Pull(ctx context.Context, number int) (forge.Pull, error) {
	return r.pull(ctx, r.Doing("reading pull request %d", number), number)
}

func (r *Repo) pull(ctx context.Context, doing string, number int) (forge.Pull, error) {
	var p pull
	if err := r.Read(ctx, doing, r.Path("pulls/%d", number), &p); err != nil {
		return forge.Pull{}, err
	}
	return p.translate(), nil
}

// MergePull merges a pull request. Without an answer, it checks whether the merge happened: it must
// not be reported as failed if it did.
func (r *Repo) MergePull(ctx context.Context, number int, how forge.Merge) error {
	doing := r.Doing("merging pull request %d", number)
	if p, err := r.pull(ctx, doing, number); err != nil || p.Merged {
		return err
	}
	how.Method = cmp.Or(how.Method, "merge")
	method, body := r.dialect.Merge(how)
	var status int
	var err error
	for try := 1; ; try++ {
		status, err = r.Send(ctx, doing, method, r.Path("pulls/%d/merge", number), body, nil)
		if status != http.StatusMethodNotAllowed || try >= r.dialect.MergeTries {
			break
		}
		if err := r.sleep(ctx, time.Second); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err == nil {
		return nil
	}
	if p, err := r.pull(ctx, doing, number); err == nil && p.Merged {
		return nil
	}
	if e, is := errors.AsType[*forge.Error](err); is && e.Reason == forge.Conflict {
		e.Advice = "update its branch, check its status checks and the branch protection, then merge again"
	}
	return err
}
