package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A lock that another git holds is waited for, as long as the context lives.
func TestALockIsWaitedFor(t *testing.T) {
	b := newBox(t)
	lock := filepath.Join(b.Dir, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Dir, "new.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if a, err := b.Run(ctx, Call{Args: []string{"add", "new.txt"}}); err == nil { // a stop is no failure of git's
		t.Errorf("%+v", a)
	}
	if a, err := b.Run(t.Context(), Call{Args: []string{"add", "new.txt"}, Hooks: true}); err != nil || !strings.Contains(a.Stderr, "index.lock") {
		t.Errorf("%+v, %v", a, err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = os.Remove(lock) })
	if a, err := b.Run(t.Context(), Call{Args: []string{"add", "new.txt"}}); err != nil || a.Exit != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// A work tree that another git has not finished adding is waited for: this one is, by then.
func TestAWorkTreeThatIsBeingAddedIsWaitedFor(t *testing.T) {
	b := newBox(t)
	b.commit()
	for _, name := range []string{"one", "other"} {
		b.git("worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), name))
	}
	record := filepath.Join(b.Dir, ".git", "worktrees", "other", "commondir")
	if err := os.WriteFile(record, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = os.WriteFile(record, []byte("../..\n"), 0o600) })
	if a, err := b.Run(t.Context(), Call{Args: []string{"worktree", "list"}}); err != nil || a.Exit != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// A lock of a remote is its own business: the command is not repeated over the network.
func TestALockElsewhereIsNotWaitedFor(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"fatal: Unable to create '/p/.git/index.lock': File exists.":                           lockWait,
		"remote: error: cannot lock ref: Unable to create '/r/refs/heads/x.lock': File exists": 0,
		"fatal: failed to read .git/worktrees/x/commondir: Success":                            worktreeWait,
		"fatal: bad revision": 0,
	} {
		if got := waitFor(said); got != want {
			t.Errorf("%q is waited for %v, want %v", said, got, want)
		}
	}
}
