//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

const own = "feature/issue-42-x"

func TestOnlyThePhasesOwnCommitsAreAmended(t *testing.T) {
	p := driven(t, drivestate.Committing)
	before := p.git("rev-parse", "HEAD")
	amended := p.git("commit-tree", "-p", "HEAD~0", "-m", "of the phase", "HEAD^{tree}")
	old := p.git("commit-tree", "-m", "instead of what was there", "HEAD^{tree}")
	first := p.commit("feat: a")
	p.transaction("committed", before, first, "refs/heads/"+own)
	if a := p.transaction("prepared", first, amended, "refs/heads/"+own); a.Exit != 0 {
		t.Errorf("an amend of the phase's commit: %s", a.Err)
	}
	if a := p.transaction("prepared", first, before, "refs/heads/"+own); a.Exit != 0 {
		t.Errorf("taking the phase's commit back: %s", a.Err)
	}
	if a := p.transaction("prepared", first, old, "refs/heads/"+own); a.Exit != 1 || !strings.Contains(a.Err, "drop commits") {
		t.Errorf("an amend of an older commit: %+v", a)
	}
	if a := p.transaction("prepared", first, none, "refs/heads/"+own); a.Exit != 1 || !strings.Contains(a.Err, "cannot be deleted") {
		t.Errorf("a deletion: %+v", a)
	}
	if a := p.transaction("prepared", first, strings.Repeat("ab", 20), "refs/heads/"+own); a.Exit != 1 {
		t.Error("a commit that nobody has")
	}
}

func TestABranchMayGoBackToWhereItWasSeen(t *testing.T) {
	p := driven(t, drivestate.Coding)
	seen := p.git("rev-parse", "HEAD")
	sneaked := p.commit("feat: sneaked in")
	if a := p.transaction("prepared", sneaked, seen, "refs/heads/"+own); a.Exit != 0 {
		t.Errorf("it may not be put back: %s", a.Err)
	}
	if a := p.transaction("prepared", seen, sneaked, "refs/heads/"+own); a.Exit != 1 {
		t.Error("it may be moved on")
	}
}

func TestEveryLineOfATransactionIsLookedAt(t *testing.T) {
	p := driven(t, drivestate.Coding)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	lines := strings.Join([]string{
		"not three", head + " " + head + " refs/heads/" + own, head + " " + loose + " refs/heads/other",
		head + " " + loose + " refs/heads/main",
	}, "\n")
	if a := p.raw(lines, "git", "reference-transaction", "prepared"); a.Exit != 1 || !strings.Contains(a.Err, "main is guarded") {
		t.Errorf("got %+v", a)
	}
	p.walk(drivestate.Committing)
	if a := p.raw(lines, "git", "reference-transaction", "committed"); a.Exit != 0 {
		t.Errorf("what has happened is refused: %s", a.Err)
	}
	w := p.state().Watch
	if _, other := w["other"]; other || w["main"].Tip != head || w[own].Tip != head { // what was not allowed was not seen
		t.Errorf("watched %v", w)
	}
}

func TestOtherGitHooksAreLeftAlone(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, args := range [][]string{{"git"}, {"git", "post-checkout", "x"}, {"git", "reference-transaction"}} {
		if a := p.raw("x", args...); a.Exit != 0 || a.Err != "" {
			t.Errorf("%q: %+v", args, a)
		}
	}
}

// A drive in one work tree guards its branches in all of them, and only its own.
func TestADriveIsGuardedFromEveryWorkTree(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(t.TempDir(), "other")
	p.git("worktree", "add", "-q", "-b", "topic", other)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	w := &project{t: t, root: other, drive: turnstile.Open(other, turnstile.System())}
	driveOn(t, w, 3)
	for name, from := range map[string]*project{"the main one": p, "its own": w} {
		if a := from.transaction("prepared", head, loose, "refs/heads/topic"); a.Exit != 1 {
			t.Errorf("from %s topic may be moved", name)
		}
		if a := from.transaction("prepared", head, loose, "refs/heads/"+own); a.Exit != 0 {
			t.Errorf("from %s: %s", name, a.Err)
		}
	}
	if a := w.bash("git -C " + p.root + " commit -m x"); !a.denied() {
		t.Error("a commit in the other work tree of the repository is let through")
	}
	if a := p.bash("git commit -m x"); a.Out != "" {
		t.Errorf("the main work tree has no drive: %s", a.Out)
	}
}

func TestPushesOfTagsAndOddLinesAreLeftAlone(t *testing.T) {
	p := driven(t, drivestate.Coding)
	head := p.git("rev-parse", "HEAD")
	if a := p.raw("refs/tags/v1 "+head+" refs/tags/v1 "+none+"\nodd line\n", "git", "pre-push", "origin", "url"); a.Exit != 0 {
		t.Errorf("a tag: %s", a.Err)
	}
	if a := p.raw("odd\nrefs/heads/x "+head+" refs/heads/main "+none+"\n", "git", "pre-push", "origin", "url"); a.Exit != 1 {
		t.Error("a line after an odd one is not looked at")
	}
}

