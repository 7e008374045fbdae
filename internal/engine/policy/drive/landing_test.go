package drive_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/testkit/rooms"
)

// at does something once, when a point is passed.
func (s *scene) at(point string, do func()) {
	done := false
	s.change = func(e *drive.Engine) {
		next := e.Passed
		e.Passed = func(p string) {
			next(p)
			if p == point && !done {
				done = true
				do()
			}
		}
	}
}

// colleague pushes a change to the remote's main.
func (s *scene) colleague(script string) {
	s.Helper()
	s.sh(`rm -rf ../theirs; git clone -q ../origin.git ../theirs; cd ../theirs; git config user.name u; git config user.email u@example.invalid
` + script + `
git add -A; git commit -q -m 'feat: theirs'; git push -q origin HEAD:main`)
}

func TestOthersWereFaster(t *testing.T) {
	for _, point := range []string{"tested final", "tested merge"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one).withRemote()
			s.at("tested final", func() { s.colleague("echo theirs > theirs.txt") })
			if point == "tested merge" {
				first := s.change
				s.at(point, func() { s.colleague("echo theirs > again.txt") })
				second := s.change
				s.change = func(e *drive.Engine) { first(e); second(e) }
			}
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			s.want("the remote", s.sh("git -C ../origin.git rev-parse main"), ends[0].Commit)
			s.want("both", s.sh("git ls-tree --name-only main | grep -e AC-01 -e theirs"), "AC-01.txt\ntheirs.txt")
			s.says("was rebased onto main")
			b := s.book()
			if last := b.Commits[len(b.Commits)-1].Row; last.Hash != ends[0].Commit || last.Was == "" {
				t.Errorf("the rebased commit is recorded as %+v", last)
			}
			if point == "tested merge" {
				s.says("has moved; trying the merge again")
			}
		})
	}
}

// Between two requirements of a session, too.
func TestAColleaguePushesBetweenRequirements(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, strings.ReplaceAll(one, "AC-01", "AC-02")).withRemote()
	s.at("merged", func() { s.colleague("echo theirs > theirs.txt") })
	s.drive(drive.Options{}, evidence.Merged, evidence.Merged)
	s.want("the remote", s.sh("git -C ../origin.git log --format=%s -2 main"), "feat: Thing 2 (#2)\nfeat: theirs")
}

// conflicted is a drive whose branch conflicts with what a colleague pushes.
func conflicted(t *testing.T, resolves func(agent.Task) any) *scene {
	s := newScene(t, one).withRemote()
	s.at("tested final", func() { s.colleague("echo theirs > code.txt") })
	s.does = func(t agent.Task) any {
		switch {
		case t.Role == agent.Code:
			return "echo ours > code.txt; echo x > AC-01.txt"
		case t.Role == agent.Fix && t.Dir != s.root:
			return resolves(t)
		}
		return nil
	}
	return s
}

func TestAConflictIsResolvedByTheAgent(t *testing.T) {
	t.Parallel()
	s := conflicted(t, func(agent.Task) any { return "printf 'theirs\\nours\\n' > code.txt" })
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the merged file", s.sh("git show main:code.txt"), "theirs\nours")
	s.want("what was asked", s.roles(), "code verify fix verify")
}

func TestAConflictThatIsNotResolvedNeedsAPerson(t *testing.T) {
	for name, c := range map[string]struct{ does, why string }{
		"it does nothing":      {"true", "the agent did not resolve it"},
		"it changes other":     {"printf 'theirs\\nours\\n' > code.txt; echo more > other.txt", "files that were not in conflict"},
		"it reroutes tests":    {"printf 'theirs\\nours\\n' > code.txt; echo exit 0 > test.sh", "test.sh"},
		"it commits by itself": {"printf 'theirs\\nours\\n' > code.txt; git add -A; GIT_EDITOR=true git rebase --continue; git commit -q --allow-empty -m mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := conflicted(t, func(agent.Task) any { return c.does })
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
			if !strings.Contains(ends[0].Why, "conflicts with main") || !strings.Contains(ends[0].Why, c.why) {
				t.Errorf("%+v", ends[0])
			}
			s.want("the target", s.sh("git -C ../origin.git log --format=%s main"), "feat: theirs\nchore: begin")
			s.want("work trees", s.sh("git worktree list | wc -l"), "1")
		})
	}
}

