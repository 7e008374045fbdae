package github

import (
	"context"
	"strings"

	api "github.com/google/go-github/v89/github"

	"warp/internal/engine/forge"
)

// approver is who put the label approved on an issue, when that is somebody
// with write access. The newest such event counts. What cannot be found out
// counts as no.
func (t *Tracker) approver(ctx context.Context, issue forge.Issue) (string, error) {
	if !issue.Has(forge.Approved) {
		return "", nil
	}
	who := ""
	o := &api.ListOptions{PerPage: perPage}
	resp, err := pages(func(page int) (*api.Response, bool, error) {
		o.Page = page
		found, resp, err := t.client.Issues.ListIssueEvents(ctx, t.owner, t.repo, issue.Number, o)
		for _, e := range found {
			if e.GetEvent() == "labeled" && strings.EqualFold(e.GetLabel().GetName(), forge.Approved) {
				who = e.GetActor().GetLogin()
			}
		}
		return resp, true, err
	})
	if err != nil {
		return "", t.fail(ctx, t.of("reading who approved issue %d", issue.Number), resp, err)
	}
	if may, err := t.mayWrite(ctx, who); !may || err != nil {
		return "", err
	}
	return who, nil
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
	p, resp, err := t.client.Repositories.GetPermissionLevel(ctx, t.owner, t.repo, who)
	if err != nil {
		err = t.fail(ctx, t.of("asking for the rights of %s", forge.Visible(who)), resp, err)
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
