// Package beads talks to the issue tracker Beads through its program bd: it lists what is ready
// and what is unfinished, and claims and closes issues.
//
// It relies on the following, measured on version 0.47.1 or documented for later ones:
//
//   - bd ready prints an array, "[]" when nothing is ready. 0.47 lists issues in progress too,
//     later versions only open ones; Ready returns only open ones. Blocked issues are never ready,
//     so nothing ready does not mean done: see Unfinished.
//   - Lists stop at 10, 50 or 100 issues unless --limit 0 is given.
//   - 2.0 wraps every answer as {"schema_version":1,"data":…}; the older form is accepted too.
//   - An error is text on stderr, or {"error":…} on stdout, and 0.47 exits with 0 after a refused
//     claim and for a missing issue: a missing answer is an error whatever the exit code.
//   - A claim fails if anyone holds it, ourselves included. BEADS_ACTOR names us; before 1.0 it
//     was BD_ACTOR.
//   - 0.47 lets a closed issue be claimed, which reopens it.
//   - 0.47 leaves a daemon behind unless told not to.
package beads

import (
	"cmp"
	"context"
	"slices"

	"warp/internal/core/text"
)

// Options are the user's settings.
type Options struct {
	Path string // the program; "" for bd in PATH
	Dir  string // the project
	// Actor is the name under which issues are claimed; "" for bd's own user.
	Actor string
}

// Beads is the tracker of one project.
type Beads struct{ path, dir, actor string }

// New returns the tracker of a project. It runs nothing yet.
func New(o Options) *Beads { return &Beads{cmp.Or(o.Path, "bd"), o.Dir, o.Actor} }

// Item is an issue.
type Item struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	Priority    int      `json:"priority"` // 0 is the most urgent
	Labels      []string `json:"labels"`
	Assignee    string   `json:"assignee"`
}

// Ready returns the open issues that nothing blocks, in bd's order.
func (b *Beads) Ready(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "ready", "--limit", "0")
	return slices.DeleteFunc(list, func(i Item) bool { return i.Status != "open" || !text.ValidName(i.ID) }), err
}

// Unfinished returns the issues that still need work: open, in progress, blocked. Deferred and
// pinned ones wait for a person.
func (b *Beads) Unfinished(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "list", "--limit", "0")
	over := []string{"closed", "tombstone", "deferred", "pinned"}
	return slices.DeleteFunc(list, func(i Item) bool { return slices.Contains(over, i.Status) }), err
}

// InProgress returns the claimed issues.
func (b *Beads) InProgress(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "list", "--status", "in_progress", "--limit", "0")
	return slices.DeleteFunc(list, func(i Item) bool { return i.Status != "in_progress" || !text.ValidName(i.ID) }), err
}

// Show returns one issue.
func (b *Beads) Show(ctx context.Context, id string) (Item, error) {
	return b.one(ctx, id, "show", id)
}

// Claim claims an issue. If anyone holds it already, ourselves included, the error is a
// *ClaimedError.
func (b *Beads) Claim(ctx context.Context, id string) (Item, error) {
	return b.one(ctx, id, "update", id, "--claim")
}

// Release reopens a claimed issue without an assignee.
func (b *Beads) Release(ctx context.Context, id string) error {
	_, err := b.one(ctx, id, "update", id, "--status", "open", "--assignee", "")
	return err
}

// maxReason limits the reason of closing, in bytes.
const maxReason = 500

// Close closes an issue with a reason. Closing twice is no error.
func (b *Beads) Close(ctx context.Context, id, reason string) error {
	i, err := b.one(ctx, id, "close", id, "--reason="+visibleLine(cmp.Or(reason, "done"), maxReason))
	if err == nil && i.Status != "closed" {
		return &commandError{Doing: "close " + id, Said: "it is " + i.Status}
	}
	return err
}

// one runs a command that answers with one issue.
func (b *Beads) one(ctx context.Context, id string, args ...string) (Item, error) {
	if !text.ValidName(id) {
		return Item{}, &commandError{Doing: args[0], Said: "an id must be " + text.NameRule + ", not " + visibleLine(id, 100)}
	}
	list, err := b.ask(ctx, args...)
	if err != nil {
		return Item{}, err
	}
	if len(list) != 1 {
		return Item{}, &commandError{Doing: args[0] + " " + id, Said: noIssue}
	}
	return list[0], nil
}
