// Package gitea is the issue tracker of Gitea and Forgejo, over their API. It
// guarantees that a body which somebody else changed is not overwritten (see
// forge.Rewrite), that nothing is filed or opened twice, that whoever approved
// an issue had write access, and that the token is in no error. What is done
// with an issue is left to others.
package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
	"warp/internal/engine/forge/web"
)

// Config is what the tracker needs from outside.
type Config struct {
	URL         string // of the server, https://host
	Owner, Name string // of the repository
	Token       string
	Transport   http.RoundTripper
	Sleep       func(context.Context, time.Duration) error
	Now         func() time.Time
}

// Tracker is the issues and pull requests of one repository.
type Tracker struct {
	url, owner, repo, token string
	http                    *http.Client
	now                     func() time.Time
	sleep                   func(context.Context, time.Duration) error
	mu                      sync.Mutex
	writers                 map[string]bool
	me                      string
}

var _ forge.Tracker = (*Tracker)(nil)

// New makes a tracker. Nothing is asked yet.
func New(c Config) (*Tracker, error) {
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the address of the Gitea server must be https://host; see GITEA_URL")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = web.Sleep
	}
	return &Tracker{
		url: strings.TrimSuffix(c.URL, "/"), owner: c.Owner, repo: c.Name, token: c.Token,
		http: web.Client(c.Transport, c.Sleep), now: c.Now, sleep: c.Sleep, writers: map[string]bool{},
	}, nil
}

// client is the API for one call: its context belongs to the client. The
// server's version is not asked for: whatever is used here has been there since
// 1.17, and Forgejo counts differently.
func (t *Tracker) client(ctx context.Context) *api.Client {
	c, err := api.NewClient(t.url, api.SetGiteaVersion(""), api.SetToken(t.token), api.SetHTTPClient(t.http), api.SetContext(ctx), api.SetUserAgent("warp"))
	if err != nil { // it only fails over options and the version
		panic(err)
	}
	return c
}

// Name says which tracker it is.
func (t *Tracker) Name() string { return "gitea" }

// User is who the token belongs to.
func (t *Tracker) User(ctx context.Context) (string, error) {
	t.mu.Lock()
	me := t.me
	t.mu.Unlock()
	if me != "" {
		return me, nil
	}
	u, resp, err := t.client(ctx).GetMyUserInfo()
	if err != nil {
		return "", t.fail(ctx, "asking Gitea who is logged in", resp, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.me = u.UserName
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
	f := web.Failure{Doing: doing, Err: err, Now: t.now(), Secret: t.token}
	if resp != nil {
		f.Resp = resp.Response
	}
	if f.Resp != nil && err != nil && f.Resp.StatusCode >= 400 {
		f.Message = err.Error()
	}
	told := f.Error(ctx)
	var e *forge.Error
	if !errors.As(told, &e) {
		return told
	}
	switch {
	case e.Reason == forge.NoLogin && t.token == "":
		e.Why = "there is no token"
		e.Advice = "make one under Settings, Applications of " + t.url + ", and set GITEA_TOKEN"
	case e.Reason == forge.NoLogin:
		e.Advice = "the token is not accepted: make another under Settings, Applications of " + t.url + ", and set GITEA_TOKEN"
	case e.Reason == forge.NotAllowed:
		e.Advice = "the token needs the scopes write:issue, write:repository and read:user, and its owner write access"
	case e.Reason == forge.NotFound:
		e.Advice = "see whether it is there, and whether the token may read " + t.owner + "/" + t.repo
	}
	return e
}

// is tells a failure by its reason.
func is(err error, r forge.Reason) bool {
	var e *forge.Error
	return errors.As(err, &e) && e.Reason == r
}
