package gitwrite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWorktrees(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	head := b.git("rev-parse", "HEAD")
	sub := b.in(b.path("sub"))
	path := filepath.Join(realTemp(t), "odd \n name")
	if os.PathSeparator == '\\' {
		path = filepath.Join(realTemp(t), "w")
	}
	for range 2 {
		w, err := sub.AddWorktree(ctx, path, "warp/1", head)
		if err != nil || w.Dir != filepath.Join(path, "sub") || w.Top() != path {
			t.Fatalf("got %+v, %v", w, err)
		}
	}
	if _, err := b.AddWorktree(ctx, path+"2", "warp/1", head); err == nil {
		t.Error("one branch in two worktrees")
	}
	b.git("branch", "there")
	gone := filepath.Join(realTemp(t), "gone")
	_, err := b.AddWorktree(ctx, gone, "there", "")
	b.ok(err)
	b.ok(os.RemoveAll(gone))
	b.git("worktree", "lock", path)
	list, err := sub.Worktrees(ctx)
	want := []Worktree{{b.Dir, "main", head, false, false}, {path, "warp/1", head, true, false}, {gone, "there", head, false, true}}
	slices.SortFunc(list[1:], func(a, b Worktree) int { return len(b.Branch) - len(a.Branch) })
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("got %+v, %v", list, err)
	}
	b.ok(b.RemoveWorktree(ctx, gone, false))
	b.ok(b.RemoveWorktree(ctx, gone, false))
	if err := b.RemoveWorktree(ctx, path, false); err == nil {
		t.Error("it is locked")
	}
	b.git("worktree", "unlock", path)
	b.ok(b.RemoveWorktree(ctx, path, false))
	if list, err := b.Worktrees(ctx); err != nil || len(list) != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, bad := range []string{b.Dir, realTemp(t)} {
		if err := b.RemoveWorktree(ctx, bad, true); err == nil {
			t.Errorf("%s", bad)
		}
	}
}

// The only work tree is told without git, and as git tells it.
func TestTheOnlyWorktree(t *testing.T) {
	b := newBox(t)
	for _, checkOut := range [][]string{{"switch", "-q", "-c", "a/b"}, {"switch", "-q", "--detach"}, {"switch", "-q", "--orphan", "unborn"}} {
		b.git(checkOut...)
		want := parseWorktrees(b.git("worktree", "list", "--porcelain", "-z")+"\x00\x00", "\x00")
		if got, err := b.Worktrees(context.Background()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", checkOut, got, err, want)
		}
	}
	b.git("switch", "-q", "main")
	if _, ok := b.onlyWorktree(); !ok {
		t.Error("git was asked for the only work tree")
	}
	b.git("worktree", "add", "-q", "--detach", filepath.Join(realTemp(t), "other"))
	if w, ok := b.onlyWorktree(); ok {
		t.Errorf("%+v is not the only one", w)
	}
}

func TestRemoveWorktreeKeepsWork(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	path := filepath.Join(realTemp(t), "w")
	tree, err := b.AddWorktree(ctx, path, "work", "main")
	b.ok(err)
	w := box{tree, t}
	for _, name := range []string{"a", "untracked"} {
		w.write(name, "mine\n")
		e := wantAs[*HeldError](t, b.RemoveWorktree(ctx, path, true))
		if !slices.Equal(e.Uncommitted, []string{name}) || e.Unmerged != 0 {
			t.Errorf("got %+v", e)
		}
		w.commit()
	}
	if e := wantAs[*HeldError](t, b.RemoveWorktree(ctx, path, false)); e.Unmerged != 2 {
		t.Errorf("got %+v", e)
	}
	w.git("checkout", "-q", "--detach")
	w.commit()
	if e := wantAs[*HeldError](t, b.RemoveWorktree(ctx, path, true)); e.Unmerged != 1 {
		t.Errorf("got %+v", e)
	}
	w.git("checkout", "-q", "work")
	b.ok(b.FastForward(ctx, "main", w.git("rev-parse", "work")))
	b.ok(b.RemoveWorktree(ctx, path, false))
	if b.git("rev-parse", "work") != b.git("rev-parse", "main") {
		t.Error("the branch is gone")
	}
	b.ok(b.Prune(ctx))
}
