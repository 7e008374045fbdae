//go:build unix

package hook_test

import (
	"strings"
	"testing"

	"warp/internal/core/drivestate"
)

// Nobody drives, no gate is set: a commit of tooling alone is remarked on, and
// nothing is blocked.
func TestToolingWithoutDocumentsIsRemarkedOn(t *testing.T) {
	p := newProject(t)
	p.write("scripts/x.sh", "")
	p.commit("feat: a")
	a := p.ran(`git commit -m "feat: a"`)
	if !strings.Contains(a.Specific.Context, "changes tooling (scripts/x.sh) and no *.md") || a.Decision != "" || a.Exit != 0 {
		t.Errorf("got %s", a.Out)
	}
	for _, other := range []string{"git log --grep commit", "echo git commit", "git -C /tmp commit -m x", "git status"} {
		if a := p.ran(other); a.Out != "" {
			t.Errorf("%s: %s", other, a.Out)
		}
	}
	p.write("agents/y.md", "")
	p.write("bin/z", "")
	p.commit("feat: b")
	if a := p.ran("git commit -m x"); a.Out != "" {
		t.Errorf("with its documentation: %s", a.Out)
	}
}

// A failed commit and one of a session that does not own the drive are passed
// over.
func TestDriftIsNoConcernOfOthers(t *testing.T) {
	p := newProject(t)
	p.write("hooks/x.sh", "")
	p.commit("feat: a")
	if a := p.hook("PostToolUseFailure", payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}, "error": "nothing to commit"}); strings.Contains(a.Out, "tooling") {
		t.Errorf("it failed: %s", a.Out)
	}
	p = driven(t, drivestate.Coding)
	p.write("hooks/x.sh", "")
	p.commit("feat: a")
	if a := p.hook("PostToolUse", payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}}); strings.Contains(a.Out, "tooling") {
		t.Errorf("another session: %s", a.Out)
	}
}

// Git's own hook sees the commit first, so the move is no news to the session's hook: the advice
// came in no drive of a project that warp init set up.
func TestDriftAdviceComesWithGitHooksToo(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.gitHooks()
	p.write("scripts/x.sh", "")
	p.commit("feat: a")
	a := p.ran(`git add -A && git commit -m "feat: a"`)
	if got := strings.Count(a.Specific.Context, "changes tooling (scripts/x.sh) and no *.md"); got != 1 {
		t.Errorf("said %d times: %s", got, a.Out)
	}
	if a := p.ran("git status"); strings.Contains(a.Out, "tooling") {
		t.Errorf("after another command: %s", a.Out)
	}
}
