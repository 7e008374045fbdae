package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/engine/forge"
)

// OpenPull opens a pull request, or returns the one that is open already.
func (t *Tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	doing := t.of("opening a pull request from %s into %s", forge.Visible(p.Head), forge.Visible(p.Base))
	if found, err := t.pull(ctx, doing, p); err != nil || found.Number > 0 {
		return found, err
	}
	pull, resp, err := t.client.PullRequests.Create(ctx, t.owner, t.repo, &api.NewPullRequest{Title: &p.Title, Body: &p.Body, Head: &p.Head, Base: &p.Base})
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

func (t *Tracker) pull(ctx context.Context, doing string, p forge.NewPull) (forge.Pull, error) {
	head := p.Head
	if !strings.Contains(head, ":") {
		head = t.owner + ":" + head
	}
	list, resp, err := t.client.PullRequests.List(ctx, t.owner, t.repo, &api.PullRequestListOptions{State: "open", Head: head, Base: p.Base})
	if err != nil {
		return forge.Pull{}, t.fail(ctx, doing, resp, err)
	}
	if len(list) == 0 {
		return forge.Pull{}, nil
	}
	return pullOf(list[0]), nil
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
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Head: p.GetHead().GetRef(), Base: p.GetBase().GetRef(),
		Open: p.GetState() == "open", Merged: p.GetMerged() || p.MergedAt != nil,
	}
}
