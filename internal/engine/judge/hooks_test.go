package judge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
)

// Hooks are run on what would be committed, and what they make of it is told.
func TestHooks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	gittest.Copy(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid; echo one > a.txt; git add -A; git commit -qm base
printf '#!/bin/sh\necho done >> a.txt\n! grep -q bad a.txt\n' > .git/hooks/pre-commit; printf '#!/bin/sh\necho more >> "$1"\n' > .git/hooks/commit-msg; printf '#!/bin/sh\ncat; exit 1\n' > .git/hooks/pre-push; chmod 755 .git/hooks/pre-* .git/hooks/commit-msg`)
	head := sh(t, root, "git rev-parse HEAD")
	h := judge.Hooks{CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: rooms.Open(t, root)}, Top: root, Folder: filepath.Join(root, ".git", "hooks"), Base: head}
	ask := func(does string) (judge.HookRequest, judge.HookVerdict) {
		sh(t, root, does+"; git add -A")
		a := judge.HookRequest{Candidate: judge.Candidate{Repo: git.Repo{Dir: root}, Base: head, Tree: sh(t, root, "git write-tree")}, Head: head, Message: "feat: x\n"}
		v, err := h.CheckCommit(t.Context(), a)
		if err != nil || !h.HasHooks(a) {
			t.Fatal(err)
		}
		return a, v
	}
	if _, v := ask("echo two > a.txt"); !v.OK || v.Message != "feat: x\nmore\n" || sh(t, root, "git show "+v.Tree+":a.txt") != "two\ndone" {
		t.Errorf("%+v", v)
	}
	a, v := ask("echo bad > a.txt")
	if v.OK {
		t.Errorf("%+v", v)
	}
	a.Push, a.Tree = &judge.Push{Remote: "origin", URL: "u", Line: "a b c d"}, head
	if v, err := h.CheckCommit(t.Context(), a); err != nil || v.OK || !strings.Contains(v.Output, "a b c d") {
		t.Errorf("%+v, %v", v, err)
	}
}
