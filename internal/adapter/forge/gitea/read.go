package gitea

import (
	"cmp"
	"context"
	"slices"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
)

// perPage is as many as a server gives at once, unless it was set up otherwise.
const perPage = 50

// pages asks for page after page until there is no more.
func pages(ask func(api.ListOptions) (*api.Response, error)) (*api.Response, error) {
	for page := 1; ; {
		resp, err := ask(api.ListOptions{Page: page, PageSize: perPage})
		if err != nil || resp.NextPage <= page {
			return resp, err
		}
		page = resp.NextPage
	}
}

// List lists issues, the oldest first. Pull requests are none.
func (t *Tracker) List(ctx context.Context, q forge.Query) ([]forge.Issue, error) {
	list, err := t.list(ctx, q, "")
	if err != nil {
		return nil, err
	}
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[:q.Limit]
	}
	for i := range list {
		if list[i], err = t.judged(ctx, list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// list reads every page: the server gives the newest first, and an issue that
// is filed meanwhile shows one twice. A label that is nowhere in the repository
// asks for nothing there, so labels are looked at here again.
func (t *Tracker) list(ctx context.Context, q forge.Query, creator string) ([]forge.Issue, error) {
	o := api.ListIssueOption{State: api.StateOpen, Labels: q.Labels, Type: api.IssueTypeIssue, CreatedBy: creator}
	if q.Closed {
		o.State = api.StateAll
	}
	if slices.ContainsFunc(q.Labels, func(l string) bool { return strings.Contains(l, ",") }) {
		o.Labels = nil // the query could not tell such a label from two
	}
	var list []forge.Issue
	resp, err := pages(func(page api.ListOptions) (*api.Response, error) {
		o.ListOptions = page
		found, resp, err := t.client(ctx).ListRepoIssues(t.owner, t.repo, o)
		for _, i := range found {
			issue := issueOf(i)
			if i.PullRequest == nil && !slices.ContainsFunc(q.Labels, func(l string) bool { return !issue.Has(l) }) {
				list = append(list, issue)
			}
		}
		return resp, err
	})
	if err != nil {
		return nil, t.fail(ctx, t.of("listing the issues"), resp, err)
	}
	slices.SortStableFunc(list, func(a, b forge.Issue) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(list, func(a, b forge.Issue) bool { return a.Number == b.Number }), nil
}

// Get reads an issue with its comments.
func (t *Tracker) Get(ctx context.Context, number int) (forge.Issue, error) {
	i, err := t.get(ctx, t.of("reading issue %d", number), number)
	if err != nil {
		return forge.Issue{}, err
	}
	issue := issueOf(i)
	if issue.Comments, err = t.comments(ctx, number); err != nil {
		return forge.Issue{}, err
	}
	return t.judged(ctx, issue)
}

func (t *Tracker) comments(ctx context.Context, number int) ([]forge.Comment, error) {
	var list []forge.Comment
	resp, err := pages(func(page api.ListOptions) (*api.Response, error) {
		found, resp, err := t.client(ctx).ListIssueComments(t.owner, t.repo, int64(number), api.ListIssueCommentOptions{ListOptions: page})
		for _, c := range found {
			list = append(list, forge.Comment{Author: login(c.Poster), Body: c.Body, At: c.Created})
		}
		return resp, err
	})
	if err != nil {
		return nil, t.fail(ctx, t.of("reading the comments of issue %d", number), resp, err)
	}
	return list, nil
}

func (t *Tracker) get(ctx context.Context, doing string, number int) (*api.Issue, error) {
	i, resp, err := t.client(ctx).GetIssue(t.owner, t.repo, int64(number))
	if err != nil {
		return nil, t.fail(ctx, doing, resp, err)
	}
	if i.PullRequest != nil {
		return nil, &forge.Error{Doing: doing, Reason: forge.NotFound, Why: "it is a pull request", Advice: "name an issue"}
	}
	return i, nil
}

func issueOf(i *api.Issue) forge.Issue {
	issue := forge.Issue{
		Number: int(i.Index), Title: i.Title, Body: i.Body, Open: i.State == api.StateOpen,
		Labels: []string{}, Author: login(i.Poster), URL: i.HTMLURL, Updated: i.Updated,
	}
	for _, l := range i.Labels {
		issue.Labels = append(issue.Labels, l.Name)
	}
	for _, u := range i.Assignees {
		issue.Assignees = append(issue.Assignees, login(u))
	}
	return issue
}

func login(u *api.User) string {
	if u == nil {
		return ""
	}
	return u.UserName
}
