package guard

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
)

// A run may make several stashes where a person has one: each is kept.
func TestEveryStashOfARunIsKept(t *testing.T) {
	s := newScene(t)
	before := s.sh("git stash list")
	s.run(s.scope(), `echo a >> precious.txt; git stash -q; echo b >> precious.txt; git stash -q; echo c >> precious.txt; git stash -q`)
	if after := s.sh("git stash list"); after != before {
		t.Errorf("the stashes were\n%s\nand are\n%s", before, after)
	}
	if have := s.sh("for r in $(git for-each-ref --format='%(refname)' refs/warp/stash); do git show $r:precious.txt | tail -1; done | sort"); have != "a\nb\nc\n" {
		t.Errorf("kept %q", have)
	}
}

// In a repository that several users share, git gives the log a mode of its own.
func TestTheLogOfStashesKeepsItsMode(t *testing.T) {
	s := newScene(t)
	log := filepath.Join(s.root, ".git", "logs", "refs", "stash")
	s.sh("chmod 660 .git/logs/refs/stash")
	before, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	s.run(s.scope(), "git stash clear")
	if after, err := os.Stat(log); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the mode was %v, and is %v: %v", before.Mode(), after.Mode(), err)
	}
}

// Names of files are any bytes, also in what a killed engine has noted.
func TestAfterAKillNamesNeedNotBeUTF8(t *testing.T) {
	s := newScene(t)
	s.sh("echo mine > $(printf 'odd\\377.txt'); echo hers > $(printf 'odd\\376.txt'); git add $(printf 'odd\\376.txt')")
	before := s.sh("git status --porcelain")
	if _, err := s.guard.Before(context.Background(), s.scope()); err != nil {
		t.Fatal(err)
	}
	s.sh("git rm -q --cached $(printf 'odd\\376.txt'); rm odd*; echo new > $(printf 'made\\377.txt')")
	s.guard = s.open()
	if _, err := s.guard.Recover(context.Background(), s.scope()); err != nil {
		t.Fatal(err)
	}
	if have := s.sh("cat odd*"); have != "hers\nmine\n" {
		t.Errorf("there is %q: %v", have, s.found)
	}
	if after := s.sh("rm made*; git status --porcelain"); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	if have := strings.Join(s.guard.Left.Changed, " "); have != "made\xff.txt" {
		t.Errorf("the run's is %q", have)
	}
}

// What a project tracks of .claude, and what a person hides from git, stays so after a run, one whose
// engine was killed included; what the run itself tracked and hid does not.
func TestWhatIsTrackedAndHiddenStaysSo(t *testing.T) {
	const listed = `git ls-files -v .claude code.txt notes.txt; git diff --cached --name-status -- .claude`
	for _, killed := range []bool{true, false} {
		s := newScene(t)
		s.sh(`true > .claude/mine.md; git add -f .claude/mine.md; git commit -qm mine .claude/mine.md; git update-index --skip-worktree code.txt`)
		if !killed { // what a person does between two runs is not the next one's
			s.run(s.scope(), `true`)
			s.sh(`true > .claude/more.md; git add -f .claude/more.md; git commit -qm more .claude/more.md; git update-index --assume-unchanged code.txt`)
		}
		before := s.sh(listed)
		r, err := s.guard.Before(context.Background(), s.scope())
		if err != nil {
			t.Fatal(err)
		}
		s.sh(`true > .claude/its.md; git add -f .claude/its.md; git update-index --assume-unchanged notes.txt`)
		if killed {
			s.guard = s.open()
			_, err = s.guard.Recover(context.Background(), s.scope())
		} else {
			_, err = r.After(context.Background())
		}
		if after := s.sh(listed); err != nil || after != before {
			t.Errorf("killed %v: was\n%s\nis\n%s\n%v", killed, before, after, err)
		}
	}
}

