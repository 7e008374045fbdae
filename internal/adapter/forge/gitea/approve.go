package gitea

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/web"
)

// approver is who put the label approved on an issue, when that is somebody
// with write access. The newest such event counts. What cannot be found out
// counts as no.
func (t *Tracker) approver(ctx context.Context, issue forge.Issue) (string, error) {
	if !issue.Has(forge.Approved) {
		return "", nil
	}
	doing := t.of("reading who approved issue %d", issue.Number)
	who := ""
	seen := map[int64]bool{}
	for page := 1; ; page++ {
		events, err := t.timeline(ctx, doing, issue.Number, page)
		if err != nil {
			return "", err
		}
		fresh := false // the timeline does not say how many pages it has
		for _, e := range events {
			fresh = fresh || !seen[e.ID]
			seen[e.ID] = true
			if e.Type == "label" && e.Body == "1" && e.Label != nil && strings.EqualFold(e.Label.Name, forge.Approved) {
				who = login(e.User)
			}
		}
		if !fresh {
			break
		}
	}
	if may, err := t.mayWrite(ctx, who); !may || err != nil {
		return "", err
	}
	return who, nil
}

// event is one row of a timeline. The SDK's own type takes the label for a
// list, which it is not.
type event struct {
	ID    int64      `json:"id"`
	Type  string     `json:"type"`
	User  *api.User  `json:"user"`
	Body  string     `json:"body"` // of a label: "1" when it came
	Label *api.Label `json:"label"`
}

func (t *Tracker) timeline(ctx context.Context, doing string, number, page int) ([]event, error) {
	address := fmt.Sprintf("%s/api/v1/repos/%s/%s/issues/%d/timeline?page=%d&limit=%d", t.url, url.PathEscape(t.owner), url.PathEscape(t.repo), number, page, perPage)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, t.fail(ctx, doing, nil, err)
	}
	req.Header.Set("User-Agent", "warp")
	if t.token != "" {
		req.Header.Set("Authorization", "token "+t.token)
	}
	resp, err := t.http.Do(req)
	if err != nil {
		return nil, t.fail(ctx, doing, nil, err)
	}
	defer resp.Body.Close()
	var events []event
	if resp.StatusCode != http.StatusOK {
		return nil, t.fail(ctx, doing, &api.Response{Response: resp}, nil)
	}
	if err := json.NewDecoder(resp.Body).Decode(&events); err != nil {
		return nil, t.fail(ctx, doing, &api.Response{Response: resp}, err)
	}
	return events, nil
}

// mayWrite tells whether somebody has write access. It is asked once for each.
func (t *Tracker) mayWrite(ctx context.Context, who string) (bool, error) {
	if who == "" {
		return false, nil
	}
	t.mu.Lock()
	may, known := t.writers[who]
	t.mu.Unlock()
	if known {
		return may, nil
	}
	doing := t.of("asking for the rights of %s", forge.Visible(who))
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
