package place_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/place"
	"warp/internal/sys/work"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPlaces is a repository that does not ignore .claude.
func newPlaces(t *testing.T) *place.Places {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	sh(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
echo one > code.txt; git add -A; git commit -qm begin`)
	tree, err := work.Open(root)
	must(t, err)
	return &place.Places{Root: root, Work: tree}
}

func TestAWorkTreeIsMadeFoundAndRemoved(t *testing.T) {
	p := newPlaces(t)
	if p.Exists("a") {
		t.Error("it is there before it was made")
	}
	tree, err := p.Make(t.Context(), "a", "work/a", "main")
	must(t, err)
	dir := place.Path(p.Root, "a")
	if tree.Top() != dir || !p.Exists("a") || dir != filepath.Join(p.Root, ".claude", "worktrees", "a") {
		t.Errorf("it is at %s", tree.Top())
	}
	if have := sh(t, dir, "git branch --show-current; cat code.txt; git status --porcelain"); have != "work/a\none" {
		t.Errorf("it is %q", have)
	}
	sh(t, dir, "echo two > code.txt")
	again, err := p.Make(t.Context(), "a", "work/a", "main")
	must(t, err)
	if have := sh(t, again.Top(), "cat code.txt"); have != "two" {
		t.Errorf("it was made anew: %q", have)
	}
	// What is not committed is not lost.
	if err := p.Remove(t.Context(), "a", "work/a", true); err == nil || !p.Exists("a") || sh(t, dir, "cat code.txt") != "two" {
		t.Errorf("uncommitted work was removed: %v", err)
	}
	sh(t, dir, "git commit -qam two")
	must(t, p.Remove(t.Context(), "a", "work/a", false))
	if have := sh(t, p.Root, "git log --format=%s work/a; git worktree list | wc -l"); p.Exists("a") || have != "two\nbegin\n1" {
		t.Errorf("there is %q", have)
	}
}

// A work tree whose folder somebody removed is made again, with its branch.
func TestAFolderThatIsGoneIsMadeAgain(t *testing.T) {
	p := newPlaces(t)
	tree, err := p.Make(t.Context(), "a", "work/a", "main")
	must(t, err)
	sh(t, tree.Top(), "echo two > code.txt; git commit -qam two")
	must(t, os.RemoveAll(tree.Top()))
	tree, err = p.Make(t.Context(), "a", "work/a", "main")
	must(t, err)
	if have := sh(t, tree.Top(), "cat code.txt"); have != "two" {
		t.Errorf("the branch began anew: %q", have)
	}
	must(t, p.Remove(t.Context(), "a", "work/a", true))
	if have := sh(t, p.Root, "git branch --format='%(refname:short)'"); have != "main" {
		t.Errorf("the branches are %q", have)
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
	sh(t, p.Root, "echo mine > code.txt; echo new > new.txt")
	repo := p.Work.Repo()
	filled, err := repo.Snapshot(".claude")
	must(t, err)
	head, err := repo.Head()
	must(t, err)
	tree, err := p.Make(t.Context(), "a", "work/a", head)
	must(t, err)
	must(t, place.Fill(t.Context(), tree, head, filled))
	if have := sh(t, tree.Top(), "cat code.txt new.txt"); have != "mine\nnew" {
		t.Errorf("there is %q", have)
	}
	must(t, place.Fill(t.Context(), tree, head, head)) // nothing
	if err := place.Fill(t.Context(), tree, head, strings.Repeat("1", 40)); err == nil {
		t.Error("a tree that is not there was filled in")
	}
}

// Warp's own folder is hidden, and a person's own rules are not overwritten.
func TestHide(t *testing.T) {
	p := newPlaces(t)
	must(t, place.Hide(p.Root))
	sh(t, p.Root, "echo x > .claude/x")
	if have := sh(t, p.Root, "git status --porcelain"); have != "" {
		t.Errorf("git sees %q", have)
	}
	file := filepath.Join(p.Root, ".claude", ".gitignore")
	must(t, os.WriteFile(file, []byte("mine\n"), 0o644))
	must(t, place.Hide(p.Root))
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
		must(t, err)
		sh(t, tree.Dir, "echo x > new.txt")
		must(t, p.Discard(t.Context(), "one", "warp/one"))
		if p.Exists("one") || sh(t, p.Root, "git branch --list warp/one; git worktree list | wc -l") != "1" {
			t.Error("something is left:", sh(t, p.Root, "git branch; git worktree list"))
		}
	}
	must(t, p.Discard(t.Context(), "one", "warp/one"))
}

func TestABranchWithOtherCommitsIsLeftAlone(t *testing.T) {
	p := newPlaces(t)
	repo, head := p.Work.Repo(), sh(t, p.Root, "git rev-parse HEAD")
	if have := place.FreeBranch(repo, "work/a", head); have != "work/a" {
		t.Errorf("a name that is free became %s", have)
	}
	sh(t, p.Root, "git branch work/a; git commit -q --allow-empty -m two; git branch work/a-2")
	if have := place.FreeBranch(repo, "work/a", head); have != "work/a" {
		t.Errorf("a branch at the commit became %s", have)
	}
	if have := place.FreeBranch(repo, "work/a", strings.Repeat("0", 40)); have != "work/a-3" {
		t.Errorf("branches with other commits: %s", have)
	}
}
