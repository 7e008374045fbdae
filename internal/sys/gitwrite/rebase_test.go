package gitwrite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warp/internal/core/text"
)

// forked is a box with main one commit further and a branch of two commits,
// checked out, whose first conflicts with it in a and whose second, when asked
// for, in b.
func forked(t *testing.T, twice bool) (b box, tip, onto string) {
	b = newBox(t)
	b.git("checkout", "-q", "-b", "work")
	b.write("a", with(lines("a", 9), "a5", "work"))
	b.write("w", "1\n")
	b.commit()
	b.write("w", "2\n")
	if twice {
		b.write("b", with(lines("b", 9), "b5", "work"))
	}
	tip = b.commit()
	b.git("checkout", "-q", "main")
	b.write("a", with(lines("a", 9), "a5", "main"))
	if twice {
		b.ok(os.Remove(b.path("b")))
	}
	onto = b.commit()
	b.git("checkout", "-q", "work")
	b.write("sub/c", "mine\n")
	return b, tip, onto
}

func (b box) gone(dir string) {
	b.t.Helper()
	if _, err := os.Lstat(dir); err == nil {
		b.t.Errorf("%s is still there", dir)
	}
	if w, err := b.Worktrees(context.Background()); err != nil || len(w) != 1 {
		b.t.Errorf("worktrees %+v, %v", w, err)
	}
}

func TestRebase(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	one := b.git("rev-parse", "HEAD")
	b.write("a", "main\n")
	main := b.commit()
	b.git("checkout", "-q", "-b", "work", one)
	b.write("b", "work\n")
	tip := b.commit()
	b.write("a", "mine, in the way of a checkout\n")
	for _, c := range []struct{ tip, onto, want string }{{tip, one, tip}, {one, main, main}} {
		if got, conflict, err := b.Apart().Rebase(ctx, c.tip, c.onto); err != nil || conflict != nil || got != c.want {
			t.Errorf("got %s, %+v, %v", got, conflict, err)
		}
	}
	got, conflict, err := b.Apart().Rebase(ctx, tip, main)
	if err != nil || conflict != nil || b.git("rev-parse", got+"^") != main || b.git("rev-parse", "work") != tip {
		t.Errorf("got %s, %+v, %v", got, conflict, err)
	}
	b.wantBlob(got+":b", "work\n")
	b.wantFile("a", "mine, in the way of a checkout\n")
	b.gone(filepath.Join(b.Apart().folder(), "x"))
	wantAs[*BlockedError](t, b.Follow(ctx, "work", got))
	b.git("checkout", "-q", "a")
	b.ok(b.Follow(ctx, "work", got))
	b.wantFile("a", "main\n")
}

func TestRebaseConflictResolved(t *testing.T) {
	b, tip, onto := forked(t, true)
	ctx := context.Background()
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	if err != nil || c == nil || !slices.Equal(c.Files, []string{"a"}) {
		t.Fatalf("got %+v, %v", c, err)
	}
	// Asked again, as after a crash, it is the same, with what was done there.
	in := b.in(c.Dir)
	in.write("notes", "half resolved\n")
	_, again, err := b.Apart().Rebase(ctx, tip, onto)
	if err != nil || again == nil || again.Dir != c.Dir || !slices.Equal(again.Files, c.Files) {
		t.Fatalf("got %+v, %v", again, err)
	}
	in.wantFile("notes", "half resolved\n")
	in.git("add", "-A") // markers and all
	_, _, err = b.Apart().Resume(ctx, c.Dir)
	if e := wantAs[*UnresolvedError](t, err); !slices.Equal(e.Paths, []string{"a"}) {
		t.Errorf("got %+v", e)
	}
	in.write("a", with(lines("a", 9), "a5", "both"))
	_, c, err = b.Apart().Resume(ctx, c.Dir)
	if err != nil || c == nil || !slices.Equal(c.Files, []string{"b"}) {
		t.Fatalf("got %+v, %v", c, err)
	}
	// One side has deleted it, so there are no markers.
	_, _, err = b.Apart().Resume(ctx, c.Dir)
	wantAs[*UnresolvedError](t, err)
	in.git("rm", "-q", "b")
	got, c, err := b.Apart().Resume(ctx, in.Dir)
	if err != nil || c != nil {
		t.Fatalf("got %+v, %v", c, err)
	}
	b.wantBlob(got+":a", with(lines("a", 9), "a5", "both"))
	b.wantBlob(got+":w", "2\n")
	if b.git("rev-parse", got+"~2") != onto || b.git("rev-parse", "work") != tip {
		t.Error("not as it should be")
	}
	b.wantStatus(" M sub/c")
	b.gone(in.Dir)
}

