package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var misdeeds = []struct{ name, does, want string }{
	{"nothing", `true`, ""},
	{"honest work", `echo new > made.txt; echo more >> code.txt`, ""},
	{"resets", `git reset -q --hard; git checkout -q -- .`, "destroyed"},
	{"resets and cleans", `git reset -q --hard HEAD~1; git clean -fdxq`, "commit destroyed"},
	{"commits by itself", `echo new > made.txt; git add -A -f; git commit -qm mine --no-verify`, "commit destroyed"},
	{"stages", `git add -A -f`, "destroyed"},
	{"unstages", `git reset -q`, "destroyed"},
	{"switches", `git checkout -q -f other`, "commit destroyed"},
	{"detaches and commits", `git checkout -q --detach; git commit -q --allow-empty -m x --no-verify`, "commit destroyed"},
	{"deletes .claude", `rm -rf .claude`, "destroyed"},
	{"deletes what is ignored", `rm -rf .env secrets`, "destroyed"},
	{"empties what is ignored", `: > .env; : > secrets/a.key`, "destroyed"},
	{"deletes refs", `git branch -q -D other; git tag -d v1; git stash clear`, "destroyed"},
	{"deletes refs and collects garbage", `git branch -q -D other; git tag -d v1; git stash clear; git reset -q; git reflog expire --expire=now --all; git gc -q --prune=now`, "destroyed"},
	{"changes settings", `echo '{}' > .claude/settings.json; echo approved > .claude/issues/1.md`, "settings"},
	{"adds settings", `echo '{}' > .claude/settings.local.json`, "settings"},
	{"breaks git", `git config core.bare true; git config user.name evil; rm .git/hooks/post-merge; echo '*' > .git/info/exclude; echo /tmp > .git/objects/info/alternates`, "settings"},
	{"replaces objects", `git replace HEAD HEAD~1`, "settings"},
	{"locks git", `touch .git/index.lock`, "commit"},
	{"hides a change", `echo bad > notes.txt; git update-index --assume-unchanged notes.txt; git checkout -q -- . ; git update-index --skip-worktree scratch.txt 2>/dev/null || true`, "destroyed"},
	{"puts others in the place of files", `rm scratch.txt notes.txt; mkdir scratch.txt; echo x > scratch.txt/x; ln -s /dev/null notes.txt`, "destroyed"},
	{"empties the journal", `: > .claude/state/events.jsonl`, "destroyed"},
	{"deletes the index", `rm .git/index`, "destroyed"},
	{"breaks the index", `echo x > .git/index`, "destroyed"},
	{"spoils a mode in the index", `rm .env; printf '\377\377\377\377' | dd of=.git/index bs=1 seek=36 conv=notrunc 2>/dev/null`, "destroyed"},
	{"makes a mode of the index none", `rm .env; printf '\0\0\0\0' | dd of=.git/index bs=1 seek=36 conv=notrunc 2>/dev/null`, "destroyed"},
	{"breaks the index and commits", `rm .git/index; git commit -q --allow-empty -m x --no-verify; echo x > .git/index`, "commit destroyed"},
	{"deletes HEAD", `rm .git/HEAD`, "commit"},
	{"breaks HEAD", `echo junk > .git/HEAD`, "commit"},
	{"makes a branch of nothing", `echo 1111111111111111111111111111111111111111 > .git/refs/heads/none; echo 'ref: refs/heads/none' > .git/HEAD`, "commit destroyed"},
	{"breaks a branch", `echo junk > .git/refs/heads/main`, "commit destroyed"},
	{"breaks another branch", `echo junk > .git/refs/heads/other`, "destroyed"},
	{"puts branches in the place of branches", `git branch -m main main/x; git branch -q -D other; git branch other/y/z`, "commit destroyed"},
	{"leaves what git stash pop leaves", `git rev-parse HEAD^{tree} > .git/AUTO_MERGE`, ""},
	{"leaves a merge under way", `git rev-parse HEAD > .git/MERGE_HEAD`, "commit"},
}

func TestAPersonsThingsAreRestored(t *testing.T) {
	for _, m := range misdeeds {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			before := s.sh(look)
			s.run(s.scope(), m.does)
			if after := s.sh(look); after != before {
				t.Errorf("was\n%s\nis\n%s\nfindings %v", before, after, s.found)
			}
			if have := strings.Join(s.what(), " "); have != m.want {
				t.Errorf("found %q, want %q: %v", have, m.want, s.found)
			}
		})
	}
}

