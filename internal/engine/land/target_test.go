package land

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/guard"
	"warp/internal/sys/gitwrite"
)

func TestUpdate(t *testing.T) {
	p := newPort(t)
	p.must(p.Update(t.Context(), "main")) // nothing to do
	p.colleague("echo theirs > theirs.txt")
	p.must(p.Update(t.Context(), "main"))
	p.want("main", p.sh("git log --format=%s -1 main; cat theirs.txt 2>/dev/null || true"), "theirs")
	p.want("who was told", strings.Join(p.moves, " ")+" "+strings.Join(p.points, " "), "main target moved")
	p.must(p.Update(t.Context(), "nowhere"))
	p.sh("git checkout -q main; git commit -q --allow-empty -m mine")
	p.must(p.Update(t.Context(), "main"))
	if have := strings.Join(p.said, "\n"); !strings.Contains(have, "never pushed") {
		t.Errorf("%q", have)
	}
	p.colleague("echo more > more.txt")
	err := p.Update(t.Context(), "main")
	var apart *DivergedError
	if !errors.As(err, &apart) || apart.Error() != "main and origin/main have diverged" {
		t.Errorf("%v", err)
	}
	p.Remote = nil
	p.must(p.Update(t.Context(), "main"))
}

func TestARemoteThatIsAway(t *testing.T) {
	p := newPort(t)
	p.sh("mv ../origin.git ../gone.git")
	if err := p.Update(t.Context(), "main"); err == nil {
		t.Error("it was reached")
	}
	if err := p.Push(t.Context(), "work", p.sh("git rev-parse work")); err == nil {
		t.Error("it was pushed")
	}
	if err := p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")); err == nil {
		t.Error("it was pushed")
	}
	if late, err := p.Merge(t.Context(), "work", "main", p.change("a.txt")); late || err == nil {
		t.Errorf("late %v, %v", late, err)
	}
	p.want("the target", p.sh("git log --format=%s main"), "begin")
}

// elsewhere has the target checked out in another work tree, as a person has.
func (p *port) elsewhere() string {
	dir := filepath.Join(filepath.Dir(p.dir), "elsewhere")
	p.sh("git worktree add -q " + dir + " main")
	return dir
}

// What is in a person's way is found before anything is pushed.
func TestAMergeDoesNotOverlap(t *testing.T) {
	for name, c := range map[string]struct{ theirs, file, path string }{
		"an untracked file":        {"echo mine > a.txt", "a.txt", "a.txt"},
		"a changed file":           {"echo mine > code.txt", "code.txt", "code.txt"},
		"a file where a folder is": {"echo mine > sub", "sub/a.txt", "sub"},
		"a folder where a file is": {"mkdir sub; echo mine > sub/mine.txt", "sub", "sub/mine.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPort(t)
			there := p.elsewhere()
			p.sh("cd " + there + "; " + c.theirs)
			tip := p.sh("mkdir -p $(dirname " + c.file + "); echo work > " + c.file + "; git add -A; git commit -qm work; git rev-parse HEAD")
			late, err := p.Merge(t.Context(), "work", "main", tip)
			var overlap *OverlapError
			if late || !errors.As(err, &overlap) || strings.Join(overlap.Paths, " ") != c.path || !strings.Contains(overlap.Error(), c.path) {
				t.Errorf("late %v, %v", late, err)
			}
			p.want("what moved", p.sh("git -C ../origin.git log --format=%s main; git log --format=%s main"), "begin\nbegin")
		})
	}
}

func TestAMergeMovesTheRemoteFirst(t *testing.T) {
	p := newPort(t)
	there := p.elsewhere()
	p.sh("echo mine > " + there + "/mine.txt")
	tip := p.change("a.txt")
	ctx, cancel := context.WithCancel(t.Context())
	next := p.Passed
	p.Passed = func(point string) {
		next(point)
		if point == "target pushed" { // it is merged for everybody else
			p.want("the target here", p.sh("git log --format=%s -1 main"), "begin")
			cancel()
		}
	}
	late, err := p.Merge(ctx, "work", "main", tip)
	if late || err != nil {
		t.Fatalf("late %v, %v", late, err)
	}
	p.want("all", p.sh("git rev-parse main; git -C ../origin.git rev-parse main; cat "+there+"/a.txt "+there+"/mine.txt"), tip+"\n"+tip+"\nwork\nmine")
	p.want("the points", strings.Join(p.points, ", "), "target pushed, target moved, merged in git")
	p.Passed = next
	if late, err := p.Merge(t.Context(), "work", "main", tip); late || err != nil { // again, after a crash
		t.Errorf("late %v, %v", late, err)
	}
}

