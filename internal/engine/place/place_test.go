package place_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/place"
	"warp/internal/sys/gitwrite"
	"warp/internal/testkit/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// newPlaces is a repository that does not ignore .claude.
func newPlaces(t *testing.T) *place.Places {
	t.Helper()
	root := gittest.Dir(t)
	gittest.Copy(t, root, gittest.Init+`echo one > code.txt; git add -A; git commit -qm begin`)
	tree, err := gitwrite.Open(root)
	gittest.Must(t, err)
	return &place.Places{Root: root, Work: tree}
}

func TestAWorkTreeIsMadeFoundAndRemoved(t *testing.T) {
	p := newPlaces(t)
	if p.Exists("a") {
		t.Error("it is there before it was made")
	}
	tree, err := p.Make(t.Context(), "a", "work/a", "main")
	gittest.Must(t, err)
	dir := place.Path(p.Root, "a")
	if tree.Top() != dir || !p.Exists("a") || dir != filepath.Join(p.Root, ".claude", "worktrees", "a") {
		t.Errorf("it is at %s", tree.Top())
	}
	if have := gittest.Sh(t, dir, "git branch --show-current; cat code.txt; git status --porcelain"); have != "work/a\none" {
		t.Errorf("it is %q", have)
	}
	gittest.Sh(t, dir, "echo two > code.txt")
	again, err := p.Make(t.Context(), "a", "work/a", "main")
	gittest.Must(t, err)
	if have := gittest.Sh(t, again.Top(), "cat code.txt"); have != "two" {
		t.Errorf("it was made anew: %q", have)
	}
	// What is not committed is not lost.
	if err := p.Remove(t.Context(), "a", "work/a", true); err == nil || !p.Exists("a") || gittest.Sh(t, dir, "cat code.txt") != "two" {
		t.Errorf("uncommitted work was removed: %v", err)
	} else if said, want := place.DescribeKept(p.Root, "a", err), "the work tree "+dir+" is kept: it has uncommitted changes: \"code.txt\"; commit or undo them"; said != want {
		t.Errorf("%s, not %s", said, want)
	}
	if said, want := place.DescribeKept(p.Root, "a", errors.New("no")), "the work tree "+dir+" is kept: no"; said != want {
		t.Errorf("%s, not %s", said, want)
	}
	gittest.Sh(t, dir, "git commit -qam two")
	gittest.Must(t, p.Remove(t.Context(), "a", "work/a", false))
	if have := gittest.Sh(t, p.Root, "git log --format=%s work/a; git worktree list | wc -l"); p.Exists("a") || have != "two\nbegin\n1" {
		t.Errorf("there is %q", have)
	}
}

// A work tree whose folder was removed is made again, with its branch.
func TestAFolderThatIsGoneIsMadeAgain(t *testing.T) {
	p := newPlaces(t)
	tree, err := p.Make(t.Context(), "a", "work/a", "main")
	gittest.Must(t, err)
	gittest.Sh(t, tree.Top(), "echo two > code.txt; git commit -qam two")
	gittest.Must(t, os.RemoveAll(tree.Top()))
	tree, err = p.Make(t.Context(), "a", "work/a", "main")
	gittest.Must(t, err)
	if have := gittest.Sh(t, tree.Top(), "cat code.txt"); have != "two" {
		t.Errorf("the branch began anew: %q", have)
	}
	gittest.Must(t, p.Remove(t.Context(), "a", "work/a", true))
	if have := gittest.Sh(t, p.Root, "git branch --format='%(refname:short)'"); have != "main" {
		t.Errorf("the branches are %q", have)
	}
}

// Git leaves a work tree locked when it is killed while it makes it.
func TestAHalfMadeWorkTreeIsMadeAnew(t *testing.T) {
	for _, left := range []string{"rm -rf .claude/worktrees/a", "rm .claude/worktrees/a/code.txt", "true"} {
		p := newPlaces(t)
		_, err := p.Make(t.Context(), "a", "work/a", "main")
		gittest.Must(t, err)
		gittest.Sh(t, p.Root, "echo initializing > .git/worktrees/a/locked; "+left)
		tree, err := p.Make(t.Context(), "a", "work/a", "main")
		gittest.Must(t, err)
		if have := gittest.Sh(t, tree.Top(), "cat code.txt; git status --porcelain; git worktree list --porcelain | grep -c locked || true"); have != "one\n0" {
			t.Errorf("%s: %q", left, have)
		}
	}
}

func TestAWorkTreeThatCannotBeMadeIsSaid(t *testing.T) {
	p := newPlaces(t)
	if _, err := p.Make(t.Context(), "a", "main", "main"); err == nil || !strings.Contains(err.Error(), "making a work tree for a") {
		t.Errorf("the branch that is checked out here is checked out there, too: %v", err)
	}
}

