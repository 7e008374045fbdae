// Package github is the issue tracker of GitHub and GitHub Enterprise, over
// their REST API. It guarantees that a body which somebody else changed is not
// overwritten (see forge.Rewrite), that nothing is filed or opened twice, that
// whoever approved an issue had write access, and that the token is in no error.
// What is done with an issue is left to others.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	api "github.com/google/go-github/v89/github"

	"warp/internal/core/untrusted"
	"warp/internal/engine/forge"
	"warp/internal/engine/forge/web"
)

// API is the address of github.com's API.
const API = "https://api.github.com/"

// Config is what the tracker needs from outside.
type Config struct {
	API         string // "": github.com's; Enterprise has https://HOST/api/v3/
	Owner, Name string // of the repository
	Token       string // "": only what everybody may read
	Transport   http.RoundTripper
	Sleep       func(context.Context, time.Duration) error
	Now         func() time.Time
}

// Tracker is the issues and pull requests of one repository.
type Tracker struct {
	owner, repo, token string
	client             *api.Client
	now                func() time.Time
	mu                 sync.Mutex
	writers            map[string]bool
	me                 string
}

var _ forge.Tracker = (*Tracker)(nil)

// New makes a tracker. Nothing is asked yet.
func New(c Config) (*Tracker, error) {
	if c.API == "" {
		c.API = API
	}
	if !strings.HasSuffix(c.API, "/") {
		c.API += "/"
	}
	options := []api.ClientOptionsFunc{
		api.WithHTTPClient(web.Client(c.Transport, c.Sleep)), api.WithURLs(&c.API, nil),
		api.WithUserAgent("warp"), api.WithDisableRateLimitCheck(), // one process must not wait for another's limit
	}
	if c.Token != "" {
		options = append(options, api.WithAuthToken(c.Token))
	}
	client, err := api.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("the address of GitHub's API %q cannot be used: %s; see GH_HOST", web.Redact(c.API, c.Token), web.Redact(err.Error(), c.Token))
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Tracker{owner: c.Owner, repo: c.Name, token: c.Token, client: client, now: c.Now, writers: map[string]bool{}}, nil
}

// Name says which tracker it is.
func (t *Tracker) Name() string { return "github" }

// User is who the token belongs to.
func (t *Tracker) User(ctx context.Context) (string, error) {
	t.mu.Lock()
	me := t.me
	t.mu.Unlock()
	if me != "" {
		return me, nil
	}
	u, resp, err := t.client.Users.Get(ctx, "")
	if err != nil {
		return "", t.fail(ctx, "asking GitHub who is logged in", resp, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.me = u.GetLogin()
	return t.me, nil
}

// trusted tells whether somebody's markers count: their own, and those of
// whoever has write access.
func (t *Tracker) trusted(ctx context.Context, who string) (bool, error) {
	if me, err := t.User(ctx); err != nil || me == who {
		return err == nil, err
	}
	return t.MayWrite(ctx, who)
}

func (t *Tracker) of(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + " of " + t.owner + "/" + t.repo
}

// fail tells what went wrong, and what to do about it.
func (t *Tracker) fail(ctx context.Context, doing string, resp *api.Response, err error) error {
	f := web.Failure{Doing: doing, Err: err, Message: message(err), Now: t.now(), Secret: t.token}
	if resp != nil {
		f.Resp = resp.Response
	}
	told := f.Error(ctx)
	var e *forge.Error
	if !errors.As(told, &e) {
		return told
	}
	switch {
	case e.Reason == forge.NoLogin && t.token == "":
		e.Why = "there is no token"
		e.Advice = "run gh auth login, or set GITHUB_TOKEN"
	case e.Reason == forge.NoLogin:
		e.Advice = "the token is not accepted, or has expired: run gh auth login, or set another GITHUB_TOKEN"
	case e.Reason == forge.NotAllowed:
		e.Advice = missing(f.Resp.Header)
	case e.Reason == forge.NotFound:
		e.Advice = "see whether it is there, and whether the token may read " + t.owner + "/" + t.repo
	}
	return e
}

// missing names the scope that a token lacks.
func missing(h http.Header) string {
	has := strings.Split(strings.ReplaceAll(h.Get("X-OAuth-Scopes"), " ", ""), ",")
	wants := h.Get("X-Accepted-OAuth-Scopes")
	if len(h.Values("X-OAuth-Scopes")) == 0 || wants == "" { // a fine-grained token has none
		if p := h.Get("X-Accepted-GitHub-Permissions"); p != "" {
			return "give the token the permission " + untrusted.Visible(p)
		}
		return "the token needs write access to issues and pull requests of this repository"
	}
	scope, _, _ := strings.Cut(wants, ",")
	scope = untrusted.Visible(strings.TrimSpace(scope))
	for _, s := range has {
		if s == scope {
			return "the token has the scope " + scope + "; its owner needs write access to this repository"
		}
	}
	return "the token lacks the scope " + scope + ": run gh auth refresh -s " + scope
}

// message is what GitHub says.
func message(err error) string {
	var response *api.ErrorResponse
	var limit *api.RateLimitError
	var abuse *api.AbuseRateLimitError
	switch {
	case errors.As(err, &response):
		text := response.Message
		for _, e := range response.Errors {
			text = strings.Join(strings.Fields(text+" "+e.Message+" "+e.Field+" "+e.Code), " ")
		}
		return text
	case errors.As(err, &limit):
		return limit.Message
	case errors.As(err, &abuse):
		return abuse.Message
	}
	return ""
}

// is tells a failure by its reason.
func is(err error, r forge.Reason) bool {
	var e *forge.Error
	return errors.As(err, &e) && e.Reason == r
}
