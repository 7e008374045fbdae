package gitea

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// judge adds the approval to an issue, according to its history. It must run after the issue was
// read, so that no later edit is missed.
func (t *Tracker) judge(ctx context.Context, issue forge.Issue) (forge.Issue, error) {
	if !issue.Has(forge.Approved) {
		return issue, nil
	}
	doing := t.Doing("reading who approved issue %d", issue.Number)
	h, seal := forge.History{}, forge.Seal(issue)
	var sealed []string
	seen := map[int64]bool{}
	for page := 1; ; page++ {
		var events []event
		if err := t.Read(ctx, doing, t.Path("issues/%d/timeline?limit=50&page=%d", issue.Number, page), &events); err != nil {
			return issue, err
		}
		fresh := false // the timeline does not report its number of pages
		for _, e := range events {
			fresh = fresh || !seen[e.ID]
			seen[e.ID] = true
			switch {
			case e.Type == "label" && e.Body == "1" && e.Label != nil && strings.EqualFold(e.Label.Name, forge.Approved):
				h.By, h.At = e.User.Name(), e.Created
			case e.Type == "comment" && strings.Contains(e.Body, seal):
				sealed = append(sealed, e.User.Name())
			case e.Type == "change_title":
				h.Edits = append(h.Edits, forge.Edit{By: e.User.Name(), At: e.Created})
			}
		}
		if !fresh {
			break
		}
	}
	own, err := t.MayWrite(ctx, issue.Author)
	if err != nil {
		return issue, err
	}
	if !own { // else everyone who can edit the text may approve
		if h.Unknown, err = t.explainUnknown(ctx, doing, issue, sealed); err != nil {
			return issue, err
		}
	}
	return h.Judge(ctx, issue, t.MayWrite)
}

// explainUnknown returns why it is unknown what an author without write access changed since the
// approval; "" if it is known. The API has no history of texts but, since 1.26, counts the
// changes. So an approval is valid if there were none, or if a writer sealed the current text.
func (t *Tracker) explainUnknown(ctx context.Context, doing string, issue forge.Issue, sealed []string) (string, error) {
	for _, who := range sealed {
		if may, err := t.MayWrite(ctx, who); may || err != nil {
			return "", err
		}
	}
	var now struct {
		Version *int `json:"content_version"`
	}
	if err := t.Read(ctx, doing, t.Path("issues/%d", issue.Number), &now); err != nil {
		return "", err
	}
	if now.Version != nil && *now.Version == 0 {
		return "", nil
	}
	return fmt.Sprintf("Gitea does not report whether its author, @%s, who cannot approve, has changed it since: to approve it as it is now, comment %s", issue.Author, forge.Seal(issue)), nil
}

// event is one entry of a timeline.
type event struct {
	ID      int64
	Type    string
	User    *rest.User
	Body    string // for a label: "1" if it was added
	Label   *rest.Label
	Created time.Time `json:"created_at"`
}

// isAssignable reports whether a user may write, for a token whose owner is no admin: such a token
// cannot see others' rights, but it can see the possible assignees, who are those with write
// access.
func (t *Tracker) isAssignable(ctx context.Context, doing, who string) (bool, error) {
	var list []rest.User
	if err := t.Read(ctx, doing, t.Path("assignees"), &list); err != nil {
		return false, err
	}
	return slices.Contains(list, rest.User{Login: who}), nil
}