func TestFilesThatLeadElsewhereAreNotEdited(t *testing.T) {
	p := driven(t, drivestate.Coding)
	outside := t.TempDir()
	for name, to := range map[string]string{"dangling": filepath.Join(outside, "new"), "relative": "../up", "hooks": ".git/hooks/pre-push", "fine": "made/later.go"} {
		if err := os.Symlink(to, filepath.Join(p.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{"dangling": "outside the project", "relative": "outside the project", "hooks": "belongs to warp or git", ".claude/checkpoint-1.json": "belongs to warp or git", ".codex/config.toml": "belongs to warp or git"} {
		if a := p.edit("PreToolUse", file); !strings.Contains(a.Specific.Reason, want) {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
	for _, file := range []string{"fine", "docs/checkpoint-1.json"} {
		if a := p.edit("PreToolUse", file); a.Out != "" {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
	p.git("config", "core.hooksPath", "scripts/hooks")
	if a := p.edit("PreToolUse", "scripts/hooks/pre-push"); !a.denied() {
		t.Error("the hooks where core.hooksPath has them")
	}
	if a := p.edit("PreToolUse", "scripts/hooks/other"); a.Out != "" {
		t.Errorf("another hook: %s", a.Out)
	}
	relative := payload{"cwd": "somewhere", "tool_name": "Write", "tool_input": payload{"file_path": ".git/config"}}
	if a := p.hook("PreToolUse", relative); !a.denied() {
		t.Error("a folder that is not absolute")
	}
}

// The git folder of a linked work tree is elsewhere, and guarded all the same.
func TestTheGitFolderOfALinkedWorkTreeIsNotEdited(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(t.TempDir(), "other")
	p.git("worktree", "add", "-q", "-b", "topic", other)
	w := &project{t: t, root: other, drive: turnstile.Open(other, turnstile.System())}
	driveOn(t, w, 3)
	for _, file := range []string{".git", filepath.Join(p.root, ".git/config"), filepath.Join(p.root, ".git/worktrees/other/HEAD")} {
		if a := w.edit("PreToolUse", file); !strings.Contains(a.Specific.Reason, "belongs to warp or git") {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
}

func TestPatternsAreHeldToWhatTheyCouldMatch(t *testing.T) {
	p := driven(t, drivestate.Committing)
	for command, denied := range map[string]bool{
		"rm .claude/s*": true, "rm -rf .c*": true, "rm .git/?EAD": true, "rm .claude/.warp*": true, "rm .claude/[s]ettings.json": true,
		"rm *.json": false, "rm .x*": false, "rm .claude/commands/*": false, "rm .claude/d*/x": false,
	} {
		if a := p.bash(command); a.denied() != denied {
			t.Errorf("%s: %s", command, a.Out)
		}
	}
}

func TestAScriptIsLookedInto(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write("release.sh", "#!/bin/sh\ngit push --force\n")
	p.write("fine.sh", "#!/bin/sh\ngo test ./...\n")
	if a := p.bash("sh release.sh"); !strings.Contains(a.Specific.Reason, "force push") {
		t.Errorf("a script that pushes: %s", a.Out)
	}
	if a := p.bash("sh fine.sh"); a.Out != "" {
		t.Errorf("a harmless one: %s", a.Out)
	}
}

func TestHooksAreNotGoneAroundFromAnotherRepository(t *testing.T) {
	p := driven(t, drivestate.Committing)
	other := t.TempDir()
	for _, command := range []string{"cd " + other + " && git config --global core.hooksPath /x", "cd " + other + " && rm -rf " + p.root + "/.git/hooks", "cd " + other + " && warp override --reason x"} {
		if a := p.bash(command); !a.denied() {
			t.Errorf("%s is let through", command)
		}
	}
	if a := p.bash("git commit --no-verify -m 'feat: x'"); !strings.Contains(a.Specific.Reason, "`git commit --no-verify") {
		t.Errorf("the reason does not say what: %s", a.Specific.Reason)
	}
}

// A linked work tree has the settings of the main one, so they are guarded there.
func TestTheSettingsOfTheMainWorkTreeAreGuarded(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(t.TempDir(), "other")
	p.git("worktree", "add", "-q", "-b", "topic", other)
	w := &project{t: t, root: other, drive: turnstile.Open(other, turnstile.System())}
	driveOn(t, w, 3)
	for _, command := range []string{"echo '{}' > " + p.root + "/.claude/settings.local.json", "rm -rf " + p.root + "/.claude/state"} {
		if a := w.bash(command); !a.denied() {
			t.Errorf("%s is let through", command)
		}
	}
}
