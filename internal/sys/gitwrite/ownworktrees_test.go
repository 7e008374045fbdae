package gitwrite

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// From whichever work tree: what is made apart is under the main one, at the
// same folder, has only what was committed, and is found and removed.
func TestCheckout(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	b.write(".gitignore", "*.o\n")
	tip := b.commit()
	b.write("x.o", "ignored\n")
	b.write("a", "mine\n")
	b.git("worktree", "add", "-q", "-b", "other", "../other-"+filepath.Base(b.Dir))
	other := filepath.Join(filepath.Dir(b.Dir), "other-"+filepath.Base(b.Dir))
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	for _, from := range []string{b.Dir, other} {
		here := b.in(filepath.Join(from, "sub"))
		for range 2 { // once more, over what a crash has left
			apart, err := here.Apart().Checkout(ctx, "x", tip)
			b.ok(err)
			in := box{apart, t}
			in.wantFile("c", "c\n")
			in.wantFile("../a", lines("a", 9))
			if _, err := os.Lstat(in.path("../x.o")); err == nil {
				t.Error("what is ignored came along")
			}
			if want := filepath.Join(b.Dir, "sub", ".claude", "worktrees"); filepath.Dir(apart.Top()) != want {
				t.Errorf("it is at %s, want it in %s", apart.Top(), want)
			}
			in.write("../left", "x")
			if list, err := b.in(filepath.Join(b.Dir, "sub")).Apart().List(); err != nil || len(list) != 1 || list[0] != apart.Top() {
				t.Errorf("found are %q, %v", list, err)
			}
		}
		list, _ := here.Apart().List()
		b.ok(here.Apart().Abandon(ctx, list[0]))
		if list, err := here.Apart().List(); err != nil || len(list) != 0 {
			t.Errorf("left are %q, %v", list, err)
		}
	}
	if w, err := b.Worktrees(ctx); err != nil || len(w) != 2 {
		t.Errorf("worktrees %+v, %v", w, err)
	}
	if _, err := b.Apart().Checkout(ctx, "x", "main"); err == nil {
		t.Error("a name was taken for a hash")
	}
	if _, err := b.Apart().Checkout(ctx, "x/../../y", tip); err == nil {
		t.Error("it was made elsewhere")
	}
}
