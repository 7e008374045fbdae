package gitea

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
)

// OpenPull opens a pull request, or returns the one that is open already.
func (t *Tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	doing := t.of("opening a pull request from %s into %s", forge.Visible(p.Head), forge.Visible(p.Base))
	if found, err := t.pull(ctx, doing, p); err != nil || found.Number > 0 {
		return found, err
	}
	pull, resp, err := t.client(ctx).CreatePullRequest(t.owner, t.repo, api.CreatePullRequestOption{Title: p.Title, Body: p.Body, Head: p.Head, Base: p.Base})
	if err == nil {
		return pullOf(pull), nil
	}
	told := t.fail(ctx, doing, resp, err)
	if is(told, forge.Conflict) { // somebody was faster
		if found, err := t.pull(ctx, doing, p); err == nil && found.Number > 0 {
			return found, nil
		}
	}
	return forge.Pull{}, told
}

func (t *Tracker) pull(ctx context.Context, doing string, p forge.NewPull) (found forge.Pull, err error) {
	_, branch, ok := strings.Cut(p.Head, ":")
	if !ok {
		branch = p.Head
	}
	resp, err := pages(func(page api.ListOptions) (*api.Response, error) {
		list, resp, err := t.client(ctx).ListRepoPullRequests(t.owner, t.repo, api.ListPullRequestsOptions{ListOptions: page, State: api.StateOpen})
		for _, pull := range list {
			if o := pullOf(pull); o.Open && o.Head == branch && o.Base == p.Base {
				found = o
			}
		}
		return resp, err
	})
	if err != nil {
		return forge.Pull{}, t.fail(ctx, doing, resp, err)
	}
	return found, nil
}

// tries bounds how often a merge is asked for.
const tries = 4

// MergePull merges a pull request. Whether one that got no answer was merged is
// looked up: it must not be told as failed when it was.
func (t *Tracker) MergePull(ctx context.Context, number int, how forge.Merge) error {
	doing := t.of("merging pull request %d", number)
	pull, resp, err := t.client(ctx).GetPullRequest(t.owner, t.repo, int64(number))
	if err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	if pull.HasMerged {
		return nil
	}
	style := api.MergeStyle(how.Method)
	if style == "" {
		style = api.MergeStyleMerge
	}
	o := api.MergePullRequestOption{Style: style, HeadCommitId: how.Head}
	ok, resp, err := t.client(ctx).MergePullRequest(t.owner, t.repo, int64(number), o)
	for try := 1; try < tries && err == nil && resp.StatusCode == http.StatusMethodNotAllowed; try++ {
		// A server that still looks whether it can be merged says the same as
		// one that knows it cannot.
		if err := t.sleep(ctx, time.Second); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		ok, resp, err = t.client(ctx).MergePullRequest(t.owner, t.repo, int64(number), o)
	}
	if err == nil && ok {
		return nil
	}
	told := t.fail(ctx, doing, resp, err)
	if pull, _, err := t.client(ctx).GetPullRequest(t.owner, t.repo, int64(number)); err == nil && pull.HasMerged {
		return nil
	}
	if e, ok := told.(*forge.Error); ok && e.Reason == forge.Conflict {
		e.Advice = "bring its branch up to date, see what its checks and the branch's protection say, then merge again"
	}
	return told
}

func pullOf(p *api.PullRequest) forge.Pull {
	out := forge.Pull{Number: int(p.Index), URL: p.HTMLURL, Open: p.State == api.StateOpen, Merged: p.HasMerged}
	if p.Head != nil {
		out.Head = p.Head.Ref
	}
	if p.Base != nil {
		out.Base = p.Base.Ref
	}
	return out
}