func TestAMergeThatComesLate(t *testing.T) {
	p := newPort(t)
	p.must(p.Remote.Check(t.Context()))
	tip := p.change("a.txt")
	p.colleague("echo theirs > theirs.txt")
	if late, err := p.Merge(t.Context(), "work", "main", tip); !late || err != nil {
		t.Errorf("late %v, %v", late, err)
	}
	p.want("the target here", p.sh("git log --format=%s main"), "begin")
	// Fetched and rebased, it is in time: what was fetched is the colleague's.
	p.must(p.Update(t.Context(), "main"))
	tip = p.sh("git rebase -q main; git rev-parse HEAD")
	if late, err := p.Merge(t.Context(), "work", "main", tip); late || err != nil {
		t.Errorf("late %v, %v", late, err)
	}
	// Without a remote it is the local branch that may have moved.
	p.Remote = nil
	p.sh("git checkout -q main; git commit -q --allow-empty -m mine; git checkout -q work")
	if late, err := p.Merge(t.Context(), "work", "main", p.change("b.txt")); !late || err != nil {
		t.Errorf("late %v, %v", late, err)
	}
}

// What the engine has fetched is in the object store, and did not come from here.
func TestWhatWasFetchedIsTheColleagues(t *testing.T) {
	p := newPort(t)
	p.must(p.Remote.Check(t.Context()))
	p.change("a.txt")
	p.colleague("echo theirs > theirs.txt; git add -A; git commit -qm more; git push -q origin HEAD:other; echo x > x.txt")
	p.must(p.Update(t.Context(), "main"))
	tip := p.sh("git rebase -q main; git rev-parse HEAD")
	if late, err := p.Merge(t.Context(), "work", "main", tip); late || err != nil {
		t.Errorf("late %v, %v", late, err)
	}
}