// A protected target leads to a pull request.
func TestTheRemoteRefusesThePush(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.sh(`printf '#!/bin/sh\nwhile read old new ref; do [ $ref != refs/heads/main ] || { echo "protected branch" >&2; exit 1; }; done\n' > ../origin.git/hooks/pre-receive; chmod 755 ../origin.git/hooks/pre-receive`)
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Pull)
	if !strings.Contains(ends[0].Why, "origin refuses pushes to main, which may be protected") || ends[0].Pull == "" {
		t.Errorf("%+v", ends[0])
	}
	s.want("the target here", s.sh("git log --format=%s main"), "chore: begin")
	s.want("the branch there", s.sh("git -C ../origin.git rev-parse feature/issue-1-thing-1"), ends[0].Commit)
	i, err := s.Get(t.Context(), 1)
	if err != nil || !i.Open {
		t.Errorf("the issue is closed before a person merged it: %v", err)
	}
}

func TestATargetThatHasDivergedNeedsAPerson(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.colleague("echo theirs > theirs.txt")
	s.sh("echo mine > mine.txt; git add -A; git commit -q -m mine")
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.says("main and origin/main have diverged")
	s.sh("git pull -q --rebase origin main")
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.says("main has commits that were never pushed")
}

// An agent that pushes by itself is found out before warp pushes.
func TestAPushPastWarpParksTheDrive(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code {
			return "echo x > AC-01.txt; c=$(git commit-tree HEAD^{tree} -p HEAD -m sly); git push -q --no-verify origin $c:refs/heads/main"
		}
		return nil
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "refs/heads/main was moved on origin") {
		t.Errorf("%+v", ends[0])
	}
}

// own makes a work tree of the drive's own, in which the scene goes on.
func (s *scene) own() *scene {
	s.sh("git remote set-url origin " + filepath.Join(s.dir, "origin.git"))
	s.sh("git worktree add -q -b feature/issue-1-thing-1 .claude/worktrees/issue-1 main")
	s.root = filepath.Join(s.root, ".claude/worktrees/issue-1")
	return s
}

// Where the target is checked out, a person may be working on it.
func TestAMergeWaitsForThePersonsChanges(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	main := s.root
	s.sh("echo mine > AC-01.txt; echo other > other.txt")
	s.own()
	ends := s.drive(drive.Options{Issue: "1", Own: true}, evidence.Person)
	if !strings.Contains(ends[0].Why, "AC-01.txt") || !strings.Contains(ends[0].Do, "commit or stash them") {
		t.Errorf("%+v", ends[0])
	}
	s.want("the remote", s.sh("git -C "+main+"/../origin.git log --format=%s main"), "chore: begin")
	s.sh("rm " + main + "/AC-01.txt")
	s.drive(drive.Options{Only: true, Own: true}, evidence.Merged)
	s.want("the main work tree", s.sh("cat "+main+"/AC-01.txt "+main+"/other.txt"), "AC-01\nother")
	s.root = main
	if b := s.book(); len(b.Commits) != 1 || len(b.Gates) == 0 || len(b.Runs) != 2 {
		t.Errorf("the evidence is not where it outlives the work tree: %+v", b)
	}
}

func TestAMergeEndsAtTheFirstInterrupt(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	ctx, cancel := context.WithCancel(t.Context())
	s.at("tested final", cancel)
	ends, err := s.engine(drive.Options{Issue: "1"}).Run(ctx)
	if err == nil {
		t.Error("nobody is told that it was interrupted")
	}
	s.results(ends, evidence.Stopped)
	s.says("warp resume merges it")
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify")
}

// What is committed must do without what is not.
func TestTestsThatNeedWhatIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh(`echo '[ ! -e AC-01.txt ] || [ -e helper.txt ] || { echo "--- FAIL: TestHelper (0.00s)"; exit 1; }' >> test.sh; git commit -qam tests; echo x > helper.txt`)
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.says("sh test.sh failed with exit code 1")
	s.want("the target", s.sh("git log --format=%s -1 main"), "tests")
}

func TestTestsThatNeverRanWithoutTheUsersFiles(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh(`echo '[ -e helper.txt ] || { echo "--- FAIL: TestHelper (0.00s)"; exit 1; }' >> test.sh; git commit -qam tests; echo x > helper.txt`)
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "the tests pass in the project, and fail in a clean checkout of it") || !strings.Contains(ends[0].Do, "worktree_copy") {
		t.Errorf("%+v", ends[0])
	}
	s.want("what was asked", s.roles(), "")
	s.change = func(e *drive.Engine) { e.Rooms = rooms.Open(t, s.root, "helper.txt") }
	s.drive(drive.Options{Only: true}, evidence.Merged)
}
