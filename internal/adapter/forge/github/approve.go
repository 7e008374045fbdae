package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/core/untrusted"
	"warp/internal/engine/forge"
)

// judged is an issue with what its history says of its approval. It is asked
// for after the issue was read, so that no later edit is overlooked.
func (t *Tracker) judged(ctx context.Context, issue forge.Issue) (forge.Issue, error) {
	if !issue.Has(forge.Approved) {
		return issue, nil
	}
	h := forge.History{}
	o := &api.ListOptions{PerPage: perPage}
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.Page = page
		found, resp, err := t.client.Issues.ListIssueEvents(ctx, t.owner, t.repo, issue.Number, o)
		for _, e := range found {
			switch {
			case e.GetEvent() == "labeled" && strings.EqualFold(e.GetLabel().GetName(), forge.Approved):
				h.By, h.At = e.GetActor().GetLogin(), e.GetCreatedAt().Time
			case e.GetEvent() == "renamed":
				h.Edits = append(h.Edits, forge.Edit{By: e.GetActor().GetLogin(), At: e.GetCreatedAt().Time})
			}
		}
		return resp, true, err
	})
	if err != nil {
		return issue, t.fail(ctx, t.of("reading who approved issue %d", issue.Number), resp, err)
	}
	own, err := t.MayWrite(ctx, issue.Author)
	if err != nil {
		return issue, err
	}
	if !own { // else all who can edit the text may approve
		edits, err := t.edits(ctx, issue.Number, issue.Author)
		switch {
		case is(err, forge.NotAllowed), is(err, forge.NotFound), is(err, forge.Invalid):
			h.Unknown = "GitHub does not tell this token who edited it since; use one that may read issues by GraphQL, or file it as an issue of your own"
		case err != nil:
			return issue, err
		}
		h.Edits = append(h.Edits, edits...)
	}
	return h.Judge(ctx, issue, t.MayWrite)
}

// MayWrite tells whether a user has write access. It is asked once for each.
func (t *Tracker) MayWrite(ctx context.Context, who string) (bool, error) {
	if who == "" {
		return false, nil
	}
	t.mu.Lock()
	may, known := t.writers[who]
	t.mu.Unlock()
	if known {
		return may, nil
	}
	p, resp, err := t.client.Repositories.GetPermissionLevel(ctx, t.owner, t.repo, who)
	if err != nil {
		err = t.fail(ctx, t.of("asking for the rights of %s", untrusted.Visible(who)), resp, err)
		if !is(err, forge.NotFound) && !is(err, forge.NotAllowed) {
			return false, err
		}
	}
	switch p.GetPermission() {
	case "admin", "maintain", "write":
		may = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writers[who] = may
	return may, nil
}