// A push past warp, by plumbing and without hooks, is noticed before the next.
func TestAPushPastWarp(t *testing.T) {
	p := newPort(t)
	p.must(p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")))
	p.change("a.txt")
	p.must(p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")))
	p.want("the remote", p.sh("git -C ../origin.git log -1 --format=%s work"), "feat: a.txt")
	p.sh("git push -q --no-verify origin $(git commit-tree HEAD^{tree} -p main -m sly):refs/heads/main")
	tip := p.change("b.txt")
	var pushed *guard.PushedError
	if err := p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")); !errors.As(err, &pushed) || pushed.Ref != "refs/heads/main" || pushed.Own {
		t.Errorf("%v", err)
	}
	p.want("the remote", p.sh("git -C ../origin.git log -1 --format=%s work"), "feat: a.txt")
	p.sh("git push -q --no-verify -f origin main:refs/heads/work")
	late, err := p.Merge(t.Context(), "work", "main", tip)
	if late || !errors.As(err, &pushed) || !pushed.Own {
		t.Errorf("late %v, %v", late, err)
	}
}

func TestPushFollowAndAdvance(t *testing.T) {
	p := newPort(t)
	tip := p.change("a.txt")
	p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work")))
	p.want("the remote", p.sh("git -C ../origin.git rev-parse work"), tip)
	p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work"))) // it knows its own
	p.must(p.Advance(t.Context(), "main", tip))
	p.must(p.Advance(t.Context(), "main", tip))
	p.want("who was told", strings.Join(p.moves, " "), "main")
	p.must(p.Follow(t.Context(), "work", p.sh("git rev-parse HEAD~1")))
	p.want("the work tree", p.sh("git log --format=%s work; git status --porcelain"), "begin")
	var behind *gitwrite.NotFastForward
	if err := p.Advance(t.Context(), "main", p.sh("git commit-tree HEAD^{tree} -m root")); !errors.As(err, &behind) {
		t.Errorf("%v", err)
	}
	p.Guard, p.Moved, p.Passed, p.Remote = nil, nil, nil, nil
	p.must(p.Follow(t.Context(), "work", tip))
	p.must(p.Push(t.Context(), "work", p.sh("git rev-parse work")))
	p.must(p.PushOnce(t.Context(), "work", p.sh("git rev-parse work")))
	p.sh("rm -rf .git")
	if _, err := p.Tip("main"); err == nil {
		t.Error("there is a repository")
	}
}

// A branch is put on top of its target apart: the branch itself stays until it
// follows.
func TestRebase(t *testing.T) {
	p := newPort(t)
	p.sh("echo work > work.txt; git add -A; git commit -qm work")
	r, c, err := p.Rebase(t.Context(), "work", "main")
	if err != nil || c != nil || r.Next != r.Tip || r.Tip == r.Target {
		t.Fatalf("it is there already: %+v, %+v, %v", r, c, err)
	}
	p.sh("git checkout -q main; echo theirs > theirs.txt; git add -A; git commit -qm theirs; git checkout -q work")
	r, c, err = p.Rebase(t.Context(), "work", "main")
	if err != nil || c != nil || r.Next == r.Tip || p.sh("git rev-parse work") != r.Tip || p.sh("git rev-parse "+r.Next+"^") != r.Target {
		t.Fatalf("%+v, %+v, %v", r, c, err)
	}
	p.sh("git checkout -q main; echo other > work.txt; git add -A; git commit -qm other; git checkout -q work")
	r, c, err = p.Rebase(t.Context(), "work", "main")
	if err != nil || c == nil || r.Next != "" || len(c.Files) != 1 {
		t.Fatalf("a conflict: %+v, %+v, %v", r, c, err)
	}
	p.must(p.Work.Apart().Abandon(t.Context(), c.Dir))
	p.sh("mkdir -p ../around; mv .git ../around/.git")
	if _, _, err := p.Rebase(t.Context(), "work", "main"); err == nil {
		t.Error("without a repository there is a branch")
	}
}

// A work tree that is gone is not taken for one around it.
func TestTheWorkTreeIsTheOneThatWasGiven(t *testing.T) {
	p := newPort(t)
	if _, ok := p.Place(); !ok {
		t.Error("it is not found")
	}
	p.sh("rm -rf .git; git init -q ..")
	if place, ok := p.Place(); ok {
		t.Errorf("%+v", place)
	}
}

func TestWhatThereIs(t *testing.T) {
	p := newPort(t)
	p.Remote = nil
	for range 2 {
		if r, err := p.FindRemote(t.Context()); err != nil || r == nil || r.Name != "origin" || p.Remote != r {
			t.Errorf("%+v, %v", r, err)
		}
	}
	p.sh("git commit -q --allow-empty -m more")
	if on, err := p.CheckedOut(); err != nil || on != "work" {
		t.Errorf("%q, %v", on, err)
	}
	if have, want := p.Parent(t.Context(), p.sh("git rev-parse HEAD")), p.sh("git rev-parse main"); have != want {
		t.Errorf("%q, not %q", have, want)
	}
	if have := p.Parent(t.Context(), p.sh("git rev-list --max-parents=0 HEAD")); have != "" {
		t.Errorf("the first commit has the parent %q", have)
	}
	p.sh("rm -rf .git")
	if on, err := p.CheckedOut(); err == nil {
		t.Errorf("%q is checked out", on)
	}
}

// What is published is what was judged and searched for secrets, wherever the branch is by then.
func TestABranchThatMovesIsNotPushedUnseen(t *testing.T) {
	p := newPort(t)
	tip := p.change("a.txt")
	p.must(p.push(t.Context(), "work", "work", tip, func(_ context.Context, do func() error) error {
		p.change("late.txt")
		return do()
	}))
	p.want("the branch there", p.sh("git -C ../origin.git rev-parse work"), tip)
	p.must(p.Push(t.Context(), "work", tip)) // by now it has more
	p.want("the branch there", p.sh("git -C ../origin.git rev-parse work"), tip)
	if err := p.Push(t.Context(), "gone", ""); err == nil {
		t.Error("a branch that is gone was pushed")
	}
	if late, err := p.Merge(t.Context(), "work", "main", tip); late || err != nil {
		t.Fatalf("late %v, %v", late, err)
	}
	p.want("the targets", p.sh("git rev-parse main; git -C ../origin.git rev-parse main"), tip+"\n"+tip)
}
