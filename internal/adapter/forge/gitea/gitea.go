// Package gitea is the issue tracker of Gitea and Forgejo, over their API. It
// guarantees that a body which others changed is not overwritten (see
// forge.Rewrite), that nothing is filed or opened twice, that an approval counts
// only from a user with write access, and that the token is in no error. What is
// done with an issue is left to others.
//
// The server's version is not asked for: what is used here has been there since
// 1.17, and Forgejo counts differently.
package gitea

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// Config is what the tracker needs from outside. Its URL is that of the server.
type Config = rest.Config

// Tracker is the issues and pull requests of one repository.
type Tracker struct {
	*rest.Repo
	server string
}

var (
	_ forge.Tracker     = (*Tracker)(nil)
	_ forge.PullWatcher = (*Tracker)(nil)
)

// New makes a tracker. Nothing is asked yet.
func New(c Config) (*Tracker, error) {
	t := &Tracker{server: strings.TrimSuffix(c.URL, "/")}
	repo, err := rest.NewRepo(c, t.server+"/api/v1/", rest.Dialect{
		Server: "Gitea", Scheme: "token",
		// As many as a server gives at once, unless it was set up otherwise. It gives
		// the newest first.
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

// Name says which tracker it is.
func (t *Tracker) Name() string { return "gitea" }

// advise tells what to do about an error.
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
		e.Advice = "see whether it is there, and whether the token may read " + t.Owner + "/" + t.RepoName
	}
}
