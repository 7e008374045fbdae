package gitea

import (
	"context"
	"errors"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
)

// Edit changes an issue's body; see forge.Rewrite.
func (t *Tracker) Edit(ctx context.Context, number int, change func(string) (string, error)) error {
	doing := t.of("editing issue %d", number)
	err := forge.Rewrite(func() (string, error) {
		i, err := t.get(ctx, doing, number)
		if err != nil {
			return "", err
		}
		return i.Body, nil
	}, func(body string) error {
		return t.patch(ctx, doing, number, api.EditIssueOption{Body: &body})
	}, change)
	if errors.Is(err, forge.ErrChanging) {
		return &forge.Error{Doing: doing, Reason: forge.Conflict, Why: err.Error(), Advice: "try again when they are done"}
	}
	return err
}

// Retitle changes an issue's title.
func (t *Tracker) Retitle(ctx context.Context, number int, title string) error {
	return t.patch(ctx, t.of("changing the title of issue %d", number), number, api.EditIssueOption{Title: title})
}

// Close closes an issue; a closed one stays so.
func (t *Tracker) Close(ctx context.Context, number int) error {
	state := api.StateClosed
	return t.patch(ctx, t.of("closing issue %d", number), number, api.EditIssueOption{State: &state})
}

func (t *Tracker) patch(ctx context.Context, doing string, number int, o api.EditIssueOption) error {
	if _, resp, err := t.client(ctx).EditIssue(t.owner, t.repo, int64(number), o); err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	return nil
}

// Label adds labels to an issue, then takes some away. Labels go by their ids.
func (t *Tracker) Label(ctx context.Context, number int, add, remove []string) error {
	doing := t.of("labelling issue %d", number)
	i, err := t.get(ctx, doing, number)
	if err != nil {
		return err
	}
	ids, err := t.ids(ctx, doing, add)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if _, resp, err := t.client(ctx).AddIssueLabels(t.owner, t.repo, int64(number), api.IssueLabelsOption{Labels: ids}); err != nil {
			return t.fail(ctx, doing, resp, err)
		}
	}
	gone := forge.Issue{Labels: remove}
	for _, l := range i.Labels {
		if !gone.Has(l.Name) {
			continue
		}
		if resp, err := t.client(ctx).DeleteIssueLabel(t.owner, t.repo, int64(number), l.ID); err != nil {
			return t.fail(ctx, doing, resp, err)
		}
	}
	return nil
}

// Comment adds a comment to an issue. A server may answer 500 over one that is
// not there, which is looked after.
func (t *Tracker) Comment(ctx context.Context, number int, c forge.NewComment) error {
	doing := t.of("commenting on issue %d", number)
	err := t.say(ctx, doing, number, c)
	if is(err, forge.Unreachable) {
		if _, err := t.get(ctx, doing, number); is(err, forge.NotFound) {
			return err
		}
	}
	return err
}

func (t *Tracker) say(ctx context.Context, doing string, number int, c forge.NewComment) error {
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
	if _, resp, err := t.client(ctx).CreateIssueComment(t.owner, t.repo, int64(number), api.CreateIssueCommentOption{Body: text}); err != nil {
		return t.fail(ctx, doing, resp, err)
	}
	return nil
}

// Create files an issue.
func (t *Tracker) Create(ctx context.Context, n forge.NewIssue) (forge.Issue, error) {
	doing := t.of("filing an issue")
	if strings.TrimSpace(n.Title) == "" {
		return forge.Issue{}, &forge.Error{Doing: doing, Reason: forge.Invalid, Why: "it has no title", Advice: "give it one"}
	}
	if n.Once != "" {
		if found, err := t.filed(ctx, n); err != nil || found.Number > 0 {
			return found, err
		}
	}
	ids, err := t.ids(ctx, doing, n.Labels)
	if err != nil {
		return forge.Issue{}, err
	}
	i, resp, err := t.client(ctx).CreateIssue(t.owner, t.repo, api.CreateIssueOption{Title: n.Title, Body: forge.Marked(n.Body, n.Once), Labels: ids, Assignees: n.Assignees})
	if err != nil {
		return forge.Issue{}, t.fail(ctx, doing, resp, err)
	}
	return issueOf(i), nil
}

// filed finds the issue that was filed with a marker. It is looked for among
// those with the first of its labels, or else among the user's own: anybody can
// write a marker into an issue, to keep one from being filed.
func (t *Tracker) filed(ctx context.Context, n forge.NewIssue) (found forge.Issue, err error) {
	q, creator := forge.Query{Closed: true}, ""
	if len(n.Labels) > 0 {
		q.Labels = n.Labels[:1]
	} else if creator, err = t.User(ctx); err != nil {
		return found, err
	}
	list, err := t.list(ctx, q, creator)
	for _, i := range list {
		if strings.Contains(i.Body, n.Once) {
			return i, nil
		}
	}
	return found, err
}
