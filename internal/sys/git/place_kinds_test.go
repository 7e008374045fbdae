package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

func TestAPlaceOfASubmodule(t *testing.T) {
	lib, b := newBox(t), newBox(t)
	lib.commit()
	b.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.Dir, "sub")
	sub := b.in(b.path("sub"))
	p := sub.place()
	if p.Top != sub.Dir || p.GitDir() != b.path(".git/modules/sub") || p.Common() != p.GitDir() {
		t.Errorf("found %+v", p)
	}
	if on, err := p.Checked(); on != "main" || err != nil || p.mustTip(t, "main") != sub.git("rev-parse", "HEAD") {
		t.Errorf("on %q, %v", on, err)
	}
}

func TestAPlaceWhoseGitFolderIsElsewhere(t *testing.T) {
	b := newBox(t)
	hash := b.commit()
	elsewhere := filepath.Join(realTemp(t), "repo.git")
	b.git("init", "-q", "--separate-git-dir", elsewhere)
	p := b.place()
	if p.Top != b.Dir || p.GitDir() != elsewhere || p.mustTip(t, "main") != hash {
		t.Errorf("found %+v", p)
	}
}

func TestAGitFolderBehindALinkIsFound(t *testing.T) {
	notOnWindows(t)
	dir := realTemp(t)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o755), os.Symlink(dir, filepath.Join(dir, ".git"))); err != nil { // a folder by another name
		t.Fatal(err)
	}
	if p, ok := Locate(dir); !ok || p.Top != dir {
		t.Errorf("found %+v, %v", p, ok)
	}
}

// A packed reference is found by its whole name, in whatever company.
func TestPackedReferencesAreToldApart(t *testing.T) {
	b := newBox(t)
	one := b.commit()
	b.git("branch", "topic")
	b.git("tag", "-a", "-m", "x", "v1")
	b.git("commit", "-q", "--allow-empty", "-m", "two")
	b.git("branch", "topic2")
	b.git("branch", "deep/topic")
	b.git("pack-refs", "--all", "--prune")
	two, p := b.git("rev-parse", "HEAD"), b.place()
	for branch, want := range map[string]string{"topic": one, "topic2": two, "deep/topic": two, "main": two, "top": "", "opic": "", "v1": "", "deep": ""} {
		if got := p.mustTip(t, branch); got != want {
			t.Errorf("%s is %q, want %q", branch, got, want)
		}
	}
	b.git("branch", "-q", "-D", "topic")
	if got := p.mustTip(t, "topic"); got != "" {
		t.Errorf("deleted, and still %q", got)
	}
}

// Git leaves empty folders behind, and a power cut an empty file.
func TestABranchThatIsNoWholeFileIsLookedUpAmongThePacked(t *testing.T) {
	b := newBox(t)
	hash := b.commit()
	b.git("branch", "a")
	b.git("branch", "b")
	b.git("pack-refs", "--all", "--prune")
	b.ok(os.MkdirAll(b.path(".git/refs/heads/a"), 0o755))
	b.write(".git/refs/heads/b", "")
	for _, branch := range []string{"a", "b"} {
		if got := b.place().mustTip(t, branch); got != hash {
			t.Errorf("%s is %q", branch, got)
		}
	}
}

func TestASymbolicBranchLeadsOnToAPackedOne(t *testing.T) {
	b := newBox(t)
	hash := b.commit()
	b.git("branch", "real")
	b.git("pack-refs", "--all", "--prune")
	b.git("symbolic-ref", "refs/heads/alias", "refs/heads/real")
	b.git("symbolic-ref", "refs/heads/alias2", "refs/heads/alias")
	if got := b.place().mustTip(t, "alias2"); got != hash {
		t.Errorf("led to %q", got)
	}
	b.git("symbolic-ref", "refs/heads/nowhere", "refs/heads/none")
	if got := b.place().mustTip(t, "nowhere"); got != "" {
		t.Errorf("led to %q", got)
	}
}

func TestAPlaceOfARepositoryWithReftables(t *testing.T) {
	b := newBox(t)
	b.ok(os.RemoveAll(b.path(".git")))
	if out, err := b.try("init", "-q", "-b", "main", "--ref-format=reftable"); err != nil {
		need.NotRun(t, "this git makes no reftables: "+strings.SplitN(out, "\n", 2)[0])
	}
	p := b.place()
	if on, err := p.Checked(); on != "main" || err != nil || p.mustTip(t, "main") != "" {
		t.Errorf("unborn: %q, %v", on, err)
	}
	hash := b.commit()
	b.git("branch", "topic")
	for branch, want := range map[string]string{"main": hash, "topic": hash, "none": ""} {
		if got := p.mustTip(t, branch); got != want {
			t.Errorf("%s is %q, want %q", branch, got, want)
		}
	}
	b.git("checkout", "-q", "--detach")
	if on, err := p.Checked(); on != "" || err != nil {
		t.Errorf("detached: %q, %v", on, err)
	}
}

func TestWhereTheHooksAre(t *testing.T) {
	b := newBox(t)
	if dir, ok := b.place().HooksPath(); ok {
		t.Errorf("unset, and %q", dir)
	}
	b.git("config", "core.hooksPath", "scripts/hooks")
	if dir, ok := b.place().HooksPath(); !ok || dir != b.path("scripts/hooks") {
		t.Errorf("relative: %q, %v", dir, ok)
	}
	away := realTemp(t)
	b.git("config", "core.hooksPath", away)
	if dir, ok := b.place().HooksPath(); !ok || dir != away {
		t.Errorf("absolute: %q, %v", dir, ok)
	}
	b.git("config", "--unset", "core.hooksPath")
	b.git("config", "user.name", "hooksPath") // only spoken of
	if dir, ok := b.place().HooksPath(); ok {
		t.Errorf("unset again, and %q", dir)
	}
	b.write(".git/config", "[core\nhookspath") // broken: git will not run at all
	if dir, ok := b.place().HooksPath(); ok {
		t.Errorf("broken, and %q", dir)
	}
}

func TestTheWorktreesOfABareRepository(t *testing.T) {
	b := newBox(t)
	b.commit()
	bare := filepath.Join(realTemp(t), "bare.git")
	b.git("clone", "-q", "--bare", b.Dir, bare)
	first, second := filepath.Join(realTemp(t), "first"), filepath.Join(realTemp(t), "second")
	in := b.in(bare)
	in.git("worktree", "add", "-q", "-b", "one", first)
	in.git("worktree", "add", "-q", "-b", "two", second)
	for _, p := range []Place{At(bare), b.in(first).place()} {
		if got := p.Worktrees(); !slices.Equal(got, []string{first, second}) {
			t.Errorf("from %+v: %q", p, got)
		}
	}
	if p := b.in(second).place(); p.Common() != bare || p.GitDir() == bare {
		t.Errorf("found %+v", p)
	}
}

func TestCommitsOfWhatGitDoesNotHave(t *testing.T) {
	b := newBox(t)
	hash := b.commit()
	missing := strings.Repeat("ab", 20)
	if list, err := b.Commits(missing); err == nil {
		t.Errorf("commits of nothing: %v", list)
	}
	if list, err := b.Commits("--all"); err == nil {
		t.Errorf("a name that looks like a flag: %v", list)
	}
	if ok, err := b.Descends(hash, missing); err == nil || ok {
		t.Errorf("descends from nothing: %v, %v", ok, err)
	}
	if files, err := b.Files(missing); err == nil {
		t.Errorf("files of nothing: %v", files)
	}
}
