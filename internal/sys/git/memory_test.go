package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func opened(t *testing.T) (box, Root) {
	b := newBox(t)
	repo, root, err := OpenRoot(b.Dir)
	b.ok(err)
	b.Repo = repo
	return b, root
}

// collect has git collect all that nothing refers to.
func (b box) collect() {
	b.t.Helper()
	b.git("reflog", "expire", "--expire=now", "--all")
	b.git("gc", "-q", "--prune=now")
}

func TestWhatHashesNameIsAskedOnce(t *testing.T) {
	b, _ := opened(t)
	b.write("f", "1")
	from := b.snap()
	b.write("f", "2")
	to := b.snap()
	ask := func(r Repo) (err error) {
		_, err1 := r.Trees().Changes(from, to)
		_, err2 := r.Trees().Content(to, "f", 10)
		_, err3 := r.Trees().Blobs(t.Context(), from, to)
		return errors.Join(err1, err2, err3)
	}
	b.ok(ask(b.Repo))
	b.ok(os.Remove(b.path("f")))
	b.commit()
	b.collect()
	if err := ask(b.Repo); err != nil {
		t.Errorf("asked again: %v", err)
	}
	if err := ask(Repo{Dir: b.Dir}); err == nil {
		t.Error("the objects are still there: nothing was shown")
	}
}

func TestWhatNamesStandForIsAskedAgain(t *testing.T) {
	b, _ := opened(t)
	first := b.commit()
	list, err := b.Commits("main")
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	b.write("f", "1")
	second := b.commit()
	if list, err = b.Commits("main"); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if files, err := b.Trees().Folder("main", "."); err != nil || len(files) != 1 {
		t.Errorf("%+v, %v", files, err)
	}
	// What a commit lacks now may be fetched yet.
	for _, c := range []struct {
		commit, from string
		want         bool
	}{{second, first, true}, {second, first, true}, {first, second, false}, {"main", first, true}} {
		if got, err := b.Descends(c.commit, c.from); err != nil || got != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	b.git("reset", "-q", "--hard", first)
	if got, err := b.Descends("main", second); err != nil || got {
		t.Errorf("main was moved back: %v, %v", got, err)
	}
}

// The past of a commit grows with a fetch where the repository is shallow.
func TestCommitsOfAShallowRepository(t *testing.T) {
	b, _ := opened(t)
	b.commit()
	b.commit()
	shallow := newBox(t)
	shallow.git("fetch", "-q", "--depth=1", "file://"+b.Dir, "main:kept")
	repo, err := Open(shallow.Dir)
	b.ok(err)
	tip := shallow.git("rev-parse", "kept")
	if list, err := repo.Commits(tip); err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	shallow.git("fetch", "-q", "--unshallow", "file://"+b.Dir, "main")
	if list, err := repo.Commits(tip); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestATreeThatWasCollectedIsMadeAgain(t *testing.T) {
	b, root := opened(t)
	b.write("f", "1")
	made, calls := b.snap(), 0
	ask := func(want int) {
		t.Helper()
		hash, err := root.MakeOnce("key", func() (string, error) { calls++; return made, nil })
		if err != nil || hash != made || calls != want {
			t.Errorf("%s, %v, made %d times; want %s, made %d times", hash, err, calls, made, want)
		}
	}
	ask(1)
	ask(1)
	b.ok(os.Remove(filepath.Join(b.path(".git/objects"), made[:2], made[2:])))
	ask(2)
}
