package room

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"warp/internal/core/redfirst"

	"warp/internal/sys/git"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newRooms(t *testing.T) *Rooms {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	sh(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
mkdir app; cd app; printf '*.log\n.env*\nnode_modules\n' > .gitignore; echo one > code.txt; printf '$Id$\r\n' > id.txt; echo '* ident text eol=lf filter=evil' > .gitattributes
git -c core.autocrlf=false add -A; git commit -qm begin; git config filter.evil.smudge 'sed s/one/EVIL/'; echo secret > .env.test; echo x > build.log`)
	return &Rooms{Repo: git.Repo{Dir: root}, Common: filepath.Join(root, ".git"), Root: filepath.Join(root, "app"), Prefix: "app", Cache: t.TempDir()}
}

func (r *Rooms) tree(t *testing.T) string {
	t.Helper()
	return sh(t, r.Root, "git add -A 2>/dev/null; git write-tree")
}

func enter(t *testing.T, r *Rooms, tree string) *Room {
	t.Helper()
	m, err := r.Enter(t.Context(), tree, sh(t, r.Root, "git rev-parse HEAD"))
	must(t, err)
	return m
}

// A room has what the tree has: nothing that is ignored, and no filter of the
// repository's touches it.
func TestARoomHasTheTreeAndNothingElse(t *testing.T) {
	r := newRooms(t)
	m := enter(t, r, r.tree(t))
	if have := sh(t, m.Dir, "ls -A | sort | tr '\\n' ' '; cat code.txt; git status --porcelain; git log --oneline | wc -l"); have != ".gitattributes .gitignore code.txt id.txt one\n2" {
		t.Errorf("it has %q", have)
	}
	if text, err := os.ReadFile(filepath.Join(m.Dir, "id.txt")); err != nil || !strings.HasPrefix(string(text), "$Id$") {
		t.Errorf("id.txt is %q, %v", text, err)
	}
	must(t, m.Leave())
}

// What a run leaves is gone, also where it hides behind a time that was put back.
func TestWhatARunLeavesIsRemoved(t *testing.T) {
	r := newRooms(t)
	tree := r.tree(t)
	m := enter(t, r, tree)
	sh(t, m.Dir, `touch -r code.txt stamp; echo two > code.txt; touch -r stamp code.txt; echo x > new.txt; echo x > more.log; mkdir -p d/e; echo x > d/e/f; git init -q inner; rm id.txt .gitattributes; mkdir id.txt; echo x > id.txt/x; ln -s code.txt .gitattributes; git config filter.evil.smudge 'sed s/one/EVIL/'; git config core.hooksPath hooks; echo nonsense > $(git rev-parse --git-dir)/info/attributes; git checkout -q --orphan x 2>/dev/null || true`)
	must(t, m.Leave())
	m = enter(t, r, tree)
	if have := sh(t, m.Dir, "ls -A | sort | tr '\\n' ' '; cat code.txt; test -f id.txt -a ! -L .gitattributes && echo whole"); have != ".gitattributes .gitignore code.txt id.txt one\nwhole" {
		t.Errorf("it has %q", have)
	}
	must(t, m.Leave())
	// Only what differs is written for the next tree.
	sh(t, r.Root, "echo three > other.txt")
	inode := sh(t, m.Dir, "stat -c %i code.txt")
	m = enter(t, r, r.tree(t))
	if have := sh(t, m.Dir, "stat -c %i code.txt; cat other.txt"); have != inode+"\nthree" {
		t.Errorf("it has %q, not %q", have, inode)
	}
	must(t, m.Leave())
}

// Two judgements at once have a room each; one that is damaged is made anew.
func TestRoomsAreApart(t *testing.T) {
	r := newRooms(t)
	tree := r.tree(t)
	a, b := enter(t, r, tree), enter(t, r, tree)
	if a.Dir == b.Dir || a.Home == b.Home {
		t.Errorf("they share %s", a.Dir)
	}
	must(t, a.Leave())
	must(t, b.Leave())
	must(t, os.WriteFile(filepath.Join(a.gitDir, "index"), []byte("nonsense"), 0o600))
	if m := enter(t, r, tree); sh(t, m.Dir, "cat code.txt") != "one" {
		t.Error("it is not whole")
	}
	if _, err := r.Enter(t.Context(), strings.Repeat("1", 40), "HEAD"); err == nil {
		t.Error("a tree that is not there was entered")
	}
}

// What is installed is what the base's lock file names, once, and again when a run has
// changed it.
func TestSetup(t *testing.T) {
	r := newRooms(t)
	sh(t, r.Root, "echo '{}' > package-lock.json; git add -A; git commit -qm lock; echo two > code.txt")
	runs := 0
	var bad error
	r.Setup = Setup{Copy: []string{".env*"}, Run: func(_ context.Context, m *Room, line string, confined bool) error {
		runs++
		if !strings.HasPrefix(line, "npm ci") || confined {
			t.Errorf("it runs %q", line)
		}
		if have := sh(t, m.Dir, "cat code.txt"); have != "one" { // its scripts are the base's
			t.Errorf("it runs on %q", have)
		}
		sh(t, m.Dir, "mkdir -p node_modules/.bin; echo tool > node_modules/.bin/tool")
		return bad
	}}
	tree := r.tree(t)
	for _, c := range []struct {
		script string
		runs   int
	}{
		{"true", 1}, {"true", 1}, {"echo cache > node_modules/.cache", 1},
		{"touch -r node_modules/.bin/tool /tmp/stamp$$; echo evil > node_modules/.bin/tool; touch -r /tmp/stamp$$ node_modules/.bin/tool; rm /tmp/stamp$$", 2},
		{"rm node_modules/.bin/tool", 3}, {"true", 3},
	} {
		m := enter(t, r, tree)
		if have := sh(t, m.Dir, "cat node_modules/.bin/tool .env.test; ls -A node_modules"); have != "tool\nsecret\n.bin" {
			t.Errorf("before %s it has %q", c.script, have)
		}
		sh(t, m.Dir, c.script)
		must(t, m.Leave())
		m = enter(t, r, tree)
		if runs != c.runs {
			t.Errorf("after %s it was set up %d times, not %d", c.script, runs, c.runs)
		}
		must(t, m.Leave())
	}
	bad = errors.New("no network")
	r.Setup.Command = "npm ci other"
	if _, err := r.Enter(t.Context(), tree, sh(t, r.Root, "git rev-parse HEAD")); err == nil || !strings.Contains(err.Error(), "worktree_setup") {
		t.Errorf("it says %v", err)
	}
}

// What the work itself wants to have installed is installed confined, beside the base's:
// both stay as they are when trees alternate.
func TestSetupOfTheWorksOwn(t *testing.T) {
	r := newRooms(t)
	sh(t, r.Root, "echo '{}' > package-lock.json; git add -A; git commit -qm lock; echo '{\"more\":1}' > package-lock.json")
	var ran []string
	var bad error
	r.Setup = Setup{Run: func(_ context.Context, m *Room, line string, confined bool) error {
		ran = append(ran, fmt.Sprint(sh(t, m.Dir, "cat package-lock.json"), confined))
		sh(t, m.Dir, "mkdir -p node_modules; cp package-lock.json node_modules/lock")
		return bad
	}}
	work, base := r.tree(t), sh(t, r.Root, "git rev-parse HEAD^{tree}")
	for range 3 {
		for _, tree := range []string{base, work} {
			m, err := r.Enter(t.Context(), tree, base)
			must(t, err)
			if have := sh(t, m.Dir, "cmp package-lock.json node_modules/lock && echo same"); have != "same" {
				t.Error(have)
			}
			must(t, m.Leave())
		}
	}
	if have := strings.Join(ran, "; "); have != `{}false; {"more":1}true` {
		t.Errorf("installed was %s", have)
	}
	bad = errors.New("no network")
	var own *WorkError
	sh(t, r.Root, "echo '{\"evil\":1}' > package-lock.json")
	if _, err := r.Enter(t.Context(), r.tree(t), base); !errors.As(err, &own) || !strings.Contains(err.Error(), "sandbox_hosts") {
		t.Errorf("it says %v", err)
	}
}

// A command of the user's is run once for what it may install by, and in a workspace
// where its lock file is.
func TestSetupByACommand(t *testing.T) {
	r := newRooms(t)
	sh(t, r.Root, "mkdir -p web; echo 1 > web/x; echo a==1 > requirements.txt; echo '{}' > ../package-lock.json; git add -A ..; git commit -qm a")
	base := sh(t, r.Root, "git rev-parse HEAD")
	var ran []string
	r.Setup = Setup{Run: func(_ context.Context, m *Room, line string, confined bool) error {
		ran = append(ran, fmt.Sprint(line, confined))
		sh(t, m.Dir, "mkdir -p out; echo x > out/made")
		return nil
	}}
	r.Prefix = "app/web"
	m, err := r.Enter(t.Context(), r.tree(t), base)
	must(t, err)
	must(t, m.Leave())
	if have := strings.Join(ran, "; "); have != "cd ../../ && npm ci --no-audit --no-fund --loglevel=errorfalse" {
		t.Errorf("run was %q", have)
	}
	r.Prefix, r.Setup.Command, ran = "app", "make deps", nil
	for _, does := range []string{"true", "echo x > code.txt", "echo a==2 > requirements.txt", "true"} {
		sh(t, r.Root, does)
		m, err := r.Enter(t.Context(), r.tree(t), base)
		must(t, err)
		must(t, m.Leave())
	}
	if have := strings.Join(ran, "; "); have != "make depsfalse; make depstrue" {
		t.Errorf("run was %q", have)
	}
}

// What a run leaves in its home folder says nothing to the next, but for caches.
func TestAHomeFolderIsFresh(t *testing.T) {
	r := newRooms(t)
	m := enter(t, r, r.tree(t))
	sh(t, m.Home, "mkdir -p .cache/go-build .cache/evil .config/go locked/in; echo x > .npmrc; echo x > .config/go/env; echo x > .cache/go-build/x; ln -s / .npm; chmod 0 locked")
	must(t, m.Leave())
	m = enter(t, r, r.tree(t))
	if have := sh(t, m.Home, "find . | sort | tr '\\n' ' '"); have != ". ./.cache ./.cache/go-build ./.cache/go-build/x ./tmp" {
		t.Errorf("it has %s", have)
	}
}

// Links lead neither to the user's files nor out of the room.
func TestCopiesFollowNoLink(t *testing.T) {
	r := newRooms(t)
	secret := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(secret, []byte("secret"), 0o600))
	for name, does := range map[string]string{"a file": "rm -f .env.test; ln -s " + secret + " .env.test", "a folder": "rm -f .env.test; ln -s " + filepath.Dir(secret) + " conf"} {
		sh(t, r.Root, does)
		r.Setup.Copy = []string{".env.test", "conf/*"}
		if m, err := r.Enter(t.Context(), sh(t, r.Root, "git rev-parse HEAD^{tree}"), ""); err == nil {
			if have := sh(t, m.top, "grep -rs secret . || true"); have != "" {
				t.Errorf("%s: %s", name, have)
			}
			must(t, m.Leave())
		} else if !strings.Contains(err.Error(), "link") {
			t.Errorf("%s: %v", name, err)
		}
		sh(t, r.Root, "rm -rf .env.test conf")
	}
}

func TestTheEnvironmentOfARoom(t *testing.T) {
	m := &Room{Home: "/h", rooms: &Rooms{Root: "/p"}}
	have := strings.Join(m.Environ([]string{"PATH=/bin:bin:/p/bin:/p:/pq", "HOME=/root", "GITHUB_TOKEN=x", "LC_ALL=C", "TELEGRAM_BOT_TOKEN=y", "NODE_OPTIONS=--require=evil"}), " ")
	if have != "PATH=/bin:/pq LC_ALL=C CI=1 HOME=/h TMPDIR=/h/tmp" {
		t.Errorf("%q", have)
	}
}

// Objects of a repository may have long names.
func TestARoomOfLongNames(t *testing.T) {
	root := t.TempDir()
	sh(t, root, `git init -q -b main --object-format=sha256; git config user.name t; git config user.email t@example.invalid; echo one > code.txt; git add -A; git commit -qm begin`)
	r := &Rooms{Repo: git.Repo{Dir: root}, Common: filepath.Join(root, ".git"), Root: root, Cache: t.TempDir()}
	m := enter(t, r, sh(t, root, "git rev-parse HEAD"))
	if have := sh(t, m.Dir, "cat code.txt; git status --porcelain; git log --oneline | wc -l"); have != "one\n2" {
		t.Errorf("it has %q", have)
	}
	must(t, m.Leave())
}

// What a room has besides the tree comes to a work tree too, with the paths that it
// names; what git would commit there does not.
func TestFurnish(t *testing.T) {
	r := newRooms(t)
	sh(t, r.Root, `git config --unset filter.evil.smudge; echo "{}" > package-lock.json; git add -A; git commit -qm lock; echo new > seen.txt; echo gone > .env.local`)
	r.Setup = Setup{Copy: []string{".env.*", "seen.txt"}, Run: func(_ context.Context, m *Room, _ string, _ bool) error {
		sh(t, m.Dir, `mkdir -p node_modules/.bin node_modules/a; echo "#!$PWD/node/run" > node_modules/a/run; chmod +x node_modules/a/run; ln -s ../a/run node_modules/.bin/run; ln -s "$PWD/code.txt" node_modules/whole`)
		return nil
	}}
	base := sh(t, r.Root, "git rev-parse HEAD")
	top := filepath.Join(t.TempDir(), "other")
	sh(t, r.Root, "git worktree add -q -b other "+top)
	keptBack, err := r.Furnish(t.Context(), top, base, base)
	must(t, err)
	if len(keptBack) != 1 || keptBack[0] != "app/seen.txt" {
		t.Errorf("kept back: %q", keptBack)
	}
	have := sh(t, filepath.Join(top, "app"), `cat node_modules/.bin/run node_modules/whole .env.test .env.local; test -x node_modules/a/run; ls; git status --porcelain`)
	if want := "#!" + top + "/app/node/run\none\nsecret\ngone\ncode.txt\nid.txt\nnode_modules\npackage-lock.json"; have != want {
		t.Errorf("there is\n%s\nwant\n%s", have, want)
	}
}

// New folders belong to the group of the one around them then, and git decides who may write.
func TestARoomInAFolderOfAGroup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no groups of folders on Windows")
	}
	r := newRooms(t)
	must(t, os.Chmod(r.Cache, 0o700|fs.ModeSetgid))
	m := enter(t, r, r.tree(t))
	if text, err := os.ReadFile(filepath.Join(m.Dir, "code.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// What is laid over the tree is gone when the room is opened again, and leads nowhere else.
func TestFilesLaidOverTheTree(t *testing.T) {
	r := newRooms(t)
	m := enter(t, r, r.tree(t))
	must(t, m.Lay(nil))
	must(t, m.Lay([]redfirst.File{{Path: "new/check.sh", Content: "true\n", Run: true}, {Path: "new/check.sh", Content: "false\n"}}))
	left, err := m.Left(t.Context())
	if err != nil || len(left) != 1 || left[0] != "new/check.sh" {
		t.Errorf("%q, %v", left, err)
	}
	if err := m.Lay([]redfirst.File{{Path: "../out", Content: "x"}}); err == nil {
		t.Error("a file was written out of the room")
	}
	must(t, m.Leave())
}