func TestFillBringsWhatIsNotCommitted(t *testing.T) {
	p := newPlaces(t)
	gittest.Sh(t, p.Root, "echo mine > code.txt; echo new > new.txt")
	repo := p.Work.Repo()
	filled, err := repo.Snapshot(".claude")
	gittest.Must(t, err)
	head, err := repo.Head()
	gittest.Must(t, err)
	tree, err := p.Make(t.Context(), "a", "work/a", head)
	gittest.Must(t, err)
	gittest.Must(t, place.Fill(t.Context(), tree, head, filled))
	if have := gittest.Sh(t, tree.Top(), "cat code.txt new.txt"); have != "mine\nnew" {
		t.Errorf("there is %q", have)
	}
	gittest.Must(t, place.Fill(t.Context(), tree, head, head)) // nothing
	if err := place.Fill(t.Context(), tree, head, strings.Repeat("1", 40)); err == nil {
		t.Error("a tree that is not there was filled in")
	}
}

// Warp's own folder is hidden, and a person's own rules are not overwritten.
func TestHide(t *testing.T) {
	p := newPlaces(t)
	gittest.Must(t, place.Hide(p.Root))
	gittest.Sh(t, p.Root, "echo x > .claude/x")
	if have := gittest.Sh(t, p.Root, "git status --porcelain"); have != "" {
		t.Errorf("git sees %q", have)
	}
	file := filepath.Join(p.Root, ".claude", ".gitignore")
	gittest.Must(t, os.WriteFile(file, []byte("mine\n"), 0o644))
	gittest.Must(t, place.Hide(p.Root))
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := place.Hide(filepath.Join(p.Root, "code.txt")); err == nil {
		t.Error("a file is no folder")
	}
}

// What is discarded goes with what is uncommitted in it, and need not be there.
func TestDiscard(t *testing.T) {
	p := newPlaces(t)
	for range 2 {
		tree, err := p.Make(t.Context(), "one", "warp/one", "HEAD")
		gittest.Must(t, err)
		gittest.Sh(t, tree.Dir, "echo x > new.txt")
		gittest.Must(t, p.Discard(t.Context(), "one", "warp/one"))
		if p.Exists("one") || gittest.Sh(t, p.Root, "git branch --list warp/one; git worktree list | wc -l") != "1" {
			t.Error("something is left:", gittest.Sh(t, p.Root, "git branch; git worktree list"))
		}
	}
	gittest.Must(t, p.Discard(t.Context(), "one", "warp/one"))
}

func TestABranchWithOtherCommitsIsLeftAlone(t *testing.T) {
	p := newPlaces(t)
	repo, head := p.Work.Repo(), gittest.Sh(t, p.Root, "git rev-parse HEAD")
	if have := place.FreeBranch(repo, "work/a", head); have != "work/a" {
		t.Errorf("a name that is free became %s", have)
	}
	gittest.Sh(t, p.Root, "git branch work/a; git commit -q --allow-empty -m two; git branch work/a-2")
	if have := place.FreeBranch(repo, "work/a", head); have != "work/a" {
		t.Errorf("a branch at the commit became %s", have)
	}
	if have := place.FreeBranch(repo, "work/a", strings.Repeat("0", 40)); have != "work/a-3" {
		t.Errorf("branches with other commits: %s", have)
	}
}

// A work tree is furnished once; what could not be brought is tried again.
func TestFurnishedOnce(t *testing.T) {
	p := newPlaces(t)
	var asked []string
	var says error = place.ErrUnfurnished
	p.Base = func() string { return "base" }
	p.Furnish = func(_ context.Context, tree gitwrite.Tree, commit, base string) error {
		asked = append(asked, filepath.Base(tree.Top())+" "+base)
		if commit != gittest.Sh(t, p.Root, "git rev-parse main") {
			t.Errorf("it is furnished for %s", commit)
		}
		return says
	}
	for _, says = range []error{place.ErrUnfurnished, nil, nil} {
		_, err := p.Make(t.Context(), "a", "work/a", "main")
		gittest.Must(t, err)
	}
	if have := strings.Join(asked, ","); have != "a base,a base" {
		t.Errorf("asked %q", have)
	}
	says = errors.New("broken")
	if _, err := p.Make(t.Context(), "b", "work/b", "main"); !errors.Is(err, says) {
		t.Errorf("%v", err)
	}
	p.Base = nil
	gittest.Must(t, p.Discard(t.Context(), "a", ""))
	if have := gittest.Sh(t, p.Root, "git branch --list work/a"); have == "" {
		t.Error("its branch is gone")
	}
	told := ""
	p.Moved = func(ref, to string) error { told = ref + to; return nil }
	gittest.Must(t, p.DropBranch(t.Context(), "work/a"))
	if told != "refs/heads/work/a" {
		t.Errorf("told %q", told)
	}
	p.Moved = func(string, string) error { return says }
	if err := p.DropBranch(t.Context(), "work/b"); !errors.Is(err, says) {
		t.Errorf("%v", err)
	}
}
