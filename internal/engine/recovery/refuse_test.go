package recovery

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// faulty is a tracker that fails, or takes warp for another user.
type faulty struct {
	forge.Tracker
	user      string
	get, list error
	whoami    error
}

func (f faulty) User(context.Context) (string, error) { return f.user, f.whoami }

func (f faulty) Get(ctx context.Context, n int) (forge.Issue, error) {
	if f.get != nil {
		return forge.Issue{}, f.get
	}
	return f.Tracker.Get(ctx, n)
}

func (f faulty) List(ctx context.Context, q forge.Query) ([]forge.Issue, error) {
	if f.list != nil {
		return nil, f.list
	}
	return f.Tracker.List(ctx, q)
}

// wantNothing wants to be told that there is nothing to bring back.
func wantNothing(t *testing.T, err error, words string) {
	t.Helper()
	var nothing *NothingError
	if !errors.As(err, &nothing) || !strings.Contains(err.Error(), words) {
		t.Errorf("want %q, got %v", words, err)
	}
}

// An engine drives it, files are in the way, the tracker cannot be asked: nothing
// is changed.
func TestItRefusesRatherThanLoses(t *testing.T) {
	gone := func(m *machine) { // the branch, which alone would be brought back
		m.git("switch", "-q", "main")
		m.git("branch", "-q", "-D", feature)
	}
	stateless := func(m *machine) { gone(m); m.lose(m.at + "/.claude/.warp-drive-state.json") }
	lease := func(m *machine, root string) {
		m.alive[4711] = true
		_, _, err := m.driveIn(root).Store().Acquire(engineLease, durable.Process{PID: 4711, Host: "here"}, m.env().Started)
		m.ok(err)
	}
	for _, c := range []struct {
		name  string
		apart bool
		lose  func(*machine)
		o     Options
		words string
	}{
		{name: "its owner lives", lose: func(m *machine) {
			m.alive[4711] = true
			if owns, err := m.driveIn(m.at).Adopt("s", 4711, false); !owns || err != nil {
				m.t.Fatal(owns, err)
			}
			gone(m)
		}, words: "Active session exists: issue 1"},
		{name: "an engine has it", lose: func(m *machine) { gone(m); lease(m, m.at) }, words: "4711"},
		{name: "an engine has it, and its state is gone", lose: func(m *machine) { stateless(m); lease(m, m.at) }, words: "4711"},
		{name: "an engine has the work tree that it had, whose state is gone", apart: true, lose: func(m *machine) {
			m.lose(m.apart() + "/.claude/.warp-drive-state.json")
			m.git("-C", m.apart(), "reset", "-q", "--hard", "HEAD^")
			lease(m, m.apart())
		}, o: Options{Apart: true}, words: "4711"},
		{name: "another drive is unfinished in this work tree", lose: func(m *machine) { stateless(m); m.state(m.at, "2", "") }, words: "Active session exists: issue 2"},
		{name: "a file of the user's is in the way", lose: func(m *machine) { gone(m); m.write("ac-01.txt", "mine\n") }, words: "ac-01.txt"},
		{name: "a file is in the way, and the branch is behind", lose: func(m *machine) {
			m.git("switch", "-q", "main")
			m.git("branch", "-q", "-f", feature, feature+"^")
			m.write("ac-04.txt", "mine\n")
		}, words: "ac-04.txt"},
		{name: "an edit is in the way, where the branch is checked out", lose: func(m *machine) {
			m.git("reset", "-q", "--hard", "HEAD^")
			m.write("ac-04.txt", "mine\n")
		}, words: "ac-04.txt"},
		{name: "the work tree is locked", apart: true, lose: func(m *machine) { m.git("worktree", "lock", m.apart()); m.lose(m.apart()) }, words: "is gone, but locked"},
		{name: "the issue is closed", lose: func(m *machine) { gone(m); m.ok(m.tracker.Close(m.t.Context(), 1)) }, words: "#1 is closed"},
		{name: "the issue cannot be read", lose: func(m *machine) { gone(m); m.tracker = faulty{Tracker: m.tracker, get: errors.New("no network")} }, words: "no network"},
		{name: "what was filed cannot be read", lose: func(m *machine) { gone(m); m.tracker = faulty{Tracker: m.tracker, list: errors.New("no network")} },
			words: "looking for what was filed about #1: no network"},
		{name: "its boxes cannot be told apart", lose: func(m *machine) {
			gone(m)
			m.ok(m.tracker.Edit(m.t.Context(), 1, func(body string) (string, error) { return body + "- [ ] AC-01: again\n", nil }))
		}, words: "#1: line 8"},
		{name: "nothing says at which level", lose: stateless, words: turnstile.ErrLevel.Error()},
		{name: "not an issue number", lose: stateless, o: Options{Issue: "one"}, words: "is not an issue number"},
		{name: "git does not know who commits", lose: func(m *machine) { gone(m); m.git("config", "user.name", "") }, words: "user.name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.half(c.apart)
			c.lose(m)
			if c.o.Issue == "" {
				c.o.Issue = "1"
			}
			if c.words != turnstile.ErrLevel.Error() {
				c.o.Level = 3
			}
			before := m.everything()
			_, err := m.open().Run(t.Context(), c.o)
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want %q, got %v", c.words, err)
			}
			if diff := cmp.Diff(before, m.everything()); diff != "" {
				t.Errorf("something was changed:\n%s", diff)
			}
		})
	}
}
