//go:build unix

package hook_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

func TestACommitIsSeenInGitAndLeadsOn(t *testing.T) {
	p := driven(t, drivestate.Committing)
	if a := p.ran("echo git commit -m x"); a.Out != "" || p.phase() != drivestate.Committing {
		t.Errorf("a mention of a commit: %s", a.Out)
	}
	hash := p.commit("feat(a): parse mail")
	a := p.ran("make release")
	if p.phase() != drivestate.Reporting || !strings.Contains(a.Specific.Context, "committing -> reporting") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	if s := p.state(); !slices.Equal(s.CommitHashes, []string{hash}) || s.Metrics.Commits != 1 || !s.Checklist.Committed {
		t.Errorf("recorded %v", s.CommitHashes)
	}
}

func TestACommitIsSeenWhenTheCommandFails(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.commit("feat: a")
	p.commit("fix: b")
	p.hook("PostToolUseFailure", payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit && false"}, "error": "Exit code 1", "is_interrupt": false})
	if s := p.state(); s.Phase != drivestate.Reporting || len(s.CommitHashes) != 2 {
		t.Errorf("in %s with %v", s.Phase, s.CommitHashes)
	}
}

func TestAMessageThatIsNotConventionalHoldsThePhase(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.commit("added the parser")
	if a := p.ran("git commit"); p.phase() != drivestate.Committing || !strings.Contains(a.Specific.Context, "git commit --amend") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	p.git("commit", "-q", "--amend", "--allow-empty", "-m", "feat: parser", "--trailer", drivestate.Trailer(p.state(), 1))
	p.ran("git commit --amend")
	if s := p.state(); s.Phase != drivestate.Reporting || !slices.Equal(s.CommitHashes, []string{p.git("rev-parse", "HEAD")}) {
		t.Errorf("in %s with %v", s.Phase, s.CommitHashes)
	}
}

// A hook runs no tests, and must not be a way around them.
func TestACommitThatTheTestsHaveNotSeenHoldsThePhase(t *testing.T) {
	for why, change := range map[string]func(*project){
		"the commit is not what the tests ran on": func(p *project) { p.write("a.go", "package b\n"); p.commit("feat: a") },
		"lacks the trailer":                       func(p *project) { p.git("add", "-A"); p.git("commit", "-q", "-m", "feat: a") },
		"the commit is empty":                     func(p *project) { p.git("commit", "-q", "--allow-empty", "-m", "feat: a") },
		"no recorded test run of this chunk passed": func(p *project) {
			p.fire(drivestate.Abort, "")
			p.fire(drivestate.Restart, "")
			p.fire(drivestate.Start, "")
			p.write("a.go", "package c\n")
			p.untested = true
			p.walk(drivestate.Committing)
			p.commit("feat: a")
		},
	} {
		t.Run(why, func(t *testing.T) {
			p := driven(t, drivestate.Committing)
			change(p)
			if a := p.ran("git commit"); p.phase() != drivestate.Committing || !strings.Contains(a.Specific.Context, why) || !strings.Contains(a.Specific.Context, "warp state transition . committed") {
				t.Errorf("in %s: %s", p.phase(), a.Out)
			}
		})
	}
}

func TestTheDocGateFollowsTheSetting(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"_workflow":{"doc_drift_gate":true}}`)
	p.write("scripts/x.sh", "")
	p.walk(drivestate.Committing)
	p.commit("feat: a")
	a := p.ran("git commit")
	if p.phase() != drivestate.DocDriftCheck || !strings.Contains(a.Specific.Context, "changes tooling (scripts/x.sh) and no *.md") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
}

func TestAGateThatRunsCommandsIsLeftToTheAgent(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.write(".claude/settings.local.json", `{"_workflow":{"verification_gates":{"committed":["true"]}}}`)
	p.commit("feat: a")
	if a := p.ran("git commit"); p.phase() != drivestate.Committing || !strings.Contains(a.Specific.Context, "warp state transition . committed") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	if a := p.bash("warp state transition . committed"); a.Out != "" {
		t.Errorf("a commit was made, and still: %s", a.Out)
	}
	p.fire(drivestate.Committed, "")
}

func TestABranchThatMovedUnseenFreezesTheDrive(t *testing.T) {
	p := driven(t, drivestate.Coding)
	before := p.git("rev-parse", "HEAD")
	p.write("b.go", "package b\n")
	p.commit("feat: sneaked in")
	for range 2 {
		a := p.ran("./innocent")
		if a.Decision != "block" || !strings.Contains(a.Reason, "unseen by the guards") || a.Message == "" {
			t.Errorf("not told: %s", a.Out)
		}
	}
	if s := p.state(); s.Frozen == nil || s.Frozen.Moves[0].Branch != "feature/issue-42-x" || s.Frozen.Moves[0].Old != before {
		t.Fatalf("not frozen: %+v", s.Frozen)
	}
	_, err := p.drive.Fire(t.Context(), drivestate.CodeComplete, "")
	if err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("the drive moves on: %v", err)
	}
	if a := p.hook("Stop", nil); a.Decision == "block" || !strings.Contains(a.Message, "unseen") {
		t.Errorf("at the end of a turn: %s", a.Out)
	}
	if _, err := p.drive.Watch.Override("looked at it", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := p.drive.Fire(t.Context(), drivestate.CodeComplete, ""); err != nil {
		t.Errorf("accepted by a person, and still: %v", err)
	}
	if s := p.state(); s.Frozen != nil {
		t.Error("still frozen")
	}
}

func TestABranchThatIsPutBackThaws(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write("b.go", "package b\n")
	p.commit("feat: sneaked in")
	p.ran("x")
	p.git("reset", "-q", "--soft", "HEAD~1")
	if a := p.ran("x"); a.Out != "" || p.state().Frozen != nil {
		t.Errorf("%s, %+v", a.Out, p.state().Frozen)
	}
}

func TestAnAbortIsNeverFrozen(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.commit("feat: sneaked in")
	p.ran("x")
	p.fire(drivestate.Abort, "")
	p.fire(drivestate.AbortResolved, "")
}

func TestEditsAreCountedAndADoomLoopIsTold(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for i := range 12 {
		a := p.edit("PostToolUse", filepath.Join(p.root, "src/a.go"))
		if warned := strings.Contains(a.Specific.Context, "doom loop: src/a.go"); warned != (i == 5 || i == 10) {
			t.Errorf("edit %d: %s", i+1, a.Out)
		}
	}
	p.hook("PostToolUse", payload{"session_id": "another", "tool_name": "Edit", "tool_input": payload{"file_path": "src/a.go"}})
	if s := p.state(); s.EditCounts["src/a.go"] != 12 || len(s.DoomLoops) != 1 {
		t.Errorf("counted %v, %d doom loops", s.EditCounts, len(s.DoomLoops))
	}
}

func TestCheckedCriteriaLeadOnFromTheDocs(t *testing.T) {
	p := driven(t, drivestate.UpdatingDocs)
	p.edit("PostToolUse", "README.md")
	if p.phase() != drivestate.UpdatingDocs {
		t.Fatal("advanced before the criteria were checked off")
	}
	p.check("AC-01")
	p.edit("PostToolUse", "a.go")
	if p.phase() != drivestate.UpdatingDocs {
		t.Fatal("code is no documentation")
	}
	if a := p.edit("PostToolUse", "README.md"); p.phase() != drivestate.Testing || !strings.Contains(a.Specific.Context, "updating_docs -> testing") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	p = driven(t, drivestate.UpdatingDocs)
	p.check("AC-01")
	p.ran("warp issue check 42 AC-01")
	if p.phase() != drivestate.Testing {
		t.Errorf("in %s after they were ticked", p.phase())
	}
}

func TestStopWaitsForTheReportOnce(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.write(".claude/settings.local.json", `{"_workflow":{"doc_drift_gate":true}}`)
	p.commit("feat: a")
	p.ran("git commit")
	if a := p.hook("Stop", nil); p.phase() != drivestate.DocDriftCheck || a.Decision != "block" {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	p = driven(t, drivestate.Reporting)
	if a := p.hook("Stop", payload{"stop_hook_active": false, "background_tasks": []any{}}); a.Decision != "block" || !strings.Contains(a.Reason, "report is missing") {
		t.Errorf("got %s", a.Out)
	}
	for name, more := range map[string]payload{
		"again":           {"stop_hook_active": true},
		"another session": {"session_id": "another"},
		"background":      {"background_tasks": []any{payload{"id": "1"}}},
	} {
		if a := p.hook("Stop", more); a.Decision != "" {
			t.Errorf("%s: %s", name, a.Out)
		}
	}
	p.fire(drivestate.ReportFiled, "")
	if a := p.hook("Stop", nil); a.Decision != "" || !strings.Contains(a.Message, "Consider running session end protocol before stopping") {
		t.Errorf("in another phase: %s", a.Out)
	}
}

func TestASessionThatBeginsIsToldWhereTheDriveIs(t *testing.T) {
	p := driven(t, drivestate.Coding)
	a := p.hook("SessionStart", payload{"source": "resume"})
	for _, want := range []string{"phase: coding", "Issue: #42", "Chunk: 1 / 2: AC-01", "code_complete (to updating_docs)", "Budgets used"} {
		if !strings.Contains(a.Specific.Context, want) {
			t.Errorf("lacks %q:\n%s", want, a.Specific.Context)
		}
	}
	if n := len(a.Specific.Context); n > 2000 {
		t.Errorf("%d characters", n)
	}
	p.fire(drivestate.Abort, "")
	a = p.hook("SessionStart", payload{"source": "startup"})
	for _, want := range []string{"phase: aborted", "git commit -m \"wip: #42 aborted\"", "abort_resolved", "abort_cleanup_failed"} {
		if !strings.Contains(a.Specific.Context, want) {
			t.Errorf("the clean-up lacks %q:\n%s", want, a.Specific.Context)
		}
	}
}

// gone is a process that has ended.
func gone(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestADriveWhoseOwnerIsGoneIsAdopted(t *testing.T) {
	p := newProject(t)
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 2, Issue: "42", PID: gone(t), ClaudeSession: "old"}); err != nil {
		t.Fatal(err)
	}
	a := p.hook("SessionStart", payload{"source": "startup"})
	if !strings.Contains(a.Specific.Context, "stale") || p.state().Session.ClaudeSession != owner || p.drive.Ownership.ReadOwner().Session != owner {
		t.Errorf("not adopted: %s", a.Out)
	}
	if a := p.bash("git commit -m x"); !a.denied() {
		t.Error("its new owner is not guarded")
	}
}

// /clear gives the conversation another id; the process is the same.
func TestAClearedConversationKeepsTheDrive(t *testing.T) {
	p := driven(t, drivestate.Coding)
	cleared := payload{"session_id": "cleared", "source": "clear"}
	if a := p.hook("SessionStart", cleared); !strings.Contains(a.Specific.Context, "phase: coding") || p.state().Session.ClaudeSession != "cleared" {
		t.Errorf("the drive is an orphan: %s", a.Out)
	}
}

func TestADriveThatASessionBeginsIsItsOwn(t *testing.T) {
	p := newProject(t)
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 2, Issue: "42", PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	p.ran("ls")
	if p.state().Session.ClaudeSession != "" {
		t.Fatal("adopted by any command")
	}
	p.ran("warp state init . --level 2 --issue 42")
	if p.state().Session.ClaudeSession != owner {
		t.Error("not adopted")
	}
}

func TestGoingAwaySwitchesRemoteModeOn(t *testing.T) {
	p := driven(t, drivestate.Coding)
	settings := filepath.Join(p.root, ".claude/settings.local.json")
	enabled := func() bool {
		text, err := os.ReadFile(settings)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			RDB struct{ Enabled bool } `json:"_rdb"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		return s.RDB.Enabled
	}
	away := payload{"prompt": "I’m going to grab lunch, keep going"}
	p.write(".claude/settings.local.json", `{"permissions":{}}`)
	if a := p.hook("UserPromptSubmit", away); a.Out != "" || enabled() {
		t.Errorf("without a bridge: %s", a.Out)
	}
	p.write(".claude/settings.local.json", `{"_rdb":{"chat":"1"}}`)
	for _, prompt := range []string{"keep going", "I'm going to refactor this", "what does 'while I' mean?", "Do not keep going while I review this; wait"} {
		if a := p.hook("UserPromptSubmit", payload{"prompt": prompt}); a.Out != "" || enabled() {
			t.Errorf("%q: %s", prompt, a.Out)
		}
	}
	if a := p.hook("UserPromptSubmit", away); !strings.Contains(a.Specific.Context, "remote mode is on") || !enabled() {
		t.Errorf("not on: %s", a.Out)
	}
}

func TestPermissionsAreCounted(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.hook("PermissionRequest", payload{"tool_name": "Bash"})
	p.hook("PermissionRequest", payload{"tool_name": "Bash"})
	p.hook("PermissionDenied", payload{"tool_name": "Bash"})
	p.hook("PermissionRequest", payload{"session_id": "another", "tool_name": "Bash"})
	if s := p.state(); s.Permissions == nil || s.Permissions.Asked != 2 || s.Permissions.Denied != 1 {
		t.Errorf("counted %+v", s.Permissions)
	}
}
