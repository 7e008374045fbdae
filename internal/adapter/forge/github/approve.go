package github

import (
	"context"
	"strings"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// event is one entry of an issue's history.
type event struct {
	Event   string
	Actor   *rest.User
	Label   rest.Label
	Created time.Time `json:"created_at"`
}

// judge adds the approval to an issue, according to its history. It must run after the issue was
// read, so that no later edit is missed.
func (t *Tracker) judge(ctx context.Context, issue forge.Issue) (forge.Issue, error) {
	if !issue.Has(forge.Approved) {
		return issue, nil
	}
	h := forge.History{}
	err := rest.Each(ctx, t.Repo, t.Doing("reading who approved issue %d", issue.Number), t.Path("issues/%d/events", issue.Number), func(e event) {
		switch {
		case e.Event == "labeled" && strings.EqualFold(e.Label.Name, forge.Approved):
			h.By, h.At = e.Actor.Name(), e.Created
		case e.Event == "renamed":
			h.Edits = append(h.Edits, forge.Edit{By: e.Actor.Name(), At: e.Created})
		}
	})
	if err != nil {
		return issue, err
	}
	own, err := t.MayWrite(ctx, issue.Author)
	if err != nil {
		return issue, err
	}
	if !own { // else everyone who can edit the text may approve
		edits, err := t.edits(ctx, issue.Number, issue.Author)
		switch reason := forge.ReasonOf(err); {
		case reason == forge.NotAllowed, reason == forge.NotFound, reason == forge.Invalid:
			h.Unknown = "GitHub does not tell this token who edited it since; use one that may read issues by GraphQL, or file it as your own issue"
		case err != nil:
			return issue, err
		}
		h.Edits = append(h.Edits, edits...)
	}
	return h.Judge(ctx, issue, t.MayWrite)
}
