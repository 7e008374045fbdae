// Package beads is the issue tracker Beads, through its program bd: what is
// ready, what is not finished, and how an issue is claimed and closed.
//
// What was measured on version 0.47.1, or is recorded of later ones, and is
// relied on here:
//
//   - bd ready prints an array, "[]" when nothing is ready. 0.47 lists issues in
//     progress too, later versions only open ones: here it is only open ones.
//     What is blocked is never ready, so nothing ready does not mean done:
//     Unfinished tells.
//   - Lists stop at 10, 50 or 100 issues, unless --limit 0 is given.
//   - 2.0 wraps every answer as {"schema_version":1,"data":…}; the older shape is
//     understood, too.
//   - An error is text on stderr, or {"error":…} on stdout, and 0.47 exits with 0
//     after a claim that was refused and an issue that is not there: an answer
//     that is missing is an error whatever the exit code.
//   - A claim fails when it is held, by ourselves included. Who we are is told by
//     BEADS_ACTOR, before 1.0 by BD_ACTOR.
//   - 0.47 lets a closed issue be claimed, and opens it with that.
//   - 0.47 leaves a daemon behind unless it is told not to.
package beads

import (
	"cmp"
	"context"
	"slices"

	"warp/internal/core/text"
)

// Options are what a user may set.
type Options struct {
	Path string // of the program; "": bd, looked up in PATH
	Dir  string // the project
	// Actor is in whose name issues are claimed; "": the user's, as bd has it.
	Actor string
}

// Beads is the tracker of one project.
type Beads struct{ path, dir, actor string }

// New names the tracker of a project. Nothing is run yet.
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

// Ready are the open issues that nothing blocks, in the order of bd.
func (b *Beads) Ready(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "ready", "--limit", "0")
	return slices.DeleteFunc(list, func(i Item) bool { return i.Status != "open" || !text.ValidName(i.ID) }), err
}

// Unfinished are the issues that still need work: open,
// in progress, blocked. Those that were put off or pinned wait for a person.
func (b *Beads) Unfinished(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "list", "--limit", "0")
	over := []string{"closed", "tombstone", "deferred", "pinned"}
	return slices.DeleteFunc(list, func(i Item) bool { return slices.Contains(over, i.Status) }), err
}

// InProgress are the issues that are claimed.
func (b *Beads) InProgress(ctx context.Context) ([]Item, error) {
	list, err := b.ask(ctx, "list", "--status", "in_progress", "--limit", "0")
	return slices.DeleteFunc(list, func(i Item) bool { return i.Status != "in_progress" || !text.ValidName(i.ID) }), err
}

// Show returns one issue.
func (b *Beads) Show(ctx context.Context, id string) (Item, error) {
	return b.one(ctx, id, "show", id)
}

// Claim takes an issue: it is in progress, and ours. When another has it
// already, ourselves included, the error is a *ClaimedError.
func (b *Beads) Claim(ctx context.Context, id string) (Item, error) {
	return b.one(ctx, id, "update", id, "--claim")
}

// Release gives an issue back that was claimed: it is open again, and unclaimed.
func (b *Beads) Release(ctx context.Context, id string) error {
	_, err := b.one(ctx, id, "update", id, "--status", "open", "--assignee", "")
	return err
}

// maxReason bounds what is told of a closed issue, in bytes.
const maxReason = 500

// Close closes an issue and says why. Closing twice is no error.
func (b *Beads) Close(ctx context.Context, id, reason string) error {
	i, err := b.one(ctx, id, "close", id, "--reason="+visibleLine(cmp.Or(reason, "done"), maxReason))
	if err == nil && i.Status != "closed" {
		return &commandError{Doing: "close " + id, Said: "it is " + i.Status}
	}
	return err
}

// one asks for one issue.
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
