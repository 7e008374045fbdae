package guard

import (
	"context"
	"strings"
	"testing"
)

// A person stages and commits in their own tree while agents work elsewhere; an agent
// that moves it on is not taken for one.
func TestWhatAPersonStagesBesideStaysStaged(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"stages":  {"echo more > more.txt; git add more.txt", "more.txt\nstaged.txt"},
		"commits": {"git add -A .; git reset -q notes.txt; git commit -qm all; echo again >> staged.txt; git commit -qam again", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			g := s.linked("one", NewShared())
			sc := s.scope()
			sc.Owner, sc.Refs = "test one", []string{"refs/heads/warp/one"}
			r, err := g.Before(t.Context(), sc)
			if err != nil {
				t.Fatal(err)
			}
			s.sh(c.script)
			tree := s.sh("git diff --cached --name-only; cat staged.txt")
			if _, err := r.After(t.Context()); err != nil {
				t.Fatal(err)
			}
			if now := s.sh("git diff --cached --name-only; cat staged.txt"); now != tree || !strings.HasPrefix(now, c.want) {
				t.Errorf("was %q, is %q", tree, now)
			}
		})
	}
	s := newScene(t)
	ahead := s.sh("git stash -q; echo ahead > notes.txt; git commit -qam ahead; git rev-parse HEAD; git reset -q --hard HEAD~1; git stash pop -q --index")
	notes := s.sh("cat notes.txt")
	g := s.linked("one", NewShared())
	sc := s.scope()
	sc.Owner, sc.Refs = "test one", []string{"refs/heads/warp/one"}
	r, err := g.Before(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	s.sh("git reset -q --hard " + ahead)
	if _, err := r.After(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept := s.sh("cat notes.txt .git/warp/replaced/notes.txt* 2>/dev/null || true"); !strings.Contains(kept, notes) {
		t.Errorf("the person's changes %q are gone: %q", notes, kept)
	}
}

// A person goes on in their own tree while agents work elsewhere: nothing of that is
// undone.
func TestAPersonMayGoOnBeside(t *testing.T) {
	s := newScene(t)
	g := s.linked("one", NewShared())
	sc := s.scope()
	sc.Owner, sc.Refs = "test one", []string{"refs/heads/warp/one", "refs/heads/main"}
	r, err := g.Before(context.Background(), sc)
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`git switch -q -c feature && git commit -qm mine -- notes.txt && echo new > new.txt && git rev-parse HEAD > .git/MERGE_HEAD`)
	want := s.sh("git symbolic-ref HEAD; git log -1 --format=%s; cat new.txt notes.txt; cat .git/MERGE_HEAD")
	if _, err := r.After(context.Background()); err != nil {
		t.Fatal(err)
	}
	if have := s.sh("git symbolic-ref HEAD; git log -1 --format=%s; cat new.txt notes.txt; cat .git/MERGE_HEAD"); have != want {
		t.Errorf("was\n%s\nis\n%s\n%v", want, have, s.found)
	}
}

// Beside a run that can write no reference, also the branches that only engines move are a
// person's to move, and to delete; also when its engine was killed. The run's own is not.
func TestAPersonMayCommitBesideAContainedRun(t *testing.T) {
	for _, killed := range []bool{false, true} {
		s := newScene(t)
		s.sh(`git branch old`)
		g := s.linked("one", NewShared())
		sc := s.scope()
		sc.Owner, sc.Refs, sc.Contained, sc.Holds = "test one", []string{"refs/heads/warp/one", "refs/heads/main"}, true, true
		r, err := g.Before(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		s.sh(`git commit -qm mine -- notes.txt; git branch -q -D old; git -C ` + g.Root + ` commit -q --allow-empty --no-verify -m more`)
		want := s.sh("git rev-parse main")
		if killed {
			g.Shared = NewShared()
			sc.Contained = false // the next engine knows by the note
			if _, err := g.Recover(context.Background(), sc); err != nil {
				t.Fatal(err)
			}
		} else if _, err := r.After(context.Background()); err != nil {
			t.Fatal(err)
		}
		if have := s.sh("git rev-parse main; git branch --list old"); have != want {
			t.Errorf("killed %v: was\n%s\nis\n%s\n%v", killed, want, have, s.found)
		}
		if have := s.sh("git log -1 --format=%s warp/one"); strings.TrimSpace(have) == "more" {
			t.Errorf("killed %v: its own branch was moved, and stays so", killed)
		}
	}
}

// A contained run cannot lock the person's work tree: who has an editor open for the
// message of a commit holds that lock.
func TestAPersonsLockStaysBesideAContainedRun(t *testing.T) {
	s := newScene(t)
	g := s.linked("one", NewShared())
	sc := s.scope()
	sc.Owner, sc.Refs, sc.Contained = "test one", []string{"refs/heads/warp/one"}, true
	r, err := g.Before(context.Background(), sc)
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`touch .git/index.lock .git/packed-refs.lock "$(git -C ` + g.Root + ` rev-parse --absolute-git-dir)"/index.lock`)
	if _, err := r.After(context.Background()); err != nil {
		t.Fatal(err)
	}
	if have := s.sh(`find .git -name '*.lock' ! -path '*/warp/*' | sort`); have != ".git/index.lock\n.git/packed-refs.lock\n" {
		t.Errorf("there is\n%s%v", have, s.found)
	}
}
