package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/leak"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/testkit/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// port is a repository with a remote, on a branch of the work.
type port struct {
	*testing.T
	*Lander
	dir    string
	said   []string
	points []string
	moves  []string
	waits  int
}

func newPort(t *testing.T) *port {
	t.Helper()
	dir := gittest.Dir(t)
	p := &port{T: t, dir: filepath.Join(dir, "project")}
	p.must(os.Mkdir(p.dir, 0o755))
	p.sh(gittest.Init + `echo .claude/ > .gitignore
echo one > code.txt; git add -A; git commit -qm begin; git init -q --bare -b main ../origin.git; git remote add origin ` + dir + `/origin.git; git push -q -u origin main; git checkout -q -b work`)
	tree, err := gitwrite.Open(p.dir)
	p.must(err)
	remark := func(f string, a ...any) { p.said = append(p.said, fmt.Sprintf(f, a...)) }
	store := durable.New(durable.Config{Dir: filepath.Join(p.dir, ".claude"), Now: time.Now, PID: os.Getpid()})
	g, err := guard.New(guard.Options{Root: p.dir, Store: store, Now: time.Now, Remark: remark})
	p.must(err)
	p.Lander = &Lander{Work: tree, Guard: g, Remote: &guard.Remote{Work: tree, Name: "origin", Remark: remark}, Home: store, Process: step.Process{PID: os.Getpid(), Host: "here"},
		Moved:  func(branch, old, new string) { p.moves = append(p.moves, branch) },
		Wait:   func(ctx context.Context, _ time.Time, _ string) error { p.waits++; return ctx.Err() },
		Remark: remark, Passed: func(point string) { p.points = append(p.points, point) }, Now: time.Now}
	return p
}

func (p *port) must(err error) {
	p.Helper()
	gittest.Must(p, err)
}

func (p *port) sh(script string) string {
	p.Helper()
	return gittest.Sh(p, p.dir, script)
}

func (p *port) want(what, have, want string) {
	p.Helper()
	if have != want {
		p.Errorf("%s is %q, want %q", what, have, want)
	}
}

// colleague pushes to the remote's main.
func (p *port) colleague(script string) {
	p.Helper()
	p.sh(`rm -rf ../theirs; git clone -q ../origin.git ../theirs; cd ../theirs; git config user.name u; git config user.email u@example.invalid
` + script + `; git add -A; git commit -qm theirs; git push -q origin HEAD:main`)
}

// change commits a file on the branch of the work.
func (p *port) change(file string) string {
	return p.sh("echo work > " + file + "; git add " + file + "; git commit -q -m 'feat: " + file + "'; git rev-parse HEAD")
}

// commit is the work of a chunk, with its trailer.
func (p *port) commit(does string) Commit {
	p.Helper()
	repo := p.Work.Repo()
	base, err := repo.Snapshot(".claude")
	p.must(err)
	head, err := repo.Head()
	p.must(err)
	p.sh(does)
	return Commit{Change: gitwrite.Change{Base: base, Exclude: []string{".claude"}, Message: "feat: work\n\nWarp-Work: 1\n"}, Branch: "work", Trailer: "Warp-Work: 1", Since: []string{head}}
}

func TestACommitIsMadeOnce(t *testing.T) {
	p := newPort(t)
	p.sh("echo mine > mine.txt")
	c := p.commit("echo two > code.txt")
	hash, again, err := p.Commit(t.Context(), c)
	p.must(err)
	if again || hash != p.sh("git rev-parse work") || strings.Join(p.points, " ") != "committed in git" {
		t.Errorf("%s, %v, %v", hash, again, p.points)
	}
	p.want("what is left", p.sh("git status --porcelain"), "?? mine.txt")
	// Killed before it could say so, with an index that had not followed yet.
	p.sh("git read-tree main")
	second, again, err := p.Commit(t.Context(), c)
	p.must(err)
	if second != hash || !again {
		t.Errorf("it was committed twice: %s, %v", second, again)
	}
	p.want("what is left", p.sh("git status --porcelain; git rev-list --count main..work"), "?? mine.txt\n1")
	// Another one on top of it: it is still that commit.
	p.sh("git commit -q --allow-empty -m more")
	if third, again, err := p.Commit(t.Context(), c); err != nil || third != hash || !again {
		t.Errorf("%s, %v, %v", third, again, err)
	}
}

// A run that ends at the moment of a commit, in another work tree, does not take the branch
// for moved by its agent.
func TestACommitIsNoAgentsDoing(t *testing.T) {
	p := newPort(t)
	c := p.commit("echo two > code.txt")
	var found []guard.Finding
	r, err := p.Guard.Before(t.Context(), guard.Scope{Owner: "elsewhere", Label: "elsewhere", Refs: []string{"refs/heads/work"}, Report: func(f guard.Finding) { found = append(found, f) }})
	p.must(err)
	p.Passed = func(point string) {
		if point == "committed in git" { // the guard was not told yet
			_, err := r.After(t.Context())
			p.must(err)
		}
	}
	hash, _, err := p.Commit(t.Context(), c)
	p.must(err)
	p.want("the branch", p.sh("git rev-parse work"), hash)
	if slices.ContainsFunc(found, func(f guard.Finding) bool { return f.What == guard.Commit }) {
		t.Errorf("%+v", found)
	}
}

