package gitea

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/core/untrusted"
	"warp/internal/engine/forge"
)

// OpenPull opens a pull request, or returns the one that is open already.
func (t *Tracker) OpenPull(ctx context.Context, p forge.NewPull) (forge.Pull, error) {
	doing := t.of("opening a pull request from %s into %s", untrusted.Visible(p.Head), untrusted.Visible(p.Base))
	if found, err := t.pull(ctx, doing, p); err != nil || found.Number > 0 {
		return found, err
	}
	pull, resp, err := t.client(ctx).CreatePullRequest(t.owner, t.repo, api.CreatePullRequestOption{Title: p.Title, Body: forge.Marked(p.Body, p.Once), Head: p.Head, Base: p.Base})
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

// pull finds the pull request that is open for the branches, or else the newest
// one with the marker. One from a fork is somebody else's, whatever its branch
// is called.
func (t *Tracker) pull(ctx context.Context, doing string, p forge.NewPull) (found forge.Pull, err error) {
	o := api.ListPullRequestsOptions{State: api.StateOpen}
	if p.Once != "" {
		o.State = api.StateAll
	}
	resp, err := pages(func(page api.ListOptions) (*api.Response, error) {
		o.ListOptions = page
		list, resp, err := t.client(ctx).ListRepoPullRequests(t.owner, t.repo, o)
		for _, pull := range list {
			now := pullOf(pull)
			here := pull.Head != nil && pull.Base != nil && pull.Head.RepoID == pull.Base.RepoID
			if !here || now.Head != p.Head || now.Base != p.Base || found.Open {
				continue
			}
			if now.Open || now.Number > found.Number && strings.Contains(pull.Body, p.Once) {
				found = now
			}
		}
		return resp, err
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
	pull, resp, err := t.client(ctx).GetPullRequest(t.owner, t.repo, int64(number))
	if err != nil {
		return forge.Pull{}, t.fail(ctx, t.of("reading pull request %d", number), resp, err)
	}
	return pullOf(pull), nil
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
		out.Head, out.Commit = p.Head.Ref, p.Head.Sha
		if strings.HasPrefix(out.Head, "refs/pull/") { // the branch is gone
			out.Head = p.Head.Name
		}
	}
	if p.Base != nil {
		out.Base = p.Base.Ref
	}
	return out
}
