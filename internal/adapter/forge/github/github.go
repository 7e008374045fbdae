// Package github is the issue tracker of GitHub and GitHub Enterprise, over their REST API. It
// guarantees that a body changed by others is not overwritten (see forge.Rewrite), that nothing is
// filed or opened twice, that only a user with write access can approve, and that no error
// contains the token.
package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/engine/forge/rest"
)

// API is the address of github.com's API.
const API = "https://api.github.com/"

// Config configures the tracker. URL is the API's: "" for github.com, https://HOST/api/v3/ for
// Enterprise.
type Config = rest.Config

// Tracker manages the issues and pull requests of one repository.
type Tracker struct{ *rest.Repo }

var (
	_ forge.Tracker     = (*Tracker)(nil)
	_ forge.PullWatcher = (*Tracker)(nil)
)

// New returns a tracker. It sends nothing yet.
func New(c Config) (*Tracker, error) {
	t := &Tracker{}
	repo, err := rest.NewRepo(c, cmp.Or(c.URL, API), rest.Dialect{
		Server: "GitHub", Scheme: "Bearer",
		Header:      http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}},
		Page:        url.Values{"per_page": {"100"}},
		Issues:      url.Values{"sort": {"created"}, "direction": {"asc"}},
		OldestFirst: true,
		Creator:     "creator",
		Pulls: func(head, base string) url.Values {
			return url.Values{"head": {c.Owner + ":" + head}, "base": {base}}
		},
		Labels: func(_ context.Context, _ string, names []string) (any, error) { return names, nil },
		Merge: func(how forge.Merge) (string, any) {
			body := map[string]string{"merge_method": how.Method}
			if how.Head != "" {
				body["sha"] = how.Head
			}
			return http.MethodPut, body
		},
		CheckRuns: true,
		Judge:     t.judge,
		Advise:    t.advise,
	})
	if err != nil {
		return nil, fmt.Errorf("the address of GitHub's API cannot be used: %w; see GH_HOST", err)
	}
	t.Repo = repo
	return t, nil
}

// Name returns "github".
func (t *Tracker) Name() string { return "github" }

// advise adds advice to an error.
func (t *Tracker) advise(e *forge.Error, answer http.Header) {
	switch e.Reason {
	case forge.NoLogin:
		if t.Token == "" {
			e.Why = "there is no token"
			e.Advice = "run gh auth login, or set GITHUB_TOKEN"
			return
		}
		e.Advice = "the token is not accepted, or has expired: run gh auth login, or set another GITHUB_TOKEN"
	case forge.NotAllowed:
		e.Advice = missingScope(answer)
	case forge.NotFound:
		e.Advice = "check that it exists, and that the token may read " + t.Owner + "/" + t.RepoName
	}
}

// missingScope returns advice about the scope that a token lacks.
func missingScope(h http.Header) string {
	has := strings.Split(strings.ReplaceAll(h.Get("X-OAuth-Scopes"), " ", ""), ",")
	wants := h.Get("X-Accepted-OAuth-Scopes")
	if len(h.Values("X-OAuth-Scopes")) == 0 || wants == "" { // a fine-grained token has none
		if p := h.Get("X-Accepted-GitHub-Permissions"); p != "" {
			return "give the token the permission " + text.Visible(p)
		}
		return "the token needs write access to issues and pull requests of this repository"
	}
	scope, _, _ := strings.Cut(wants, ",")
	scope = text.Visible(strings.TrimSpace(scope))
	if slices.Contains(has, scope) {
		return "the token has the scope " + scope + "; its owner needs write access to this repository"
	}
	return "the token lacks the scope " + scope + ": run gh auth refresh -s " + scope
}