func TestACommitOfNothing(t *testing.T) {
	p := newPort(t)
	c := p.commit("true")
	if hash, again, err := p.Commit(t.Context(), c); hash != "" || again || err != nil {
		t.Errorf("%q, %v, %v", hash, again, err)
	}
	c.Trailer, c.Branch, p.Guard = "", "", nil
	p.sh("echo two > code.txt")
	if hash, _, err := p.Commit(t.Context(), c); hash == "" || err != nil {
		t.Errorf("without a guard: %q, %v", hash, err)
	}
}

func TestAnotherBranchIsCheckedOut(t *testing.T) {
	p := newPort(t)
	c := p.commit("echo two > code.txt")
	for branch, want := range map[string]string{"main": "the work is on work, and main is checked out", "--detach": "the work is on work, and no branch is checked out"} {
		p.sh("git checkout -q " + branch)
		_, _, err := p.Commit(t.Context(), c)
		var wrong *BranchError
		if !errors.As(err, &wrong) || wrong.Error() != want {
			t.Errorf("%s: %v", branch, err)
		}
	}
	p.want("the commits", p.sh("git rev-list --count --all"), "1")
}

func TestFind(t *testing.T) {
	p := newPort(t)
	p.sh("git commit -q --allow-empty -m 'a\n\nWarp-Work: 12'; git commit -q --allow-empty -m 'Warp-Work: 1'")
	for trailer, want := range map[string]string{"Warp-Work: 1": p.sh("git rev-parse HEAD"), "Warp-Work: 12": p.sh("git rev-parse HEAD~1"), "Warp-Work": "", "": ""} {
		if have, err := p.Find(trailer, "main"); err != nil || have != want {
			t.Errorf("%q: %q, %v", trailer, have, err)
		}
	}
	if have, err := p.Find("Warp-Work: 1", "HEAD"); err != nil || have != "" {
		t.Errorf("one that is older than the work: %q, %v", have, err)
	}
}

func TestMergingWaitsForItsTurn(t *testing.T) {
	p := newPort(t)
	free, err := p.TakeMergeLease(t.Context())
	p.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	p.Remark = func(f string, a ...any) { p.said = append(p.said, fmt.Sprintf(f, a...)); cancel() }
	if _, err := p.TakeMergeLease(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(p.said) != 1 || !strings.Contains(p.said[0], fmt.Sprintf("Waiting for process %d", os.Getpid())) {
		t.Errorf("%q", p.said)
	}
	p.Remark = func(string, ...any) { free() }
	second, err := p.TakeMergeLease(t.Context())
	p.must(err)
	second()
	third, err := p.TakeMergeLease(t.Context())
	p.must(err)
	third()
	p.must(os.RemoveAll(filepath.Join(p.dir, ".claude")))
	p.must(os.WriteFile(filepath.Join(p.dir, ".claude"), nil, 0o600))
	if _, err := p.TakeMergeLease(t.Context()); err == nil {
		t.Error("there is nowhere to hold it")
	}
}

func TestRetry(t *testing.T) {
	p := newPort(t)
	away := &gitwrite.RemoteError{Kind: gitwrite.Network}
	n := 0
	err := p.Retry(t.Context(), func() error {
		if n++; n < 3 {
			return away
		}
		return nil
	})
	if err != nil || n != 3 || p.waits != 2 {
		t.Errorf("%v after %d tries", err, n)
	}
	n = 0
	if err := p.Retry(t.Context(), func() error { n++; return away }); !isTransient(err) || n != 1+networkTries {
		t.Errorf("%v after %d tries", err, n)
	}
	n = 0
	if err := p.Retry(t.Context(), func() error { n++; return &gitwrite.RemoteError{Kind: gitwrite.Rejected} }); err == nil || n != 1 {
		t.Errorf("%v after %d tries", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Retry(ctx, func() error { return away }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A secret is refused where it would be committed, and where a commit that someone
// else made would be pushed or merged.
func TestSecretsStayHere(t *testing.T) {
	p := newPort(t)
	p.Leaks = leak.New(leak.Options{Environ: []string{"DEPLOY_KEY=v4lue-of-the-deploy-key"}, Root: p.dir})
	c := p.commit("echo v4lue-of-the-deploy-key > conf.ini")
	var found *leak.FoundError
	if err := p.Check(t.Context(), Commit{Change: c.Change}); !errors.As(err, &found) {
		t.Errorf("checked: %v", err)
	}
	found = nil
	if _, _, err := p.Commit(t.Context(), c); !errors.As(err, &found) || p.sh("git log --format=%s -1") != "begin" {
		t.Errorf("committed: %v", err)
	}
	p.sh("git add conf.ini; git commit -qm 'feat: by hand'; echo > conf.ini; git commit -qam 'fix: gone again'")
	for name, do := range map[string]func() error{
		"push":  func() error { return p.Push(t.Context(), "work", p.sh("git rev-parse work")) },
		"once":  func() error { return p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")) },
		"merge": func() error { _, err := p.Merge(t.Context(), "work", "main", p.sh("git rev-parse work")); return err },
	} {
		if found = nil; !errors.As(do(), &found) {
			t.Errorf("%s is not refused", name)
		}
	}
	p.want("the remote", p.sh("git -C ../origin.git for-each-ref --format='%(refname) %(subject)'"), "refs/heads/main begin")
	p.Remote = nil
	if _, err := p.Merge(t.Context(), "work", "main", p.sh("git rev-parse work")); !errors.As(err, &found) {
		t.Errorf("merged without a remote: %v", err)
	}
	p.want("main", p.sh("git log --format=%s -1 main"), "begin")
}