func TestRebaseResolvedToNothing(t *testing.T) {
	b, tip, onto := forked(t, false)
	ctx := context.Background()
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	in := b.in(c.Dir)
	in.write("a", with(lines("a", 9), "a5", "main"))
	b.ok(os.Remove(in.path("w")))
	_, c, err = b.Apart().Resume(ctx, in.Dir) // the next commit changes what is not there
	if err != nil || c == nil || !slices.Equal(c.Files, []string{"w"}) {
		t.Fatalf("got %+v, %v", c, err)
	}
	in.git("add", "w")
	got, c, err := b.Apart().Resume(ctx, in.Dir)
	if err != nil || c != nil || b.git("rev-parse", got+"^") != onto {
		t.Fatalf("got %s, %+v, %v", got, c, err)
	}
}

func TestRebaseAbandoned(t *testing.T) {
	b, tip, onto := forked(t, false)
	ctx := context.Background()
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	for range 2 {
		b.ok(b.Apart().Abandon(ctx, c.Dir))
	}
	b.gone(c.Dir)
	if _, _, err := b.Apart().Resume(ctx, c.Dir); err == nil {
		t.Error("resumed")
	}
	for _, dir := range []string{b.Dir, filepath.Join(b.common, "rebase-x"), b.Apart().folder(), filepath.Join(b.Apart().folder(), "issue-1")} {
		if err := b.Apart().Abandon(ctx, dir); err == nil {
			t.Errorf("%s", dir)
		}
	}
}

func TestRebaseGoneOnByHand(t *testing.T) {
	b, tip, onto := forked(t, false)
	ctx := context.Background()
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	b.in(c.Dir).git("rebase", "--abort")
	if _, _, err := b.Apart().Resume(ctx, c.Dir); err == nil {
		t.Error("an aborted one has no result")
	}
	// It begins anew, also over what is half made.
	_, c, err = b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	in := b.in(c.Dir)
	in.write("a", "resolved\n")
	in.git("add", "-A")
	in.git("-c", "core.editor=true", "rebase", "--continue")
	got, c, err := b.Apart().Resume(ctx, in.Dir)
	if err != nil || c != nil {
		t.Fatalf("got %+v, %v", c, err)
	}
	b.wantBlob(got+":a", "resolved\n")
	b.gone(in.Dir)
}

func TestRebaseAfterACrash(t *testing.T) {
	b, tip, onto := forked(t, false)
	dir := filepath.Join(b.Apart().folder(), "rebase-"+text.Hash(tip)+"-"+text.Hash(onto))
	b.ok(os.MkdirAll(dir, 0o755))
	b.ok(os.WriteFile(filepath.Join(dir, "half"), nil, 0o644))
	if _, c, err := b.Apart().Rebase(context.Background(), tip, onto); err != nil || c == nil || c.Dir != dir {
		t.Errorf("got %+v, %v", c, err)
	}
}

// What would move another person's branch is not continued.
func TestRebaseOnSomeonesBranch(t *testing.T) {
	b, tip, onto := forked(t, false)
	ctx := context.Background()
	b.git("branch", "theirs", onto)
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	in := b.in(c.Dir)
	in.write("a", "resolved\n")
	in.git("symbolic-ref", "HEAD", "refs/heads/theirs")
	if _, _, err := b.Apart().Resume(ctx, c.Dir); err == nil || b.git("rev-parse", "theirs") != onto {
		t.Errorf("got %v, theirs is at %s", err, b.git("rev-parse", "theirs"))
	}
}

// What an agent keeps for itself is no part of the resolution; what the
// repository has of it is.
func TestRebaseLeavesOutTheAgentsOwn(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	b.write("sub/.claude/settings.json", "1\n")
	one := b.commit()
	b.write("sub/.claude/settings.json", "main\n")
	onto := b.commit()
	b.git("checkout", "-q", "-b", "work", one)
	b.write("sub/.claude/settings.json", "work\n")
	tip := b.commit()
	_, c, err := b.Apart().Rebase(ctx, tip, onto)
	b.ok(err)
	in := b.in(c.Dir)
	in.write("sub/.claude/settings.json", "both\n")
	in.write("sub/.claude/state/memory", "own\n")
	in.write(".claude/memory", "own\n")
	in.write("new", "new\n")
	got, c, err := b.Apart().Resume(ctx, c.Dir)
	if err != nil || c != nil {
		t.Fatalf("got %+v, %v", c, err)
	}
	if have := b.git("diff", "--name-only", onto, got); have != "new\nsub/.claude/settings.json" {
		t.Errorf("committed are %q", have)
	}
}

func TestMarked(t *testing.T) {
	b := newBox(t)
	for text, want := range map[string]bool{
		"<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> 1\n":       true,
		"<<<<<<< HEAD\r\nx\r\n=======\r\ny\r\n>>>>>>> 1": true,
		"Title\n=======\n":                               false,
		"<<<<<<<<< x\n=======\n>>>>>>>>> y\n":            false,
		"a <<<<<<< HEAD\n=======\n>>>>>>> 1\n":           false,
		"":                                               false,
	} {
		b.write("f", text)
		if got := marked(b.path("f")); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
