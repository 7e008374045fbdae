package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"warp/internal/engine/forge"
)

// issue is a server's JSON of an issue.
type issue struct {
	Number      int
	Title, Body string
	State       string
	User        *User
	Labels      []Label
	Assignees   []*User
	HTMLURL     string    `json:"html_url"`
	Updated     time.Time `json:"updated_at"`
	PullRequest *struct{} `json:"pull_request"`
}

func (i issue) translate() forge.Issue {
	out := forge.Issue{
		Number: i.Number, Title: i.Title, Body: i.Body, Open: i.State == "open",
		Labels: []string{}, Author: i.User.Name(), URL: i.HTMLURL, Updated: i.Updated,
	}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, l.Name)
	}
	for _, u := range i.Assignees {
		out.Assignees = append(out.Assignees, u.Name())
	}
	return out
}

// List lists issues, oldest first, without pull requests.
func (r *Repo) List(ctx context.Context, q forge.Query) ([]forge.Issue, error) {
	list, err := r.list(ctx, q, "", func(forge.Issue) bool { return true })
	for i := range list {
		if err != nil {
			break
		}
		list[i], err = r.dialect.Judge(ctx, list[i])
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// list reads every page if a server sorts by newest: an issue filed meanwhile makes one appear
// twice. Some servers ignore a label that the repository does not have, so labels are compared here
// again.
func (r *Repo) list(ctx context.Context, q forge.Query, creator string, want func(forge.Issue) bool) ([]forge.Issue, error) {
	query := r.query(r.dialect.Issues)
	query.Set("state", "open")
	if q.Closed {
		query.Set("state", "all")
	}
	if creator != "" {
		query.Set(r.dialect.Creator, creator)
	}
	// A query cannot tell a label with a comma from two.
	if len(q.Labels) > 0 && !slices.ContainsFunc(q.Labels, func(l string) bool { return strings.Contains(l, ",") }) {
		query.Set("labels", strings.Join(q.Labels, ","))
	}
	var list []forge.Issue
	err := pages(ctx, &r.API, r.Doing("listing the issues"), r.Path("issues"), query, func(page []issue) bool {
		for _, i := range page {
			found := i.translate()
			all := !slices.ContainsFunc(q.Labels, func(l string) bool { return !found.Has(l) })
			if i.PullRequest == nil && all && want(found) {
				list = append(list, found)
			}
		}
		return !r.dialect.OldestFirst || q.Limit == 0 || len(list) < q.Limit
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b forge.Issue) int { return cmp.Compare(a.Number, b.Number) })
	list = slices.CompactFunc(list, func(a, b forge.Issue) bool { return a.Number == b.Number })
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[:q.Limit]
	}
	return list, nil
}

// Get reads an issue with its comments.
func (r *Repo) Get(ctx context.Context, number int) (forge.Issue, error) {
	found, err := r.issue(ctx, r.Doing("reading issue %d", number), number)
	if err != nil {
		return forge.Issue{}, err
	}
	out := found.translate()
	if out.Comments, _, err = r.comments(ctx, number); err != nil {
		return forge.Issue{}, err
	}
	return r.dialect.Judge(ctx, out)
}

func (r *Repo) issue(ctx context.Context, doing string, number int) (found issue, err error) {
	if err := r.Read(ctx, doing, r.Path("issues/%d", number), &found); err != nil {
		return issue{}, err
	}
	if found.PullRequest != nil {
		return issue{}, &forge.Error{Doing: doing, Reason: forge.NotFound, Why: "it is a pull request", Advice: "name an issue"}
	}
	return found, nil
}

// comments returns the comments on an issue, and their ids.
func (r *Repo) comments(ctx context.Context, number int) (list []forge.Comment, ids []int64, err error) {
	type comment struct {
		ID      int64
		User    *User
		Body    string
		Created time.Time `json:"created_at"`
	}
	err = Each(ctx, r, r.Doing("reading the comments of issue %d", number), r.Path("issues/%d/comments", number), func(c comment) {
		list, ids = append(list, forge.Comment{Author: c.User.Name(), Body: c.Body, At: c.Created}), append(ids, c.ID)
	})
	return list, ids, err
}

// Edit changes an issue's body; see forge.Rewrite.
func (r *Repo) Edit(ctx context.Context, number int, change func(string) (string, error)) error {
	doing := r.Doing("editing issue %d", number)
	err := forge.Rewrite(func() (string, error) {
		found, err := r.issue(ctx, doing, number)
		return found.Body, err
	}, func(body string) error {
		return r.patch(ctx, doing, number, "body", body)
	}, change)
	if errors.Is(err, forge.ErrChanging) {
		return &forge.Error{Doing: doing, Reason: forge.Conflict, Why: err.Error(), Advice: "try again when they are done"}
	}
	return err
}

// Retitle changes an issue's title.
func (r *Repo) Retitle(ctx context.Context, number int, title string) error {
	return r.patch(ctx, r.Doing("changing the title of issue %d", number), number, "title", title)
}

// Close closes an issue; a closed one stays closed.
func (r *Repo) Close(ctx context.Context, number int) error {
	return r.patch(ctx, r.Doing("closing issue %d", number), number, "state", "closed")
}

func (r *Repo) patch(ctx context.Context, doing string, number int, field, value string) error {
	_, err := r.Send(ctx, doing, http.MethodPatch, r.Path("issues/%d", number), map[string]string{field: value}, nil)
	return err
}

// Comment adds a comment to an issue. A server may answer 500 for a missing issue, so that is
// checked.
func (r *Repo) Comment(ctx context.Context, number int, c forge.NewComment) error {
	doing := r.Doing("commenting on issue %d", number)
	err := r.comment(ctx, doing, number, c)
	if forge.Is(err, forge.Unreachable) {
		if _, err := r.issue(ctx, doing, number); forge.Is(err, forge.NotFound) {
			return err
		}
	}
	return err
}

func (r *Repo) comment(ctx context.Context, doing string, number int, c forge.NewComment) error {
	body := map[string]string{"body": forge.AddMarker(c.Body, c.Once)}
	if c.Once != "" {
		list, ids, err := r.comments(ctx, number)
		if err != nil {
			return err
		}
		found, err := forge.FindMarker(ctx, list, c.Once, r.isTrusted)
		if err == nil && found >= 0 && c.Update && list[found].Body != body["body"] {
			_, err = r.Send(ctx, doing, http.MethodPatch, r.Path("issues/comments/%d", ids[found]), body, nil)
		}
		if found >= 0 || err != nil {
			return err
		}
	}
	_, err := r.Send(ctx, doing, http.MethodPost, r.Path("issues/%d/comments", number), body, nil)
	return err
}

// Create files an issue, unless one with its marker exists.
func (r *Repo) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	doing := r.Doing("filing an issue")
	if strings.TrimSpace(n.Title) == "" {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "it has no title", Advice: "give it one"}
	}
	if n.Once != "" {
		if found, err := r.findFiled(ctx, n); err != nil || found.Number > 0 {
			return found, err
		}
	}
	body := map[string]any{"title": n.Title, "body": forge.AddMarker(n.Body, n.Once)}
	if len(n.Labels) > 0 {
		labels, err := r.dialect.Labels(ctx, doing, n.Labels)
		if err != nil {
			return forge.Issue{}, err
		}
		body["labels"] = labels
	}
	if len(n.Assignees) > 0 {
		body["assignees"] = n.Assignees
	}
	var made issue
	if _, err := r.Send(ctx, doing, http.MethodPost, r.Path("issues"), body, &made); err != nil {
		return forge.Issue{}, err
	}
	return made.translate(), nil
}

// findFiled finds the issue that was filed with a marker, among those with its first label, or else
// among the user's own: anyone can write a marker into an issue, to prevent another from being
// filed.
func (r *Repo) findFiled(ctx context.Context, n forge.NewIssue) (found forge.Issue, err error) {
	q, creator := forge.Query{Closed: true, Limit: 1}, ""
	if len(n.Labels) > 0 {
		q.Labels = n.Labels[:1]
	} else if creator, err = r.User(ctx); err != nil {
		return found, err
	}
	list, err := r.list(ctx, q, creator, func(i forge.Issue) bool { return strings.Contains(i.Body, n.Once) })
	if err != nil || len(list) == 0 {
		return found, err
	}
	return list[0], nil
}
