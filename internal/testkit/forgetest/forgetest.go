// Package forgetest is the conformance suite of issue trackers: whatever an
// engine may rely on, each adapter shows it here, in memory or against a real
// server.
package forgetest

import (
	"context"
	"errors"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
)

// Backdoor is what a test does to a tracker behind the adapter's back.
type Backdoor struct {
	User    string                                             // whose tracker it is; that user may write
	SetBody func(t *testing.T, number int, body string)        // another's edit
	Pull    func(t *testing.T, number int, body string) string // another's edit of a pull request, unless "", and its text
	Mark    func(t *testing.T, number int, label, by string)   // nil: labels have no authors
	Writer  string                                             // may write, for Mark
	Reader  string                                             // may not; "": the tracker lets no such person label
	File    func(t *testing.T, body, by string) int            // files an issue as someone else; nil: no one else can, as with Write and Say
	Write   func(t *testing.T, number int, title, body, by string)
	Say     func(t *testing.T, number int, body, by string)
	Branch  func(t *testing.T, name string) (commit string) // makes a branch that can be merged into main
	Clash   func(t *testing.T, number int)                  // makes a pull request unmergeable; nil: cannot be done
	Hub     *hub.Hub                                        // nil: there is no server that can be broken
	Down    func()                                          // takes the server away, with Hub
}

// Make makes an empty tracker.
type Make func(t *testing.T) (forge.Tracker, Backdoor)

// Run runs the suite.
func Run(t *testing.T, fresh Make) {
	for _, c := range []struct {
		name string
		fn   func(*testing.T, forge.Tracker, Backdoor)
	}{
		{"who am I", whoAmI},
		{"what is filed can be read", filed},
		{"texts stay byte for byte", bytesStay},
		{"list by labels and state", listed},
		{"250 issues in order", many},
		{"comments in order", comments},
		{"an edit changes the body alone", edited},
		{"an edit does not overwrite another's", notOverwritten},
		{"an edit gives up when others never stop", giveUp},
		{"an edit that is refused changes nothing", refused},
		{"labels come and go", labelled},
		{"close twice", closed},
		{"filed once", once},
		{"said once", saidOnce},
		{"a comment is kept up to date", keptUpToDate},
		{"who is to do it", assigned},
		{"labels are made once", labelsMade},
		{"only writers approve", approved},
		{"who may write", mayWrite},
		{"an approval counts for what was approved", rewritten},
		{"ticking keeps an approval", ticked},
		{"a pull request is opened once and merged once", pulls},
		{"a pull request is not opened again", openedOnce},
		{"the text of an open pull request is kept up to date", pullText},
		{"a pull request that moved is not merged", moved},
		{"a pull request that clashes is a conflict", clash},
		{"what checks and reviewers say", watched},
		{"what is not there is not found", notFound},
		{"a pull request is no issue", pullIsNoIssue},
		{"a context that has ended", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			tracker, back := fresh(t)
			c.fn(t, tracker, back)
		})
	}
	for _, c := range network {
		t.Run(c.name, func(t *testing.T) {
			tracker, back := fresh(t)
			if back.Hub != nil {
				c.fn(t, tracker, back)
			}
		})
	}
}

// file files an issue.
func file(t *testing.T, tracker forge.Tracker, n forge.NewIssue) forge.Issue {
	t.Helper()
	if n.Title == "" {
		n.Title = "A title"
	}
	i, err := tracker.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// get reads an issue.
func get(t *testing.T, tracker forge.Tracker, number int) forge.Issue {
	t.Helper()
	i, err := tracker.Get(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants wants an error with a reason, in whole sentences.
func wants(t *testing.T, err error, reason forge.Reason) *forge.Error {
	t.Helper()
	var e *forge.Error
	if !errors.As(err, &e) || e.Reason != reason {
		t.Fatalf("got %v, want %s", err, reason)
	}
	if e.Doing == "" || e.Why == "" || e.Advice == "" {
		t.Errorf("%+v says too little", e)
	}
	return e
}

func cancelled(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tracker.Get(ctx, i.Number)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := tracker.Edit(ctx, i.Number, func(string) (string, error) { return "c", nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := get(t, tracker, i.Number); got.Body != "b" {
		t.Errorf("the body is %q", got.Body)
	}
}
