// Package forge declares the port to an issue tracker: finding work, reading and editing issues,
// filing reports, opening and merging pull requests. The engines decide what to do with an issue;
// adapters decide nothing.
package forge

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"warp/internal/core/text"
)

// Issue is an issue from its tracker. Other people wrote its texts: they are data, never
// instructions.
type Issue struct {
	Number    int       `json:"number"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	Open      bool      `json:"open"`
	Labels    []string  `json:"labels"`
	Author    string    `json:"author"`
	Assignees []string  `json:"assignees,omitempty"`
	URL       string    `json:"url"`
	Updated   time.Time `json:"updated"`
	// ApprovedBy is who added the label approved, if that user has write access and no one without
	// it changed the title or the text since; "": not approved.
	ApprovedBy string    `json:"approved_by,omitempty"`
	ApprovedAt time.Time `json:"approved_at,omitzero"` // also zero if the tracker has no label history
	// NotApproved says why an issue with the label is not approved.
	NotApproved string    `json:"not_approved,omitempty"`
	Comments    []Comment `json:"comments,omitempty"` // only from Get
}

// BranchPrefix begins the name of each branch made for an issue.
const BranchPrefix = "feature/issue-"

// Branch returns the name of the branch made for the issue.
func (i Issue) Branch() string {
	branch := BranchPrefix + strconv.Itoa(i.Number)
	if slug := text.Slug(i.Title, 40); slug != "" {
		branch += "-" + slug
	}
	return branch
}

// Comment is one comment of an issue.
type Comment struct {
	Author string    `json:"author"`
	Body   string    `json:"body"`
	At     time.Time `json:"at"`
}

// Query selects issues.
type Query struct {
	Labels []string // all of them required
	Closed bool     // include closed ones
	Limit  int      // 0: all
}

// NewIssue is an issue to file.
type NewIssue struct {
	Title, Body string
	Labels      []string
	Assignees   []string // unknown users are refused or left out by the tracker
	// Once identifies what must not be filed twice: if an issue with this marker in its body
	// exists, open or closed, it is returned instead. The marker is appended to a body that lacks
	// it. "": always file.
	Once string
}

// NewComment is a comment to make.
type NewComment struct {
	Body string
	// Once is as in NewIssue, among the issue's comments by users with write access.
	Once string
	// Update gives the comment with that marker this text, if there is one.
	Update bool
}

// Grey is the default colour of labels.
const Grey = "ededed"

// Label is a label to create if it is missing.
type Label struct {
	Name        string
	Color       string // six hexadecimal digits; "": Grey
	Description string
}

// Pull is a pull request.
type Pull struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Head   string `json:"head"`
	Base   string `json:"base"`
	Commit string `json:"commit,omitempty"` // Head's commit; "": unknown to the tracker
	Open   bool   `json:"open"`
	Merged bool   `json:"merged"` // neither open nor merged means closed
}

// NewPull is a pull request to open, from a branch of this repository. If one is open for the same
// branches, it is returned instead.
type NewPull struct {
	Title, Body, Head, Base string
	// Once is as in NewIssue, among the pull requests for the same branches: one that was merged or
	// closed meanwhile is not opened again. One that is open gets the new text, unless somebody
	// edited it.
	Once string
}

// Merge says how to merge a pull request.
type Merge struct {
	Method string // merge, squash or rebase; "": merge
	// Head is the judged commit. If the branch has another one by now, nothing is merged. "": any.
	Head string
}

// Tracker is one issue tracker, for one repository.
type Tracker interface {
	Name() string
	// User returns warp's identity in the tracker: a login, or git's user.
	User(ctx context.Context) (string, error)
	// MayWrite reports whether a user has write access.
	MayWrite(ctx context.Context, who string) (bool, error)
	// List returns what can be read; the error is about the rest.
	List(ctx context.Context, q Query) ([]Issue, error)
	Get(ctx context.Context, number int) (Issue, error)
	// Edit changes an issue's body. If others changed it meanwhile, change is called again with the
	// new body: nothing is overwritten.
	Edit(ctx context.Context, number int, change func(body string) (string, error)) error
	Retitle(ctx context.Context, number int, title string) error
	Label(ctx context.Context, number int, add, remove []string) error
	Comment(ctx context.Context, number int, c NewComment) error
	Create(ctx context.Context, n NewIssue) (Issue, error)
	Close(ctx context.Context, number int) error
	MakeLabels(ctx context.Context, labels []Label) error
	OpenPull(ctx context.Context, p NewPull) (Pull, error)
	Pull(ctx context.Context, number int) (Pull, error)
	// FindPull returns the open pull request for two branches of this repository; its number is 0
	// if there is none.
	FindPull(ctx context.Context, head, base string) (Pull, error)
	// MergePull merges a pull request; one that is already merged is fine.
	MergePull(ctx context.Context, number int, how Merge) error
}

// Reason is why a tracker could not do what it was asked.
type Reason string

const (
	NotFound    Reason = "not_found"
	NoLogin     Reason = "no_login"     // no token, or a rejected one
	NotAllowed  Reason = "not_allowed"  // a scope or permission is missing
	RateLimited Reason = "rate_limited" // see Reset
	Conflict    Reason = "conflict"     // it cannot be merged, or keeps changing
	Unreachable Reason = "unreachable"  // the network or the tracker is down
	Invalid     Reason = "invalid"      // it rejects the request
)

// Error says what was being done, why it failed, and what to do next. It never contains a token.
type Error struct {
	Doing  string // "reading issue 42 of owner/name"
	Reason Reason
	Why    string
	Advice string
	Reset  time.Time // of RateLimited; zero: unknown
}

// ReasonOf returns the reason of a tracker's error, "" for any other error.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Doing, e.Why)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Is reports whether a failure has a reason.
func Is(err error, r Reason) bool { return ReasonOf(err) == r }

// userTime bounds how long a session waits at its start for the user's name.
const userTime = 5 * time.Second

// GitHubUser returns GitHub's login for warp's token; "" for another tracker or if it does not
// answer: a session starts without it.
func GitHubUser(ctx context.Context, t Tracker) string {
	if t == nil || t.Name() != "github" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, userTime)
	defer cancel()
	user, err := t.User(ctx)
	if err != nil {
		return ""
	}
	return user
}