// What the run itself did stays, and is told.
func TestTheRunsOwnWorkStays(t *testing.T) {
	s := newScene(t)
	out := s.run(s.scope(), `echo new > made.txt; echo more >> code.txt; git add -A; git commit -qm mine --no-verify`)
	if have := strings.Join(out.Changed, " "); have != "code.txt made.txt" {
		t.Errorf("changed %q", have)
	}
	if have := s.sh("cat made.txt; tail -1 code.txt; git log --format=%s -1"); have != "new\nmore\nsecond\n" {
		t.Errorf("there is %q", have)
	}
}

// What a run has stashed away is in the work tree again.
func TestStashedFilesAreBack(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `git stash -q -u`)
	if have := s.sh("cat notes.txt staged.txt scratch.txt; git diff --cached --name-only"); have != "one\ntwo\none\ntwo\nthree\nmine\nstaged.txt\n" {
		t.Errorf("there is %q", have)
	}
}

func TestARunThatMayOnlyLookChangesNothing(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo earlier > made.txt`)
	before := s.sh(look + "; cat made.txt code.txt")
	sc := s.scope()
	sc.ReadOnly = true
	if out := s.run(sc, `echo x > made.txt; echo x > code.txt; rm precious.txt; echo new > other.txt`); len(out.Changed) > 0 {
		t.Errorf("changed %v", out.Changed)
	}
	if after := s.sh(look + "; cat made.txt code.txt"); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	if have := s.sh("ls other.txt 2>/dev/null || true"); have != "" || strings.Join(s.what(), " ") != Looked {
		t.Errorf("%q is there, found %v", have, s.found)
	}
}

// What a person changes between two runs, or outside of what a run may change, is
// not the run's.
func TestAChangeHasAnOwner(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo a > made.txt`)
	s.sh(`echo person > theirs.txt; echo person >> code.txt`)
	sc := s.scope()
	sc.Allows = func(p string) bool { return strings.HasPrefix(p, "made") }
	r, err := s.guard.Before(context.Background(), sc)
	if err != nil {
		t.Fatal(err)
	}
	if have := strings.Join(r.Between, " "); have != "code.txt theirs.txt" {
		t.Errorf("between: %q", have)
	}
	s.sh(`echo b > made.txt; echo x > elsewhere.txt; rm theirs.txt`)
	out, err := r.After(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(out.Changed, " ") != "made.txt" || strings.Join(out.Outside, " ") != "elsewhere.txt" {
		t.Errorf("%+v", out)
	}
	if have := s.sh("cat theirs.txt elsewhere.txt"); have != "person\nx\n" {
		t.Errorf("there is %q", have)
	}
}

// A secret that a run has git no longer ignore stays out of every tree.
func TestWhatWasIgnoredIsNeverTaken(t *testing.T) {
	s := newScene(t)
	out := s.run(s.scope(), `echo '# nothing' > .gitignore; echo a > made.txt`)
	if !slices.Contains(out.Revealed, ".env") || slices.Contains(out.Changed, ".env") {
		t.Errorf("%+v", out)
	}
	tree, err := s.guard.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if have := s.sh("git ls-tree -r --name-only " + tree); strings.Contains(have, ".env") || strings.Contains(have, "secrets") || !strings.Contains(have, "made.txt") {
		t.Errorf("the tree has %s", have)
	}
}

// A folder that a tool has made anew is left as the tool made it.
func TestDependenciesAreNotUndone(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `rm -rf node_modules; mkdir node_modules; echo newer > node_modules/y.js`)
	if have := s.sh("ls node_modules"); have != "y.js\n" {
		t.Errorf("there is %q", have)
	}
}

