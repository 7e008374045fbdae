package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
)

// A project may be a folder of its repository: what lies above it is private, too.
func TestASecretAboveTheProjectIsNeverTaken(t *testing.T) {
	s := newScene(t)
	root := filepath.Join(s.root, "part")
	s.sh(`mkdir -p part/.claude && echo x > part/code.txt && git add part && git commit -qm part -- part`)
	g, err := New(Options{Root: root, Store: durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()}), State: filepath.Join(filepath.Dir(s.root), "state"), Now: time.Now, Remark: s.guard.Remark})
	if err != nil {
		t.Fatal(err)
	}
	s.guard = g
	s.run(s.scope(), `: > .gitignore; echo y > part/code.txt`)
	tree, err := g.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if have := s.sh("git ls-tree -r --name-only " + tree); strings.Contains(have, ".env") || !strings.Contains(have, "part/code.txt") {
		t.Errorf("the tree has %s", have)
	}
}

// That an engine has once been at a commit does not allow an agent to go back to it.
func TestAResetToACommitOfOursIsNotOurs(t *testing.T) {
	s := newScene(t)
	if err := s.guard.RecordMove("refs/heads/main", strings.TrimSpace(s.sh("git rev-parse HEAD~1"))); err != nil {
		t.Fatal(err)
	}
	before := s.sh(look)
	s.run(s.scope(), `git reset -q --hard HEAD~1`)
	if after := s.sh(look); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

// What another engine moves forward while a run goes on stays where it is.
func TestWhatAnotherEngineMovesStays(t *testing.T) {
	s := newScene(t)
	r, err := s.guard.Before(context.Background(), s.scope())
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`git update-ref refs/heads/main $(git commit-tree -m merged -p main main^{tree})`)
	tip := strings.TrimSpace(s.sh("git rev-parse main"))
	if err := s.open().RecordMove("refs/heads/main", tip); err != nil {
		t.Fatal(err)
	}
	if _, err := r.After(context.Background()); err != nil {
		t.Fatal(err)
	}
	if have := strings.TrimSpace(s.sh("git rev-parse main")); have != tip {
		t.Errorf("main is %s, not %s: %v", have, tip, s.found)
	}
}

// After a kill a person may have gone on elsewhere: what is gone comes back all the
// same.
func TestAfterAKillNothingIsLostForAnotherOwner(t *testing.T) {
	for name, then := range map[string]string{"another branch": "git stash -q; git switch -q -c elsewhere", "another owner": "true"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			if _, err := s.guard.Before(context.Background(), s.scope()); err != nil {
				t.Fatal(err)
			}
			s.sh(`rm scratch.txt .env; ` + then)
			s.guard = s.open()
			sc := s.scope()
			if name == "another owner" {
				sc.Owner = "other"
			}
			if _, err := s.guard.Recover(context.Background(), sc); err != nil {
				t.Fatal(err)
			}
			if have := s.sh("cat scratch.txt .env"); have != "mine\nSECRET=1\n" {
				t.Errorf("there is %q", have)
			}
		})
	}
}

// A person commits, and goes on editing, between two runs.
func TestWhatAPersonDoesBesideACommitIsTheirs(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo a > made.txt`)
	s.sh(`git commit -qm mine -- notes.txt; echo y > new.txt; echo more >> code.txt`)
	s.run(s.scope(), `git clean -fdq; git checkout -q -- .`)
	if have := s.sh("cat new.txt; tail -1 code.txt"); have != "y\nmore\n" {
		t.Errorf("there is %q: %v", have, s.found)
	}
}

// A repository inside this one is named, and nothing more is done to it.
func TestNestedRepositoriesAreLeftAlone(t *testing.T) {
	s := newScene(t)
	s.sh(`git init -q inner && cd inner && git config user.name t && git config user.email t@example.invalid && echo x > x && git add x && git commit -qm x`)
	sc := s.scope()
	sc.ReadOnly = true
	s.run(sc, `echo y > inner/y`)
	if have := s.sh("ls inner; git -C inner log --format=%s"); have != "x\ny\nx\n" {
		t.Errorf("there is %q", have)
	}
	if !slices.ContainsFunc(s.said, func(t string) bool { return strings.Contains(t, "inner/") }) {
		t.Errorf("it is not said that it is not protected: %v", s.said)
	}
}

func TestADetachedHeadIsPutBack(t *testing.T) {
	s := newScene(t)
	s.sh(`git checkout -q --detach`)
	was := s.sh("git rev-parse HEAD")
	s.run(s.scope(), `git reset -q --hard HEAD~1; git commit -q --allow-empty -m bad --no-verify`)
	if have := s.sh("git rev-parse HEAD; cat precious.txt"); have != was+"precious\n" {
		t.Errorf("HEAD is %s, was %s", have, was)
	}
}

// Odd things in the place of files are not read for ever, and the files come back.
func TestOddThingsInThePlaceOfFiles(t *testing.T) {
	for name, does := range map[string]string{
		"a pipe": `rm .env && mkfifo .env`, "a folder": `rm .env && mkdir .env && echo x > .env/x`, "a link": `rm .env && ln -s /dev/zero .env`,
		"a pipe for settings": `rm .claude/settings.json && mkfifo .claude/settings.json`, "a pipe for the journal": `rm .claude/state/events.jsonl && mkfifo .claude/state/events.jsonl`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			before := s.sh(look)
			s.run(s.scope(), does)
			if after := s.sh("timeout 5 sh -ec '" + strings.ReplaceAll(look, "'", `'\''`) + "'"); after != before {
				t.Errorf("was\n%s\nis\n%s", before, after)
			}
		})
	}
}

// What the index tells git not to look at is protected all the same.
func TestHiddenFilesAreProtected(t *testing.T) {
	s := newScene(t)
	s.sh(`git update-index --skip-worktree code.txt && echo local > code.txt`)
	s.run(s.scope(), `rm code.txt; git commit -q --allow-empty -m x --no-verify`)
	if have := s.sh("cat code.txt; git ls-files -v code.txt"); have != "local\nS code.txt\n" {
		t.Errorf("there is %q", have)
	}
}

// Copies of what could not be put back are not cleared away.
func TestCopiesStayWhileTheyAreNeeded(t *testing.T) {
	s := newScene(t)
	r, err := s.guard.Before(context.Background(), s.scope())
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`rm -rf .git notes.txt`)
	_, err = r.After(context.Background())
	s.guard.Clear()
	e, gone := errors.AsType[*GoneError](err)
	if !gone {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(e.Copies, "notes.txt")); err != nil {
		t.Error(err)
	}
}
