package detect_test

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/core/project"
	"warp/internal/engine/detect"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
)

// How work is tested is found out from what it began with, not from what it made.
func TestTestsAreFoundInTheBase(t *testing.T) {
	root := t.TempDir()
	gittest.Sh(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
mkdir app; echo module shop > app/go.mod; git add -A; git commit -qm base; printf 'test:\n\ttrue\n' > app/Makefile; printf 'test:\n\ttrue\n' > Makefile; git add -A`)
	repo := git.Repo{Dir: root}
	base, now := gittest.Sh(t, root, "git rev-parse HEAD"), gittest.Sh(t, root, "git write-tree")
	for _, c := range []struct{ tree, prefix, want string }{{base, "app", "go test ./..."}, {base, "", ""}, {now, "app", "make test"}, {now, "", "make test"}, {base, "none", ""}} {
		if have := detect.FindTests(judge.ReadTree(repo, c.tree, c.prefix)); have != c.want {
			t.Errorf("%s in %q: %q, want %q", c.tree, c.prefix, have, c.want)
		}
	}
	if have := detect.FindTests(detect.ReadProject(filepath.Join(root, "app"))); have != "make test" {
		t.Errorf("in the folder: %q", have)
	}
}

// Files of tests alone say that a project is one of Python; which runner there is, Python
// says, and not in the project's folder, where a file could speak for it.
func TestBareTestsOfPythonAreFound(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	gittest.Sh(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
mkdir -p 'app[1]/tests'; echo > 'app[1]/tests/test_prices.py'; echo > pytest.py; git add -A; git commit -qm base`)
	for exit, want := range map[string]string{"0": "python3 -m pytest -q", "1": "python3 -m unittest discover -s tests"} {
		gittest.Sh(t, bin, "printf '#!/bin/sh\\npwd > "+bin+"/where; exit "+exit+"\\n' > python3; chmod 755 python3")
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		for from, files := range map[string]project.Files{
			"tree": judge.ReadTree(git.Repo{Dir: root}, gittest.Sh(t, root, "git rev-parse HEAD"), "app[1]"), "folder": detect.ReadProject(filepath.Join(root, "app[1]")),
		} {
			if have := detect.FindTests(files); have != want {
				t.Errorf("%s, exit %s: %q, want %q", from, exit, have, want)
			}
		}
		if where := gittest.Sh(t, bin, "cat where"); where != "/" {
			t.Errorf("Python was asked in %s", where)
		}
	}
}
