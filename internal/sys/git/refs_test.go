package git

import (
	"errors"
	"testing"
)

func TestHeadAndBranch(t *testing.T) {
	b := newBox(t)
	check := func(what, head, branch string) {
		t.Helper()
		h, err1 := b.Head()
		br, err2 := b.Branch()
		if err := errors.Join(err1, err2); err != nil || h != head || br != branch {
			t.Errorf("%s: %q on %q, %v; want %q on %q", what, h, br, err, head, branch)
		}
	}
	check("unborn", "", "main")
	sha := b.commit()
	check("born", sha, "main")
	b.git("checkout", "-q", "-b", "topic/one")
	check("with a slash", sha, "topic/one")
	b.git("checkout", "-q", "--detach")
	check("detached", sha, "")
	b.git("checkout", "-q", "--orphan", "new")
	check("orphan", "", "new")
}

func TestHeadThatIsBroken(t *testing.T) {
	b := newBox(t)
	b.commit()
	b.write(".git/refs/heads/main", "nonsense\n")
	if h, err := b.Head(); err == nil {
		t.Errorf("got %q", h)
	}
}

func TestRef(t *testing.T) {
	b := newBox(t)
	sha := b.commit()
	b.git("tag", "-a", "-m", "m", "v1")
	b.git("update-ref", "refs/warp/tree", sha+"^{tree}")
	tree := b.git("rev-parse", "HEAD^{tree}")
	b.write("topic", "a file with the name of a branch")
	b.git("branch", "topic")
	for name, want := range map[string]string{
		"HEAD": sha, "main": sha, "refs/heads/main": sha, "heads/main": sha, "v1": sha, "topic": sha, "refs/warp/tree": tree,
	} {
		if got, err := b.Ref(name); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "none", "refs/heads/none", "--all", "-q", "main~0", "main^{tree}", ":/m", "HEAD:topic", "main..topic", "@{0}", "ma in", "main\n"} {
		if got, err := b.Ref(name); !errors.Is(err, ErrNoRef) || got != "" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

func TestMainBranch(t *testing.T) {
	for name, c := range map[string]struct {
		make func(b box)
		want string
	}{
		"unborn":   {func(b box) {}, "main"},
		"renamed":  {func(b box) { b.git("symbolic-ref", "HEAD", "refs/heads/trunk") }, "trunk"},
		"main":     {func(b box) { b.commit(); b.git("checkout", "-q", "-b", "topic") }, "main"},
		"master":   {func(b box) { b.commit(); b.git("branch", "-m", "master"); b.git("checkout", "-q", "-b", "topic") }, "master"},
		"both":     {func(b box) { b.commit(); b.git("branch", "master"); b.git("checkout", "-q", "master") }, "main"},
		"detached": {func(b box) { b.commit(); b.git("checkout", "-q", "--detach"); b.git("branch", "-D", "main") }, "main"},
		"topic":    {func(b box) { b.commit(); b.git("branch", "-m", "topic") }, "topic"},
		"preset": {func(b box) {
			b.commit()
			b.git("branch", "-m", "trunk")
			b.git("checkout", "-q", "-b", "topic")
			b.git("config", "init.defaultBranch", "trunk")
		}, "trunk"},
		"preset and unborn": {func(b box) {
			b.git("symbolic-ref", "HEAD", "refs/heads/trunk")
			b.git("config", "init.defaultBranch", "trunk")
		}, "trunk"},
		"preset that is not there": {func(b box) {
			b.commit()
			b.git("branch", "-m", "topic")
			b.git("config", "init.defaultBranch", "trunk")
		}, "topic"},
		"origin": {func(b box) {
			b.git("update-ref", "refs/remotes/origin/release/2", b.commit())
			b.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/2")
		}, "release/2"},
		"origin that is stale": {func(b box) {
			b.commit()
			b.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
		}, "main"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			c.make(b)
			if got, err := b.MainBranch(); err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestMergeStrategy(t *testing.T) {
	b := newBox(t)
	check := func(want string) {
		t.Helper()
		if got, err := b.MergeStrategy(); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	check("ff-only")
	for value, want := range map[string]string{"false": "no-ff", "no": "no-ff", "0": "no-ff", "true": "ff-only", "only": "ff-only"} {
		b.git("config", "merge.ff", value)
		check(want)
	}
}
