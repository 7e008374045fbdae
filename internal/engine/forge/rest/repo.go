package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// Config is what a tracker needs from outside.
type Config struct {
	URL         string // of the server or its API; see the adapters
	Owner, Name string // of the repository
	Token       string // "": only public data
	Transport   http.RoundTripper
	Sleep       func(context.Context, time.Duration) error
	Now         func() time.Time
}

// Dialect is how a server differs from others.
type Dialect struct {
	Server string // for people
	Scheme string // precedes a token
	Header http.Header
	// Page sets the page size; Issues selects issues, oldest first if the server can; Creator is
	// the parameter for the author.
	Page, Issues url.Values
	OldestFirst  bool
	Creator      string
	// Pulls selects the pull requests from a branch into another, if the server can.
	Pulls func(head, base string) url.Values
	// Labels returns how labels are written in a request.
	Labels func(ctx context.Context, doing string, names []string) (any, error)
	// Merge returns the method and body of a merge request.
	Merge func(how forge.Merge) (method string, body any)
	// MergeTries is how often a merge refused with 405 is tried, if that may mean that the server
	// is still checking mergeability; 0: once.
	MergeTries int
	// CheckRuns: the server has check runs besides commit statuses.
	CheckRuns bool
	// Judge determines whether an issue with the label is approved.
	Judge func(ctx context.Context, issue forge.Issue) (forge.Issue, error)
	// HiddenRights reports whether a user may write if the token cannot see that; nil: no.
	HiddenRights func(ctx context.Context, doing, who string) (bool, error)
	Advise       func(e *forge.Error, answer http.Header)
}

// Repo is the issues and pull requests of one repository.
type Repo struct {
	API
	Owner, RepoName string
	dialect         Dialect
	sleep           func(context.Context, time.Duration) error
	mu              sync.Mutex
	writers         map[string]bool
	me              string
}

// NewRepo returns a repository; base is the API's address. It sends nothing yet.
func NewRepo(c Config, base string, d Dialect) (*Repo, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("it must be https://host")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleepFor
	}
	api := API{
		Base: strings.TrimSuffix(base, "/") + "/", Token: c.Token, Scheme: d.Scheme, Header: d.Header,
		Client: newClient(c.Transport, c.Sleep), Now: c.Now, Advise: d.Advise,
	}
	return &Repo{API: api, Owner: c.Owner, RepoName: c.Name, dialect: d, sleep: c.Sleep, writers: map[string]bool{}}, nil
}

// Path returns the API path of something in the repository.
func (r *Repo) Path(format string, args ...any) string {
	return "repos/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.RepoName) + "/" + fmt.Sprintf(format, args...)
}

// Doing describes an operation, for errors.
func (r *Repo) Doing(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + " of " + r.Owner + "/" + r.RepoName
}

// query returns a query with the dialect's page size.
func (r *Repo) query(more url.Values) url.Values {
	q := url.Values{}
	for _, values := range []url.Values{r.dialect.Page, more} {
		for k, v := range values {
			q[k] = v
		}
	}
	return q
}

// Each reads all pages of a list.
func Each[T any](ctx context.Context, r *Repo, doing, path string, fn func(T)) error {
	return pages(ctx, &r.API, doing, path, r.query(nil), func(list []T) bool {
		for _, x := range list {
			fn(x)
		}
		return true
	})
}

// User returns who the token belongs to.
func (r *Repo) User(ctx context.Context) (string, error) {
	r.mu.Lock()
	me := r.me
	r.mu.Unlock()
	if me != "" {
		return me, nil
	}
	var u User
	if err := r.Read(ctx, "asking "+r.dialect.Server+" who is logged in", "user", &u); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.me = u.Login
	return r.me, nil
}

// isTrusted reports whether a user's markers count: warp's own, and those of users with write
// access.
func (r *Repo) isTrusted(ctx context.Context, who string) (bool, error) {
	if me, err := r.User(ctx); err != nil || me == who {
		return err == nil, err
	}
	return r.MayWrite(ctx, who)
}

// MayWrite reports whether a user has write access. It asks once per user.
func (r *Repo) MayWrite(ctx context.Context, who string) (bool, error) {
	if who == "" {
		return false, nil
	}
	r.mu.Lock()
	may, known := r.writers[who]
	r.mu.Unlock()
	if known {
		return may, nil
	}
	doing := r.Doing("asking for the rights of %s", text.Visible(who))
	var p struct{ Permission string }
	err := r.Read(ctx, doing, r.Path("collaborators/%s/permission", url.PathEscape(who)), &p)
	switch {
	case err == nil:
		may = slices.Contains([]string{"owner", "admin", "maintain", "write"}, p.Permission)
	case forge.ReasonOf(err) == forge.NotAllowed && r.dialect.HiddenRights != nil:
		if may, err = r.dialect.HiddenRights(ctx, doing, who); err != nil {
			return false, err
		}
	case forge.ReasonOf(err) != forge.NotFound && forge.ReasonOf(err) != forge.NotAllowed:
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writers[who] = may
	return may, nil
}

// User is an account; nil if it is gone.
type User struct{ Login string }

// Name returns the user's login, or "".
func (u *User) Name() string {
	if u == nil {
		return ""
	}
	return u.Login
}

// Label is a label of the repository.
type Label struct {
	ID   int64
	Name string
}

// NewLabel returns the body of a request for a label; prefix precedes its colour.
func NewLabel(l forge.Label, prefix string) any {
	color := prefix + cmp.Or(strings.TrimPrefix(l.Color, "#"), forge.Grey)
	return map[string]string{"name": l.Name, "color": color, "description": l.Description}
}
