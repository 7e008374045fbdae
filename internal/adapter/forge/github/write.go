package github

import (
	"cmp"
	"context"
	"errors"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/engine/forge"
)

// Edit changes an issue's body; see forge.Rewrite.
func (t *Tracker) Edit(ctx context.Context, number int, change func(string) (string, error)) error {
	doing := t.of("editing issue %d", number)
	err := forge.Rewrite(func() (string, error) {
		issue, err := t.get(ctx, number)
		return issue.Body, err
	}, func(body string) error {
		return t.patch(ctx, doing, number, &api.IssueRequest{Body: &body})
	}, change)
	if errors.Is(err, forge.ErrChanging) {
		return &forge.Error{Doing: doing, Reason: forge.Conflict, Why: err.Error(), Advice: "try again when they are done"}
	}
	return err
}

// Retitle changes an issue's title.
func (t *Tracker) Retitle(ctx context.Context, number int, title string) error {
	return t.patch(ctx, t.of("changing the title of issue %d", number), number, &api.IssueRequest{Title: &title})
}

// Close closes an issue; a closed one stays so.
func (t *Tracker) Close(ctx context.Context, number int) error {
	return t.patch(ctx, t.of("closing issue %d", number), number, &api.IssueRequest{State: api.Ptr("closed")})
}

func (t *Tracker) patch(ctx context.Context, doing string, number int, r *api.IssueRequest) error {
	if _, resp, err := t.client.Issues.Edit(ctx, t.owner, t.repo, number, r); err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	return nil
}

// Label adds labels to an issue, then takes some away.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	doing := t.of("labelling issue %d", number)
	if len(add) > 0 {
		if _, resp, err := t.client.Issues.AddLabelsToIssue(ctx, t.owner, t.repo, number, add); err != nil {
			return t.fail(ctx, doing, resp, err)
		}
	}
	for _, l := range remove {
		resp, err := t.client.Issues.RemoveLabelForIssue(ctx, t.owner, t.repo, number, l)
		if err == nil {
			continue
		}
		told := t.fail(ctx, doing, resp, err)
		if !is(told, forge.NotFound) || !strings.Contains(strings.ToLower(message(err)), "label") {
			return told // else it has no such label
		}
	}
	return nil
}

// Comment adds a comment to an issue.
func (t *Tracker) Comment(ctx context.Context, number int, c forge.NewComment) error {
	if c.Once != "" {
		list, err := t.comments(ctx, number)
		if err != nil {
			return err
		}
		if said, err := forge.Said(ctx, list, c.Once, t.trusted); said || err != nil {
			return err
		}
	}
	text := forge.Marked(c.Body, c.Once)
	if _, resp, err := t.client.Issues.CreateComment(ctx, t.owner, t.repo, number, &api.IssueComment{Body: &text}); err != nil {
		return t.fail(ctx, t.of("commenting on issue %d", number), resp, err)
	}
	return nil
}

// Create files an issue.
func (t *Tracker) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	if n.Once != "" {
		if found, err := t.filed(ctx, n); err != nil || found.Number > 0 {
			return found, err
		}
	}
	body := forge.Marked(n.Body, n.Once)
	r := &api.IssueRequest{Title: &n.Title, Body: &body}
	if len(n.Labels) > 0 {
		r.Labels = &n.Labels
	}
	if len(n.Assignees) > 0 {
		r.Assignees = &n.Assignees
	}
	i, resp, err := t.client.Issues.Create(ctx, t.owner, t.repo, r)
	if err != nil {
		return forge.Issue{}, t.fail(ctx, t.of("filing an issue"), resp, err)
	}
	return issueOf(i), nil
}

// filed finds the issue that was filed with a marker. It is looked for among
// those with the first of its labels, or else among the user's own: anybody can
// write a marker into an issue, to keep one from being filed.
func (t *Tracker) filed(ctx context.Context, n forge.NewIssue) (found forge.Issue, err error) {
	q, creator := forge.Query{Closed: true, Limit: 1}, ""
	if len(n.Labels) > 0 {
		q.Labels = n.Labels[:1]
	} else if creator, err = t.User(ctx); err != nil {
		return found, err
	}
	list, err := t.list(ctx, q, creator, func(i forge.Issue) bool { return strings.Contains(i.Body, n.Once) })
	if err != nil || len(list) == 0 {
		return found, err
	}
	return list[0], nil
}

// MakeLabels makes the labels that are missing.
func (t *Tracker) MakeLabels(ctx context.Context, labels []forge.Label) error {
	doing := t.of("making labels")
	have := forge.Issue{}
	o := &api.ListOptions{PerPage: perPage}
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.Page = page
		found, resp, err := t.client.Issues.ListLabels(ctx, t.owner, t.repo, o)
		for _, l := range found {
			have.Labels = append(have.Labels, l.GetName())
		}
		return resp, true, err
	})
	if err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	for _, l := range labels {
		if have.Has(l.Name) {
			continue
		}
		color := cmp.Or(strings.TrimPrefix(l.Color, "#"), forge.Grey)
		_, resp, err := t.client.Issues.CreateLabel(ctx, t.owner, t.repo, &api.Label{Name: &l.Name, Color: &color, Description: &l.Description})
		if err != nil && !exists(err) {
			return t.fail(ctx, doing, resp, err)
		}
		have.Labels = append(have.Labels, l.Name)
	}
	return nil
}

// exists tells that somebody else was faster.
func exists(err error) bool {
	var r *api.ErrorResponse
	if errors.As(err, &r) && r.Response.StatusCode == 422 {
		for _, e := range r.Errors {
			if e.Code == "already_exists" {
				return true
			}
		}
	}
	return false
}