// A repository without a commit is guarded like any other.
func TestARepositoryWithoutACommit(t *testing.T) {
	s := newScene(t)
	s.sh(`rm -rf .git && git init -q -b main && git config user.name t && git config user.email t@example.invalid && git add staged.txt`)
	s.guard = s.open()
	const look = `git symbolic-ref HEAD; git rev-parse -q --verify HEAD || echo unborn; git diff --cached --name-only; cat notes.txt staged.txt scratch.txt .env`
	before := s.sh(look)
	out := s.run(s.scope(), `echo new > made.txt; git add -A -f; git commit -qm mine --no-verify; rm notes.txt .env; git checkout -q -b other`)
	if after := s.sh(look); after != before {
		t.Errorf("was\n%s\nis\n%s\n%v", before, after, s.found)
	}
	if have := strings.Join(out.Changed, " "); have != "made.txt" {
		t.Errorf("changed %q", have)
	}
	if have := s.sh("git for-each-ref --format='%(subject)' refs/warp/agent"); have != "mine\n" {
		t.Errorf("kept %q", have)
	}
	sc := s.scope()
	sc.ReadOnly = true
	s.run(sc, `echo x > other.txt; rm scratch.txt .git/index`)
	if after := s.sh(look + "; ls other.txt 2>/dev/null || true"); after != before {
		t.Errorf("was\n%s\nis\n%s\n%v", before, after, s.found)
	}
}

// A person edits the settings between two runs, in place.
func TestSettingsThatAPersonEditsStay(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `true`)
	s.sh(`echo '{"a":2}' > .claude/settings.json; echo theirs > .claude/issues/1.md`)
	s.run(s.scope(), `true`)
	if have := s.sh("cat .claude/settings.json .claude/issues/1.md"); have != "{\"a\":2}\ntheirs\n" || len(s.found) > 0 {
		t.Errorf("there is %q: %v", have, s.found)
	}
}

// The note of what engines have moved is bounded, and still tells of the last.
func TestMovesDoNotGrowForEver(t *testing.T) {
	s := newScene(t)
	r, err := s.guard.Before(context.Background(), s.scope())
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`git update-ref refs/heads/main $(git commit-tree -m merged -p main main^{tree})`)
	tip := strings.TrimSpace(s.sh("git rev-parse main"))
	other := s.open()
	if err := other.RecordMove("refs/heads/main", tip); err != nil {
		t.Fatal(err)
	}
	write := func(times int) {
		t.Helper()
		for range times {
			if err := other.RecordMove("refs/heads/other", tip); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(1200)
	if _, err := r.After(context.Background()); err != nil {
		t.Fatal(err)
	}
	if have := strings.TrimSpace(s.sh("git rev-parse main")); have != tip {
		t.Errorf("main is %s, not %s: %v", have, tip, s.found)
	}
	write(5000)
	if size := len(s.sh("cat .git/warp/moves*")); size > 3*movesMost {
		t.Errorf("the moves have %d bytes", size)
	}
}

// What engines have moved before a run began allows nothing while it runs.
func TestAnOldMoveAllowsNothing(t *testing.T) {
	s := newScene(t)
	side := strings.TrimSpace(s.sh("git commit-tree -m side -p HEAD~1 HEAD^{tree}"))
	if err := s.guard.RecordMove("refs/heads/main", side); err != nil {
		t.Fatal(err)
	}
	was := s.sh("git rev-parse main")
	s.run(s.scope(), `git update-ref refs/heads/main `+side)
	if have := s.sh("git rev-parse main"); have != was {
		t.Errorf("main is %s, was %s", have, was)
	}
}

// A link that stands for the settings leads where the agent likes.
func TestALinkForTheSettingsIsPutBack(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `rm .claude/settings.json; echo '{}' > elsewhere; ln -s ../elsewhere .claude/settings.json`)
	if have := s.sh("cat .claude/settings.json; test -L .claude/settings.json || cat elsewhere"); have != "{\"a\":1}\n{}\n" {
		t.Errorf("there is %q", have)
	}
}

func TestWithoutAWorkTreeThereIsNoGuard(t *testing.T) {
	dir := t.TempDir()
	if _, err := New(Options{Root: dir, Store: durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now, PID: os.Getpid()}), Now: time.Now}); err == nil {
		t.Error("there is one")
	}
}