// A file of a person's that was overwritten is kept as it was.
func TestWhatWasOverwrittenIsKept(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo junk > notes.txt; echo JUNK=1 > .env`)
	if have := s.sh("cat .git/warp/replaced/notes.txt-* .git/warp/replaced/.env-*"); have != "one\ntwo\nSECRET=1\n" {
		t.Errorf("kept %q", have)
	}
	if have := strings.Join(s.what(), " "); have != Yours {
		t.Errorf("found %q", have)
	}
}

// A loop that works on such a file again and again once kept, and told of, each of its own
// versions. What the person writes in between is kept.
func TestWhatRunsHaveWrittenIsNotKept(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo junk > notes.txt`)
	s.run(s.scope(), `echo more >> notes.txt`)
	s.guard = s.open() // the next engine
	s.run(s.scope(), `true`)
	s.run(s.scope(), `echo again >> notes.txt`)
	if have := s.sh("cat .git/warp/replaced/notes.txt-*"); have != "one\ntwo\n" {
		t.Errorf("kept %q", have)
	}
	if len(s.found) != 1 {
		t.Errorf("found %+v", s.found)
	}
	s.sh("echo mine > notes.txt")
	s.run(s.scope(), `echo junk > notes.txt`)
	if have := s.sh("cat .git/warp/replaced/notes.txt-* | sort"); have != "mine\none\ntwo\n" {
		t.Errorf("kept %q", have)
	}
}

func TestWithoutARepositoryItIsSaidWhatIsLost(t *testing.T) {
	s := newScene(t)
	s.sh(`git remote add origin https://example.invalid/r.git`)
	r, err := s.guard.Before(context.Background(), s.scope())
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`rm -rf .git`)
	_, err = r.After(context.Background())
	e, gone := errors.AsType[*GoneError](err)
	if !gone || !strings.Contains(e.Advice(), "git clone https://example.invalid/r.git") {
		t.Fatalf("%v", err)
	}
	if text, err := os.ReadFile(filepath.Join(e.Copies, "notes.txt")); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("%q %v", text, err)
	}
}

// An engine that is killed while an agent runs leaves a note; the next one looks
// after what the agent did, and what it left in the work tree is its work.
func TestAKilledEngineIsLookedAfter(t *testing.T) {
	s := newScene(t)
	before := s.sh(look)
	if _, err := s.guard.Before(context.Background(), s.scope()); err != nil {
		t.Fatal(err)
	}
	s.sh(`echo new > made.txt; git reset -q --hard; rm -rf .env .claude; touch .git/index.lock; git commit -q --allow-empty -m x 2>/dev/null || true`)
	s.guard = s.open()
	found, err := s.guard.Recover(context.Background(), s.scope())
	if !found || err != nil {
		t.Fatal(found, err)
	}
	if after := s.sh(look); after != before {
		t.Errorf("was\n%s\nis\n%s\n%v", before, after, s.found)
	}
	r, err := s.guard.Before(context.Background(), s.scope())
	if err != nil || len(r.Between) > 0 {
		t.Errorf("what the killed run left is taken for a person's: %v %v", r.Between, err)
	}
	if found, err := s.guard.Recover(context.Background(), Scope{Owner: "test"}); !found || err != nil {
		t.Error(found, err)
	}
	if found, _ := s.guard.Recover(context.Background(), s.scope()); found {
		t.Error("it is looked after twice")
	}
}

func TestPushesOfOthersAreNoticed(t *testing.T) {
	ctx := context.Background()
	s := newScene(t)
	s.sh(`git init -q --bare ../origin.git && git remote add origin ../origin.git && git push -q origin main && git clone -q ../origin.git ../colleague && git -C ../colleague config user.name c && git -C ../colleague config user.email c@example.invalid`)
	m := &Remote{Work: s.guard.Work, Name: "origin", Remark: s.guard.Remark}
	check := func(want string) {
		t.Helper()
		err := m.Check(ctx, "refs/heads/feature")
		if have := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(have, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	check("")
	s.sh(`git -C ../colleague commit -q --allow-empty -m theirs && git -C ../colleague push -q`)
	check("") // a colleague's push is ordinary
	s.sh(`git push -q origin main:feature`)
	check("the branch of this work")
	m.Pushed("feature", strings.TrimSpace(s.sh("git rev-parse main")))
	s.sh(`git fetch -q && h=$(git commit-tree -m evil -p origin/main origin/main^{tree}) && git push -q --no-verify origin $h:main`)
	check("came from this repository")
	s.sh(`rm -rf ../origin.git`)
	check("")
	if !slices.ContainsFunc(s.said, func(t string) bool { return strings.Contains(t, "could not be read, so a push") }) {
		t.Errorf("nothing was said: %v", s.said)
	}
}
