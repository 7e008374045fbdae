// Package gitea is the issue tracker of Gitea and Forgejo, over their API. It guarantees that a
// body changed by others is not overwritten (see forge.Rewrite), that nothing is filed or opened
// twice, that only a user with write access can approve, and that no error contains the token.
//
// It does not ask for the server's version: everything it uses exists since 1.17, and Forgejo
// counts differently.
package gitea

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// Config configures the tracker. URL is the server's.
type Config = rest.Config

// Tracker manages the issues and pull requests of one repository.
type Tracker struct {
	*rest.Repo
	server string
}

var (
	_ forge.Tracker     = (*Tracker)(nil)
	_ forge.PullWatcher = (*Tracker)(nil)
)

// New returns a tracker. It sends nothing yet.
func New(c Config) (*Tracker, error) {
	t := &Tracker{server: strings.TrimSuffix(c.URL, "/")}
	repo, err := rest.NewRepo(c, t.server+"/api/v1/", rest.Dialect{
		Server: "Gitea", Scheme: "token",
		// A server's default maximum. It returns the newest first.
		Page:    url.Values{"limit": {"50"}},
		Issues:  url.Values{"type": {"issues"}},
		Creator: "created_by",
		Pulls:   func(_, _ string) url.Values { return nil },
		Labels:  t.labelIDs,
		Merge: func(how forge.Merge) (string, any) {
			return http.MethodPost, map[string]string{"Do": how.Method, "head_commit_id": how.Head}
		},
		MergeTries:   4,
		Judge:        t.judge,
		HiddenRights: t.isAssignable,
		Advise:       t.advise,
	})
	if err != nil {
		return nil, fmt.Errorf("the address of the Gitea server cannot be used: %w; see GITEA_URL", err)
	}
	t.Repo = repo
	return t, nil
}

// Name returns "gitea".
func (t *Tracker) Name() string { return "gitea" }

// advise adds advice to an error.
func (t *Tracker) advise(e *forge.Error, _ http.Header) {
	switch e.Reason {
	case forge.NoLogin:
		if t.Token == "" {
			e.Why = "there is no token"
			e.Advice = "make one under Settings, Applications of " + t.server + ", and set GITEA_TOKEN"
			return
		}
		e.Advice = "the token is not accepted: make another under Settings, Applications of " + t.server + ", and set GITEA_TOKEN"
	case forge.NotAllowed:
		e.Advice = "the token needs the scopes write:issue, write:repository and read:user, and its owner write access"
	case forge.NotFound:
		e.Advice = "check that it exists, and that the token may read " + t.Owner + "/" + t.RepoName
	}
}
