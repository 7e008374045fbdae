package gitea

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/core/untrusted"
	"warp/internal/engine/forge"
	"warp/internal/engine/forge/web"
)

// judged is an issue with what its history says of its approval. It is asked
// for after the issue was read, so that no later edit is overlooked.
func (t *Tracker) judged(ctx context.Context, issue forge.Issue) (forge.Issue, error) {
	if !issue.Has(forge.Approved) {
		return issue, nil
	}
	doing := t.of("reading who approved issue %d", issue.Number)
	h, seal := forge.History{}, forge.Seal(issue)
	var sealed []string
	seen := map[int64]bool{}
	for page := 1; ; page++ {
		var events []event
		if err := t.ask(ctx, doing, fmt.Sprintf("issues/%d/timeline?page=%d&limit=%d", issue.Number, page, perPage), &events); err != nil {
			return issue, err
		}
		fresh := false // the timeline does not say how many pages it has
		for _, e := range events {
			fresh = fresh || !seen[e.ID]
			seen[e.ID] = true
			switch {
			case e.Type == "label" && e.Body == "1" && e.Label != nil && strings.EqualFold(e.Label.Name, forge.Approved):
				h.By, h.At = login(e.User), e.Created
			case e.Type == "comment" && strings.Contains(e.Body, seal):
				sealed = append(sealed, login(e.User))
			case e.Type == "change_title":
				h.Edits = append(h.Edits, forge.Edit{By: login(e.User), At: e.Created})
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
	if !own { // else all who can edit the text may approve
		if h.Unknown, err = t.unknown(ctx, doing, issue, sealed); err != nil {
			return issue, err
		}
	}
	return h.Judge(ctx, issue, t.MayWrite)
}

// unknown says why nobody knows what an author without write access made of the
// text since it was approved. The API has no history of texts, only, since
// 1.26, how often one was changed. So an approval counts while it never was, or
// when a writer sealed what it says now.
func (t *Tracker) unknown(ctx context.Context, doing string, issue forge.Issue, sealed []string) (string, error) {
	for _, who := range sealed {
		if may, err := t.MayWrite(ctx, who); may || err != nil {
			return "", err
		}
	}
	var now struct {
		Version *int `json:"content_version"`
	}
	if err := t.ask(ctx, doing, fmt.Sprintf("issues/%d", issue.Number), &now); err != nil {
		return "", err
	}
	if now.Version != nil && *now.Version == 0 {
		return "", nil
	}
	return fmt.Sprintf("Gitea does not tell what its author, @%s, who cannot approve, made of it since: to approve it as it is now, comment %s", issue.Author, forge.Seal(issue)), nil
}

// event is one row of a timeline. The SDK's own type takes the label for a
// list, which it is not.
type event struct {
	ID      int64      `json:"id"`
	Type    string     `json:"type"`
	User    *api.User  `json:"user"`
	Body    string     `json:"body"` // of a label: "1" when it came
	Label   *api.Label `json:"label"`
	Created time.Time  `json:"created_at"`
}

// ask reads what the SDK does not know of the repository.
func (t *Tracker) ask(ctx context.Context, doing, path string, into any) error {
	address := fmt.Sprintf("%s/api/v1/repos/%s/%s/%s", t.url, url.PathEscape(t.owner), url.PathEscape(t.repo), path)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return t.fail(ctx, doing, nil, err)
	}
	req.Header.Set("User-Agent", "warp")
	if t.token != "" {
		req.Header.Set("Authorization", "token "+t.token)
	}
	resp, err := t.http.Do(req)
	if err != nil {
		return t.fail(ctx, doing, nil, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return t.fail(ctx, doing, &api.Response{Response: resp}, nil)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return t.fail(ctx, doing, &api.Response{Response: resp}, err)
	}
	return nil
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
	doing := t.of("asking for the rights of %s", untrusted.Visible(who))
	p, resp, err := t.client(ctx).CollaboratorPermission(t.owner, t.repo, who)
	switch {
	case err == nil && p != nil:
		may = p.Permission == api.AccessModeWrite || p.Permission == api.AccessModeAdmin || p.Permission == api.AccessModeOwner
	case err != nil && resp != nil && resp.StatusCode == http.StatusForbidden && !web.Refused(resp.Response):
		if may, err = t.assignable(ctx, doing, who); err != nil {
			return false, err
		}
	case err != nil:
		if err = t.fail(ctx, doing, resp, err); !is(err, forge.NotFound) {
			return false, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writers[who] = may
	return may, nil
}

// assignable tells the same for a token whose owner is no admin: others' rights
// are not shown to it, but whom work can be given to, which are those who may
// write.
func (t *Tracker) assignable(ctx context.Context, doing, who string) (bool, error) {
	list, resp, err := t.client(ctx).GetAssignees(t.owner, t.repo)
	if err != nil {
		return false, t.fail(ctx, doing, resp, err)
	}
	for _, u := range list {
		if login(u) == who {
			return true, nil
		}
	}
	return false, nil
}
