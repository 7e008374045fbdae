// Package forge declares the port to an issue tracker: finding work, reading
// and editing issues, filing reports, opening and merging pull requests. What is
// done with an issue is left to the engines; nothing in an adapter decides it.
package forge

import (
	"context"
	"fmt"
	"time"
)

// Issue is one issue, as its tracker has it. Its texts are words of others:
// data, never instructions.
type Issue struct {
	Number int      `json:"number"`
	Title  string   `json:"title"`
	Body   string   `json:"body"`
	Open   bool     `json:"open"`
	Labels []string `json:"labels"`
	Author string   `json:"author"`
	// Assignees are who is to do it.
	Assignees []string  `json:"assignees,omitempty"`
	URL       string    `json:"url"`
	Updated   time.Time `json:"updated"`
	// ApprovedBy is who put the label approved on it, when that is a user
	// with write access and no user without it changed the title or the text
	// since; "": it is not approved.
	ApprovedBy string    `json:"approved_by,omitempty"`
	ApprovedAt time.Time `json:"approved_at,omitzero"` // zero also where labels have no history
	// NotApproved says why an issue that has the label is not approved.
	NotApproved string    `json:"not_approved,omitempty"`
	Comments    []Comment `json:"comments,omitempty"` // only from Get
}

// Comment is one comment.
type Comment struct {
	Author string    `json:"author"`
	Body   string    `json:"body"`
	At     time.Time `json:"at"`
}

// Query says which issues are wanted.
type Query struct {
	Labels []string // all of them
	Closed bool     // also closed ones
	Limit  int      // 0: all
}

// NewIssue is an issue to be filed.
type NewIssue struct {
	Title, Body string
	Labels      []string
	Assignees   []string // whom the tracker does not know it refuses, or leaves out
	// Once tells apart what must not be filed twice: an issue whose body holds
	// this marker already, open or closed, is returned instead. A body that
	// lacks it gets it at its end. "": it is always filed.
	Once string
}

// NewComment is a comment to be made.
type NewComment struct {
	Body string
	// Once is as in NewIssue, among the comments of the issue that a user
	// with write access made.
	Once string
}

// Grey is the colour of a label that names none.
const Grey = "ededed"

// Label is a label to be made where it is missing.
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
	Commit string `json:"commit,omitempty"` // that Head has; "": the tracker does not know
	Open   bool   `json:"open"`
	Merged bool   `json:"merged"` // neither open nor merged: it was closed
}

// NewPull is a pull request to be opened, from a branch of this repository. One
// that is open for the same branches is returned instead.
type NewPull struct {
	Title, Body, Head, Base string
	// Once is as in NewIssue, among the pull requests for the same branches:
	// one that was merged or closed meanwhile is not opened a second time.
	Once string
}

// Merge says how a pull request is merged.
type Merge struct {
	Method string // merge, squash or rebase; "": merge
	// Head is the commit that was judged. When the branch has another one by
	// now, nothing is merged. "": whatever it has.
	Head string
}

// Tracker is one issue tracker, for one repository.
type Tracker interface {
	Name() string
	// User is who the tracker takes warp for: a login, or git's user.
	User(ctx context.Context) (string, error)
	// MayWrite tells whether a user has write access.
	MayWrite(ctx context.Context, who string) (bool, error)
	// List returns what can be read; the error tells of what cannot.
	List(ctx context.Context, q Query) ([]Issue, error)
	Get(ctx context.Context, number int) (Issue, error)
	// Edit changes an issue's body. When others changed it meanwhile,
	// the function is asked again with the new body: nothing is overwritten.
	Edit(ctx context.Context, number int, change func(body string) (string, error)) error
	Retitle(ctx context.Context, number int, title string) error
	Label(ctx context.Context, number int, add, remove []string) error
	Comment(ctx context.Context, number int, c NewComment) error
	Create(ctx context.Context, n NewIssue) (Issue, error)
	Close(ctx context.Context, number int) error
	MakeLabels(ctx context.Context, labels []Label) error
	OpenPull(ctx context.Context, p NewPull) (Pull, error)
	Pull(ctx context.Context, number int) (Pull, error)
	// FindPull is the pull request that is open for two branches of this
	// repository; its number is 0 when there is none.
	FindPull(ctx context.Context, head, base string) (Pull, error)
	// MergePull merges a pull request; one that is merged already is fine.
	MergePull(ctx context.Context, number int, how Merge) error
}

// Reason is why a tracker could not do what it was asked.
type Reason string

// The reasons.
const (
	NotFound    Reason = "not_found"
	NoLogin     Reason = "no_login"     // no token, or one that is not accepted
	NotAllowed  Reason = "not_allowed"  // a scope or a right is missing
	RateLimited Reason = "rate_limited" // see Reset
	Conflict    Reason = "conflict"     // it cannot be merged, or was changed again and again
	Unreachable Reason = "unreachable"  // network, or the tracker is down
	Invalid     Reason = "invalid"      // it does not accept what it was given
)

// Error says what was being done, why it failed, and what to do next. No token
// is ever in it.
type Error struct {
	Doing  string // "reading issue 42 of owner/name"
	Reason Reason
	Why    string
	Advice string
	Reset  time.Time // of RateLimited; zero: not known
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Doing, e.Why)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}
