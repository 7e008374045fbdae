package gitwrite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warp/internal/sys/git"
)

func TestBranch(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.write("a", "2\n")
	b.commit()
	b.write("b", "mine\n")
	b.write("sub/c", "staged\n")
	b.git("add", "sub/c")
	for range 2 {
		b.ok(b.Branch(ctx, "warp/1", one))
	}
	if b.git("rev-parse", "HEAD") != one || b.git("symbolic-ref", "--short", "HEAD") != "warp/1" {
		t.Error("not there")
	}
	b.wantStatus(" M b", "M  sub/c")
	b.wantFile("a", lines("a", 9))
	b.ok(b.Branch(ctx, "main", ""))
	b.wantFile("a", "2\n")
	b.ok(b.Branch(ctx, "here", ""))
	if b.git("rev-parse", "here") != b.git("rev-parse", "main") {
		t.Error("not here")
	}
	for _, bad := range []string{"-f", "", "a b", "@{-1}", "HEAD"} {
		if err := b.Branch(ctx, bad, one); !errors.Is(err, git.ErrNoRef) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := b.Branch(ctx, "x", "--orphan"); err == nil {
		t.Error("an option")
	}
}

func TestBranchDoesNotOverwrite(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.write("a", "2\n")
	b.write("added", "2\n")
	b.write("env", "2\n")
	two := b.commit()
	b.git("reset", "-q", "--hard", one)
	b.write(".git/info/exclude", "env\n")
	for _, name := range []string{"a", "added", "env"} {
		b.write(name, "mine\n")
		err := b.Branch(ctx, "other", two)
		if e := wantAs[*BlockedError](t, err); !slices.Equal(e.Paths, []string{name}) || e.Dir != b.Dir {
			t.Errorf("got %+v", e)
		}
		err = b.Follow(ctx, "main", two)
		if e := wantAs[*BlockedError](t, err); !slices.Equal(e.Paths, []string{name}) {
			t.Errorf("got %+v", e)
		}
		err = b.FastForward(ctx, "main", two)
		if e := wantAs[*BlockedError](t, err); !slices.Equal(e.Paths, []string{name}) {
			t.Errorf("got %+v", e)
		}
		b.wantFile(name, "mine\n")
		if b.git("rev-parse", "HEAD") != one {
			t.Error("HEAD has moved")
		}
		b.ok(os.Remove(b.path(name)))
		b.git("checkout", "-q", ".")
	}
	if got := b.git("branch", "--list", "other"); got != "" {
		t.Errorf("the branch was made: %q", got)
	}
}

func TestBranchOfNothing(t *testing.T) {
	b := newBox(t)
	b.git("checkout", "-q", "--orphan", "fresh")
	b.ok(b.Branch(context.Background(), "other", ""))
	if got := b.git("symbolic-ref", "--short", "HEAD"); got != "other" {
		t.Errorf("on %s", got)
	}
}

func TestFollow(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.write("a", "2\n")
	two := b.commit()
	b.git("reset", "-q", "--hard", one)
	b.write("sub/new", "3\n")
	three := b.commit()
	b.write("b", "mine\n")
	b.write("sub/c", "staged\n")
	b.git("add", "sub/c")
	b.write("sub/c", "further\n")
	for _, to := range []string{two, three, three} {
		b.ok(b.Follow(ctx, "main", to))
		if b.git("rev-parse", "main") != to || b.git("symbolic-ref", "--short", "HEAD") != "main" {
			t.Error("not there")
		}
		b.wantStatus(" M b", "MM sub/c")
		b.wantBlob(":sub/c", "staged\n")
		b.wantFile("b", "mine\n")
	}
	b.wantFile("a", lines("a", 9))
	if err := b.Follow(ctx, "other", two); err == nil {
		t.Error("not checked out")
	}
}

func TestFastForward(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.git("checkout", "-q", "-b", "work")
	b.write("a", "2\n")
	two := b.commit()
	b.write("b", "mine\n")
	for range 2 {
		b.ok(b.FastForward(ctx, "main", two)) // nowhere checked out
	}
	b.wantStatus(" M b")
	b.git("update-ref", "refs/heads/main", one)
	dir := filepath.Join(realTemp(t), "m")
	b.git("worktree", "add", "-q", dir, "main")
	m := b.in(dir)
	m.write("b", "theirs\n")
	m.write("sub/c", "staged\n")
	m.git("add", "sub/c")
	m.write("untracked", "u\n")
	b.ok(b.FastForward(ctx, "main", two)) // in another worktree, with changes
	m.wantStatus(" M b", "M  sub/c", "?? untracked")
	m.wantFile("a", "2\n")
	m.wantFile("b", "theirs\n")
	b.wantFile("b", "mine\n")
	b.git("checkout", "-q", "b")
	b.write("b", "3\n")
	three := b.commit()
	err := b.FastForward(ctx, "main", three)
	if e := wantAs[*BlockedError](t, err); e.Dir != dir || !slices.Equal(e.Paths, []string{"b"}) {
		t.Errorf("got %+v", e)
	}
	m.wantFile("b", "theirs\n")
	m.write("b", lines("b", 9))
	m.git("commit", "-q", "-m", "diverged")
	e := wantAs[*NotFastForward](t, b.FastForward(ctx, "main", three))
	if e.Branch != "main" || e.At != m.git("rev-parse", "HEAD") || e.To != three {
		t.Errorf("got %+v", e)
	}
	b.ok(os.RemoveAll(dir))
	b.git("update-ref", "refs/heads/main", two)
	b.ok(b.FastForward(ctx, "main", three)) // in a worktree that is gone
	if err := b.FastForward(ctx, "none", three); !errors.Is(err, git.ErrNoRef) {
		t.Errorf("got %v", err)
	}
}
