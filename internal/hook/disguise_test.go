//go:build unix

package hook_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/hook"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
)

// TestMain lets the test's own program be the hook of real repositories.
func TestMain(m *testing.M) {
	if os.Getenv("WARP_TEST_AS_HOOK") != "" {
		os.Exit(hook.Run(os.Args[1:], hook.Env{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: func() string { dir, _ := os.Getwd(); return dir },
			Getenv: os.Getenv, Parent: os.Getppid(), System: turnstile.System(),
		}))
	}
	os.Exit(m.Run())
}

// gitHooks installs git's own hooks.
func (p *project) gitHooks() {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{"reference-transaction", "pre-push"} {
		p.write(".git/hooks/"+name, "#!/bin/sh\nWARP_TEST_AS_HOOK=1 exec '"+self+"' git "+name+" \"$@\"\n")
		if err := os.Chmod(filepath.Join(p.root, ".git/hooks", name), 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
}

// shell runs a command as an agent's tool does, whatever becomes of it.
func (p *project) shell(command string) string {
	p.t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = p.root
	out, _ := cmd.CombinedOutput() // that it fails is the point of most
	return string(out)
}

// How a disguise is met: before it runs, by git's own hooks, or afterwards.
const (
	denied  = "denied"
	vetoed  = "vetoed"
	noticed = "noticed"
)

var disguises = []struct{ name, command, met string }{
	{"plain", "git commit -am x", denied},
	{"no-verify", "git commit --no-verify -am x", denied},
	{"quotes", `g"i"t com\mit -am x`, denied},
	{"variable", "g=git; $g commit -am x", denied},
	{"eval", `eval "git commit -am x"`, denied},
	{"sh -c", "sh -c 'git commit -am x'", denied},
	{"base64", "echo Z2l0IGNvbW1pdCAtYW0geAo= | base64 -d | sh", denied},
	{"xargs", "echo x | xargs git commit -am", denied},
	{"find", `find . -maxdepth 0 -exec git commit -am x \;`, denied},
	{"function", "f() { git \"$@\"; }; f commit -am x", denied},
	{"alias of the call", "git -c alias.x=commit x -am y", denied},
	{"hooks path", "git -c core.hooksPath=/dev/null commit -am x", denied},
	{"environment", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -am x", denied},
	{"script of a shell", "./sneak.sh", denied},
	{"code on the command line", `python3 -c "import os; os.system('git commit -am x')"`, denied},
	{"code by the input", "python3 - <<'E'\nimport os; os.system('git commit -am x')\nE", denied},
	{"hand-written ref", "git rev-parse HEAD^ > .git/refs/heads/main", denied},
	{"the hook removed", "rm .git/hooks/reference-transaction", denied},
	{"discard", "git reset --hard HEAD~1", denied},
	{"discard of a folder", "git checkout HEAD -- src", denied},
	{"discard of index and folder", "git restore -SW src", denied},
	{"force push", "git push --force origin HEAD", denied},
	{"remote by its address", "git remote set-url origin /tmp/x", denied},
	{"remote for pushes", "git config remote.origin.pushurl /tmp/x", denied},
	{"push from a clone", "git -C ../clone push origin HEAD:feature/issue-42-x", denied},
	{"push from a clone that is being made", "git clone -q ../remote.git /tmp/warp-none && cd /tmp/warp-none && git push origin HEAD:main", denied},
	{"push into the project", "git -C ../clone push " + "$PWD HEAD:refs/heads/feature/issue-42-x", denied},
	{"settings of everybody, from elsewhere", "git -C ../clone config --global core.hooksPath /tmp", denied},
	{"another repository's folder, this one's refs", "GIT_DIR=$PWD/.git git -C ../clone commit --allow-empty -m x", denied},
	{"merge by gh", "gh api -X PUT repos/o/n/pulls/1/merge", denied},
	{"merge by glab", "glab mr merge 1", denied},
	{"merge by tea", "tea pr merge 1", denied},
	{"alias of gh", "gh alias set m 'pr merge'", denied},

	{"program", "python3 sneak.py", vetoed},
	{"code in a file of the same command", `echo 'import os; os.system("git commit --allow-empty -m x")' > s.py; python3 s.py`, vetoed},
	{"program by its first line", "./sneak-line.py", vetoed},
	{"Makefile", "make sneak", vetoed},
	{"script that hides its words", "./hidden.sh", vetoed},

	{"program that goes around the hooks", "python3 around.py", noticed},
	{"program that writes the ref", "python3 ref.py", noticed},
}

func TestDisguisesAreDeniedVetoedOrNoticed(t *testing.T) {
	for _, d := range disguises {
		t.Run(d.name, func(t *testing.T) {
			p := disguised(t)
			before := p.git("rev-parse", "HEAD", "main")
			if a := p.bash(d.command); a.denied() != (d.met == denied) {
				t.Fatalf("before it runs: %q", a.Out)
			}
			if d.met == denied {
				return
			}
			said := p.shell(d.command)
			after := p.ran(d.command)
			moved := p.git("rev-parse", "HEAD", "main") != before
			frozen := p.state().Frozen != nil
			switch {
			case d.met == vetoed && (moved || frozen || !strings.Contains(said, "guarded by an active drive")):
				t.Errorf("moved: %v, frozen: %v: %s", moved, frozen, said)
			case d.met == noticed && (!moved || !frozen || after.Decision != "block"):
				t.Errorf("moved: %v, frozen: %v: %s\n%s", moved, frozen, said, after.Out)
			}
		})
	}
}

// disguised is a project in coding with git's hooks, a remote, a clone beside it, and
// programs that run git.
func disguised(t *testing.T) *project {
	t.Helper()
	need.Tool(t, "python3")
	need.Tool(t, "make")
	p := driven(t, drivestate.Coding)
	beside := filepath.Dir(p.root)
	p.git("init", "-q", "--bare", filepath.Join(beside, "remote.git"))
	p.git("remote", "add", "origin", filepath.Join(beside, "remote.git"))
	p.git("clone", "-q", filepath.Join(beside, "remote.git"), filepath.Join(beside, "clone"))
	py := func(code string) string { return "import subprocess, pathlib\n" + code + "\n" }
	for name, text := range map[string]string{
		"sneak.sh":      "#!/bin/sh\ngit commit --allow-empty -m x\n",
		"sneak.py":      py("subprocess.run(['git', 'commit', '--allow-empty', '-m', 'x'])"),
		"sneak-line.py": "#!/usr/bin/env python3\n" + py("subprocess.run(['git', 'commit', '--allow-empty', '-m', 'x'])"),
		"hidden.sh":     "#!/bin/sh\nc=$(echo tvg | tr a-z n-za-m)\n$c commit --allow-empty -m x\n",
		"Makefile":      "sneak:\n\tgit commit --allow-empty -m x\n",
		"around.py":     py("subprocess.run(['git', '-c', 'core.hooksPath=/dev/null', 'commit', '--allow-empty', '-m', 'x'])"),
		"ref.py":        py("h = subprocess.run(['git', 'commit-tree', '-p', 'HEAD', '-m', 'x', 'HEAD^{tree}'], capture_output=True, text=True).stdout\npathlib.Path('.git/refs/heads/feature/issue-42-x').write_text(h)"),
		"src/a.go":      "package src\n",
	} {
		p.write(name, text)
		if strings.HasPrefix(text, "#!") {
			if err := os.Chmod(filepath.Join(p.root, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.gitHooks()
	return p
}

// Before work is chosen the branches are the user's, who brings them up to date; but
// nothing gets on them that no remote has.
func TestBranchesAreBroughtUpToDateBeforeWorkIsChosen(t *testing.T) {
	for _, phase := range []drivestate.Phase{drivestate.Prerequisites, drivestate.Discovering} {
		p := newProject(t)
		remote := filepath.Join(filepath.Dir(p.root), "remote-"+string(phase)+".git")
		p.git("switch", "-q", "main")
		p.git("init", "-q", "--bare", "-b", "main", remote)
		p.git("remote", "add", "origin", remote)
		p.git("push", "-q", "-u", "origin", "main")
		p.git("commit", "-q", "--allow-empty", "-m", "of someone else")
		theirs := p.git("rev-parse", "HEAD")
		p.git("push", "-q", "origin", "main")
		p.git("reset", "-q", "--hard", "HEAD~1")
		p.git("update-ref", "-d", "refs/remotes/origin/main")
		driveOn(t, p, 3)
		p.walk(phase)
		p.gitHooks()
		if a := p.bash("git pull --ff-only"); a.Out != "" {
			t.Errorf("%s: %s", phase, a.Out)
		}
		said := p.shell("git pull --ff-only")
		if a := p.ran("git pull --ff-only"); a.Out != "" || p.state().Frozen != nil || p.git("rev-parse", "main") != theirs {
			t.Errorf("%s: %s\n%s", phase, said, a.Out)
		}
		if a := p.bash("git pull"); !a.denied() {
			t.Errorf("%s: a pull that may merge is let through", phase)
		}
		if said := p.shell("git commit --allow-empty -m own"); p.git("rev-parse", "main") != theirs {
			t.Errorf("%s: a commit that no remote has: %s", phase, said)
		}
	}
}
