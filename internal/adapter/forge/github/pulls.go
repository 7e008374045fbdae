package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/core/untrusted"
	"warp/internal/engine/forge"
)

// OpenPull opens a pull request, or returns the one that is open already.
func (t *Tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	doing := t.of("opening a pull request from %s into %s", untrusted.Visible(p.Head), untrusted.Visible(p.Base))
	if found, err := t.pull(ctx, doing, p); err != nil || found.Number > 0 {
		return found, err
	}
	body := forge.Marked(p.Body, p.Once)
	pull, resp, err := t.client.PullRequests.Create(ctx, t.owner, t.repo, &api.NewPullRequest{Title: &p.Title, Body: &body, Head: &p.Head, Base: &p.Base})
	if err == nil {
		return pullOf(pull), nil
	}
	told := t.fail(ctx, doing, resp, err)
	if is(told, forge.Invalid) { // somebody was faster, or there is nothing to merge
		if found, err := t.pull(ctx, doing, p); err == nil && found.Number > 0 {
			return found, nil
		}
	}
	return forge.Pull{}, told
}

// pull finds the pull request that is open for the branches, or else the newest
// one with the marker. Who can push a branch here has write access.
func (t *Tracker) pull(ctx context.Context, doing string, p forge.NewPull) (found forge.Pull, err error) {
	o := &api.PullRequestListOptions{State: "open", Head: t.owner + ":" + p.Head, Base: p.Base, ListOptions: api.ListOptions{PerPage: perPage}}
	if p.Once != "" {
		o.State = "all"
	}
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.Page = page
		list, resp, err := t.client.PullRequests.List(ctx, t.owner, t.repo, o)
		for _, pull := range list {
			now := pullOf(pull)
			if now.Open || found.Number == 0 && strings.Contains(pull.GetBody(), p.Once) {
				found = now
			}
			if now.Open {
				return resp, false, err
			}
		}
		return resp, true, err
	})
	if err != nil {
		return forge.Pull{}, t.fail(ctx, doing, resp, err)
	}
	return found, nil
}

// FindPull is the pull request that is open for two branches.
func (t *Tracker) FindPull(ctx context.Context, head, base string) (forge.Pull, error) {
	doing := t.of("looking for a pull request from %s into %s", untrusted.Visible(head), untrusted.Visible(base))
	return t.pull(ctx, doing, forge.NewPull{Head: head, Base: base})
}

// Pull reads a pull request.
func (t *Tracker) Pull(ctx context.Context, number int) (forge.Pull, error) {
	pull, resp, err := t.client.PullRequests.Get(ctx, t.owner, t.repo, number)
	if err != nil {
		return forge.Pull{}, t.fail(ctx, t.of("reading pull request %d", number), resp, err)
	}
	return pullOf(pull), nil
}

// MergePull merges a pull request. Whether one that got no answer was merged is
// looked up: it must not be told as failed when it was.
func (t *Tracker) MergePull(ctx context.Context, number int, how forge.Merge) error {
	doing := t.of("merging pull request %d", number)
	pull, resp, err := t.client.PullRequests.Get(ctx, t.owner, t.repo, number)
	if err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	if pull.GetMerged() {
		return nil
	}
	_, resp, err = t.client.PullRequests.Merge(ctx, t.owner, t.repo, number, "", &api.PullRequestOptions{SHA: how.Head, MergeMethod: how.Method})
	if err == nil {
		return nil
	}
	told := t.fail(ctx, doing, resp, err)
	if pull, _, err := t.client.PullRequests.Get(ctx, t.owner, t.repo, number); err == nil && pull.GetMerged() {
		return nil
	}
	return advised(told)
}

func advised(err error) error {
	if e, ok := err.(*forge.Error); ok && e.Reason == forge.Conflict {
		e.Advice = "bring its branch up to date, see what its checks and the branch's protection say, then merge again"
	}
	return err
}

func pullOf(p *api.PullRequest) forge.Pull {
	return forge.Pull{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Head: p.GetHead().GetRef(), Base: p.GetBase().GetRef(), Commit: p.GetHead().GetSHA(),
		Open: p.GetState() == "open", Merged: p.GetMerged() || p.MergedAt != nil,
	}
}
