package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func (b box) place() Place {
	b.t.Helper()
	p, ok := Locate(b.Dir)
	if !ok {
		b.t.Fatal("the repository is not found")
	}
	return p
}

func (p Place) mustTip(t *testing.T, branch string) string {
	t.Helper()
	hash, err := p.Tip(branch)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestAPlaceReadsWhatGitReads(t *testing.T) {
	b := newBox(t)
	p := b.place()
	if on, err := p.Checked(); on != "main" || err != nil || p.mustTip(t, "main") != "" {
		t.Errorf("unborn: %q, %v", on, err)
	}
	b.write("a", "1")
	b.git("add", ".")
	b.git("commit", "-qm", "one")
	b.git("branch", "topic/deep")
	head := b.git("rev-parse", "HEAD")
	for _, branch := range []string{"main", "topic/deep"} {
		if got := p.mustTip(t, branch); got != head {
			t.Errorf("%s is %q, want %q", branch, got, head)
		}
	}
	b.git("pack-refs", "--all", "--prune")
	if got := p.mustTip(t, "topic/deep"); got != head {
		t.Errorf("packed: %q", got)
	}
	b.git("commit", "-q", "--allow-empty", "-m", "two") // loose again, over the packed one
	if got, want := p.mustTip(t, "main"), b.git("rev-parse", "HEAD"); got != want || got == head {
		t.Errorf("loose over packed: %q, want %q", got, want)
	}
	b.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	if got, want := p.mustTip(t, "alias"), b.git("rev-parse", "HEAD"); got != want {
		t.Errorf("symbolic: %q, want %q", got, want)
	}
	if got := p.mustTip(t, "topic"); got != "" { // a folder of branches, not a branch
		t.Errorf("a folder: %q", got)
	}
	b.git("checkout", "-q", "--detach")
	if on, err := p.Checked(); on != "" || err != nil {
		t.Errorf("detached: %q, %v", on, err)
	}
	b.git("symbolic-ref", "refs/heads/x", "refs/heads/y")
	b.git("symbolic-ref", "refs/heads/y", "refs/heads/x")
	if _, err := p.Tip("x"); err == nil {
		t.Error("a circle is no error")
	}
}

func TestAPlaceOfALinkedWorktree(t *testing.T) {
	b := newBox(t)
	b.git("commit", "-q", "--allow-empty", "-m", "one")
	other := filepath.Join(realTemp(t), "other")
	b.git("worktree", "add", "-q", "-b", "topic", other)
	sub := filepath.Join(other, "deep")
	b.ok(os.Mkdir(sub, 0o755))
	p, ok := Locate(sub)
	if !ok || p.Top != other {
		t.Fatalf("found %+v", p)
	}
	on, err := p.Checked()
	if on != "topic" || err != nil || p.mustTip(t, "main") != b.git("rev-parse", "main") {
		t.Errorf("on %q, %v", on, err)
	}
	for _, from := range []Place{p, b.place(), At(p.GitDir()), At(b.place().GitDir())} {
		if got := from.Worktrees(); !slices.Equal(got, []string{b.Dir, other}) {
			t.Errorf("worktrees %q from %+v", got, from)
		}
	}
	if At(p.GitDir()).Top != other || At(b.place().GitDir()).Top != b.Dir {
		t.Error("the top of a git folder")
	}
}

func TestNoPlace(t *testing.T) {
	if p, ok := Locate(realTemp(t)); ok {
		t.Errorf("found %+v", p)
	}
	empty := realTemp(t)
	if err := os.MkdirAll(filepath.Join(empty, ".git", "warp-drives"), 0o755); err != nil {
		t.Fatal(err)
	}
	if p, ok := Locate(empty); ok {
		t.Errorf("a folder without a repository in it is taken for one: %+v", p)
	}
	dir := realTemp(t)
	if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := Locate(dir); ok {
		t.Error("a file that leads nowhere is taken for a repository")
	}
}

func TestCommitsOfASpan(t *testing.T) {
	b := newBox(t)
	b.write("a", "1")
	b.git("add", ".")
	b.git("commit", "-qm", "feat: one\n\nbody\n")
	first := b.git("rev-parse", "HEAD")
	b.write("docs/b c.md", "1")
	b.git("add", ".")
	b.git("commit", "-qm", "fix: two")
	second := b.git("rev-parse", "HEAD")
	all, err := b.Commits(second, "")
	want := []Commit{{first, "feat: one\n\nbody"}, {second, "fix: two"}}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("got %q, %v", all, err)
	}
	if some, err := b.Commits(second, first); err != nil || !slices.Equal(some, want[1:]) {
		t.Errorf("got %q, %v", some, err)
	}
	if none, err := b.Commits(second, first, second); err != nil || len(none) != 0 {
		t.Errorf("got %q, %v", none, err)
	}
	if files, err := b.Files(second); err != nil || !slices.Equal(files, []string{"docs/b c.md"}) {
		t.Errorf("files %q, %v", files, err)
	}
	if files, err := b.Files(first); err != nil || !slices.Equal(files, []string{"a"}) {
		t.Errorf("files of the first %q, %v", files, err)
	}
	for _, c := range []struct {
		commit, from string
		want         bool
	}{{second, first, true}, {first, second, false}, {first, first, true}} {
		if got, err := b.Descends(c.commit, c.from); err != nil || got != c.want {
			t.Errorf("Descends(%s, %s) = %v, %v", c.commit, c.from, got, err)
		}
	}
	loose := b.git("commit-tree", "-m", "loose", "HEAD^{tree}")
	if named, err := b.Named(loose); err != nil || named {
		t.Errorf("a loose commit is named: %v, %v", named, err)
	}
	if named, err := b.Named(second); err != nil || !named {
		t.Errorf("the branch's commit is not named: %v, %v", named, err)
	}
}

func TestAlias(t *testing.T) {
	b := newBox(t)
	b.git("config", "alias.ci", "commit -v")
	if got, ok := b.Alias("ci"); !ok || got != "commit -v" {
		t.Errorf("got %q, %v", got, ok)
	}
	for _, name := range []string{"none", "a\nb", "", "a=b"} {
		if got, ok := b.Alias(name); ok {
			t.Errorf("%q is %q", name, got)
		}
	}
}

func TestTheFilesOfAMergeAreThoseItBrings(t *testing.T) {
	b := newBox(t)
	b.git("commit", "-q", "--allow-empty", "-m", "one")
	b.git("switch", "-q", "-c", "side")
	b.write("s", "1")
	b.git("add", ".")
	b.git("commit", "-qm", "side")
	b.git("switch", "-q", "main")
	b.write("m", "1")
	b.git("add", ".")
	b.git("commit", "-qm", "main")
	b.git("merge", "-q", "--no-edit", "side")
	if files, err := b.Files("HEAD"); err != nil || !slices.Equal(files, []string{"s"}) {
		t.Errorf("files %q, %v", files, err)
	}
}
