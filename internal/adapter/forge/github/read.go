package github

import (
	"context"
	"slices"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/engine/forge"
)

// perPage is as many as GitHub gives at once.
const perPage = 100

// pages asks for page after page until there is no more, or fn has enough.
func pages(ask func(page int) (*api.Response, bool, error)) (*api.Response, error) {
	for page := 1; ; {
		resp, more, err := ask(page)
		if err != nil || !more || resp.NextPage <= page {
			return resp, err
		}
		page = resp.NextPage
	}
}

// List lists issues, the oldest first. Pull requests are none.
func (t *Tracker) List(ctx context.Context, q forge.Query) ([]forge.Issue, error) {
	list, err := t.list(ctx, q, "", func(forge.Issue) bool { return true })
	for i := range list {
		if err != nil {
			break
		}
		list[i], err = t.judged(ctx, list[i])
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (t *Tracker) list(ctx context.Context, q forge.Query, creator string, want func(forge.Issue) bool) ([]forge.Issue, error) {
	o := &api.IssueListByRepoOptions{State: "open", Labels: q.Labels, Creator: creator, Sort: "created", Direction: "asc"}
	if q.Closed {
		o.State = "all"
	}
	if slices.ContainsFunc(q.Labels, func(l string) bool { return strings.Contains(l, ",") }) {
		o.Labels = nil // the query could not tell such a label from two
	}
	o.ListOptions.PerPage = perPage
	var list []forge.Issue
	enough := func() bool { return q.Limit > 0 && len(list) >= q.Limit }
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.ListOptions.Page = page
		found, resp, err := t.client.Issues.ListByRepo(ctx, t.owner, t.repo, o)
		for _, i := range found {
			issue := issueOf(i)
			all := !slices.ContainsFunc(q.Labels, func(l string) bool { return !issue.Has(l) })
			if !i.IsPullRequest() && all && !enough() && want(issue) {
				list = append(list, issue)
			}
		}
		return resp, !enough(), err
	})
	if err != nil {
		return nil, t.fail(ctx, t.of("listing the issues"), resp, err)
	}
	return list, nil
}

// Get reads an issue with its comments.
func (t *Tracker) Get(ctx context.Context, number int) (forge.Issue, error) {
	issue, err := t.get(ctx, number)
	if err != nil {
		return forge.Issue{}, err
	}
	if issue.Comments, err = t.comments(ctx, number); err != nil {
		return forge.Issue{}, err
	}
	return t.judged(ctx, issue)
}

func (t *Tracker) get(ctx context.Context, number int) (forge.Issue, error) {
	doing := t.of("reading issue %d", number)
	i, resp, err := t.client.Issues.Get(ctx, t.owner, t.repo, number)
	if err != nil {
		return forge.Issue{}, t.fail(ctx, doing, resp, err)
	}
	if i.IsPullRequest() {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.NotFound, Why: "it is a pull request", Advice: "name an issue"}
	}
	return issueOf(i), nil
}

func (t *Tracker) comments(ctx context.Context, number int) ([]forge.Comment, error) {
	var list []forge.Comment
	o := &api.IssueListCommentsOptions{ListOptions: api.ListOptions{PerPage: perPage}}
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.Page = page
		found, resp, err := t.client.Issues.ListComments(ctx, t.owner, t.repo, number, o)
		for _, c := range found {
			list = append(list, forge.Comment{Author: c.GetUser().GetLogin(), Body: c.GetBody(), At: c.GetCreatedAt().Time})
		}
		return resp, true, err
	})
	if err != nil {
		return nil, t.fail(ctx, t.of("reading the comments of issue %d", number), resp, err)
	}
	return list, nil
}

func issueOf(i *api.Issue) forge.Issue {
	issue := forge.Issue{
		Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), Open: i.GetState() == "open",
		Labels: []string{}, Author: i.GetUser().GetLogin(), URL: i.GetHTMLURL(), Updated: i.GetUpdatedAt().Time,
	}
	for _, l := range i.Labels {
		issue.Labels = append(issue.Labels, l.GetName())
	}
	for _, u := range i.Assignees {
		issue.Assignees = append(issue.Assignees, u.GetLogin())
	}
	return issue
}
