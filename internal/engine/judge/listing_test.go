package judge_test

import (
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

func TestNamesOfATreeAreReadWhereverTheyAre(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	sh(t, root, `git init -q; git config user.name t; git config user.email t@example.invalid
mkdir -p app/lib; printf top > test.sh; printf run > app/run.sh; printf deep > 'app/lib/[a].sh'; git add -A`)
	repo, tree := git.Repo{Dir: root}, sh(t, root, "git write-tree")
	read := judge.ReadTree(repo, tree, "app")
	for name, want := range map[string]string{
		"run.sh": "run", "./run.sh": "run", "lib/../run.sh": "run", "lib/[a].sh": "deep", "../test.sh": "top", "lib": "",
	} {
		if text, ok := read(name); !ok || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, ok)
		}
	}
	for _, name := range []string{"test.sh", "lib/a.sh", "run.sh/x", "none/run.sh", "../../test.sh", "LIB"} {
		if text, ok := read(name); ok {
			t.Errorf("%s: %q is not there", name, text)
		}
	}
}
