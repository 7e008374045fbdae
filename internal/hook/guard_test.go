//go:build unix

package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
)

func TestACommitOutsideItsPhaseIsDenied(t *testing.T) {
	p := driven(t, drivestate.Coding)
	a := p.bash("git commit -m 'feat: x'")
	if !a.denied() || !strings.Contains(a.Specific.Reason, "only allowed during committing phase") || a.Exit != 0 {
		t.Errorf("got %+v", a)
	}
	if p.bash("git status && go test ./...").Out != "" {
		t.Error("a harmless command is not left alone")
	}
	p.walk(drivestate.Committing)
	if a := p.bash("git add a.go && git commit -m 'feat: x'"); a.Out != "" {
		t.Errorf("denied in committing: %s", a.Out)
	}
	if a := p.bash("git commit --no-verify -m 'feat: x'"); !a.denied() {
		t.Error("--no-verify is let through")
	}
}

func TestWhatIsNeverAllowed(t *testing.T) {
	p := driven(t, drivestate.Committing)
	for _, command := range []string{
		"git push --force origin HEAD", "git push -f", "git push origin +feature/issue-42-x", "git reset --hard HEAD~1",
		"git push --delete origin feature/issue-42-x", "git push --all origin", "git update-ref refs/heads/main HEAD",
		"git branch -D main", "git clean -fd", "git -c core.hooksPath=/dev/null commit -m 'feat: x'",
		"rm -rf .git/hooks", "rm -rf .claude", "echo x > .git/refs/heads/main", "rm .git/hooks/*",
		"echo '{}' > .claude/.warp-drive-state.json", "sed -i s/a/b/ .claude/settings.json", "mv .claude/state /tmp/x",
		"warp override --reason x", "warp init --remove", "warp config set max_coding_cycles 99", "warp level 3", "warp state reset .",
		"git push origin main", "git merge main", "git rebase main", "warp continue", "warp init --level 2", "warp issue edit 42 --body-file x", "warp issue new --title x --label approved", "warp doctor --rebuild",
		"warp-hook git reference-transaction committed", "warp hook git reference-transaction committed", "gh pr merge 1",
	} {
		if a := p.bash(command); !a.denied() {
			t.Errorf("%s is let through", command)
		}
	}
}

// Tests and verifiers run in the environment of warp: a model that chooses it has them
// say what it likes.
func TestAModelDoesNotChooseTheEnvironmentOfTests(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, command := range []string{
		"PATH=/tmp/evil:$PATH warp next", "export PATH=/tmp/evil:$PATH; warp next", "env PATH=/tmp/evil warp test", "GOFLAGS=-run=none warp test",
		"WARP_SANDBOX=off warp next", "warp next --sandbox off", "warp --sandbox=off test", "HOME=/tmp/evil warp state transition . tests_passed", "XDG_STATE_HOME=/tmp/evil warp next",
		"env -u CLAUDE_CODE_SESSION_ID warp next", "env -i warp next", "PATH=/tmp/evil:$PATH; warp next", "warp --sandbox off test", "unset CLAUDE_CODE_SESSION_ID; warp next", "sh -c 'PATH=/tmp/evil warp next'",
	} {
		if a := p.bash(command); !a.denied() || !strings.Contains(a.Specific.Reason, "as the session was started") {
			t.Errorf("%s is let through: %s", command, a.Out)
		}
	}
	for _, command := range []string{
		"warp next", `R=$(cat answer.json); warp next --result "$R"`, "NO_COLOR=1 warp next", "GOFLAGS=-v go test ./... && warp next", "LC_ALL=C warp test", "PATH=$PATH:/opt/bin warp status",
	} {
		if a := p.bash(command); a.Out != "" {
			t.Errorf("%s: %s", command, a.Out)
		}
	}
}

// In the user's state folder are the keys of the journals, what is trusted, and what a
// person has typed: a model that writes it is bound by nothing.
func TestTheStateFolderIsNotTheAgents(t *testing.T) {
	p := driven(t, drivestate.Coding)
	home := t.TempDir()
	p.env = map[string]string{"HOME": home}
	folder := filepath.Join(home, ".local", "state", "warp")
	for _, command := range []string{
		"echo '{}' > " + folder + "/spoken/x/y", "rm -rf " + folder, "cp x " + folder + "/trust.json", "rm -rf " + filepath.Dir(folder), "echo x | tee " + folder + "/next/x/board.json",
		`python3 -c "open('` + folder + `/key','w').write('')"`,
	} {
		if a := p.bash(command); !a.denied() {
			t.Errorf("%s is let through", command)
		}
	}
	p.env["XDG_STATE_HOME"] = filepath.Join(home, "state")
	if a := p.bash("rm " + filepath.Join(home, "state", "warp", "key")); !a.denied() {
		t.Error("another state folder is let through")
	}
	delete(p.env, "XDG_STATE_HOME")
	for _, command := range []string{"ls " + folder + " && touch " + filepath.Join(home, "x"), "mv a.txt " + home + "/", "chmod 755 " + home, "rsync -a x/ " + home + "/.local/"} {
		if a := p.bash(command); a.Out != "" {
			t.Errorf("%s: %s", command, a.Out)
		}
	}
}

func TestWhatADriveLeavesAlone(t *testing.T) {
	p := driven(t, drivestate.Committing)
	other := t.TempDir()
	for _, command := range []string{
		"git push origin HEAD", "git push", "git push -n --force", "git fetch origin", "git add -A", "cat .claude/.warp-drive-state.json | jq .phase",
		"git -C " + other + " commit -m x", "cd " + other + " && git init && git commit -m x", "warp state status .", "warp issue check 42 AC-01",
		"warp level", "rm *.log", "git restore a.go", "warp stop",
	} {
		if a := p.bash(command); a.Out != "" {
			t.Errorf("%s: %s", command, a.Out)
		}
	}
}

func TestOtherSessionsAreLeftAlone(t *testing.T) {
	p := driven(t, drivestate.Coding)
	other := payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}}
	if a := p.hook("PreToolUse", other); a.Out != "" {
		t.Errorf("a command of another session: %s", a.Out)
	}
	other = payload{"session_id": "another", "tool_name": "Write", "tool_input": payload{"file_path": "/etc/passwd"}}
	if a := p.hook("PreToolUse", other); a.Out != "" {
		t.Errorf("a file of another session: %s", a.Out)
	}
	for _, event := range []string{"SessionStart", "Stop", "UserPromptSubmit", "SubagentStop", "SessionEnd"} {
		if a := p.hook(event, payload{"session_id": "another", "source": "startup", "prompt": "I'm going to lunch, keep going"}); a.Out != "" {
			t.Errorf("%s of another session: %s", event, a.Out)
		}
	}
	if p.state().Session.ClaudeSession != owner {
		t.Error("the drive was taken over while its owner lives")
	}
}

// What a session is told of its own failed calls and subagents has tests elsewhere.
func TestWithoutADriveNothingElseIsSaid(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "PreCompact", "SessionEnd", "StopFailure", "PermissionRequest", "UserPromptExpansion"} {
		a := p.hook(event, payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}, "agent_id": "a1", "agent_type": "x", "trigger": "auto"})
		if a.Out != "" || a.Err != "" || a.Exit != 0 {
			t.Errorf("%s: %+v", event, a)
		}
	}
}

func TestFilesThatAreNotTheAgentsAreNotEdited(t *testing.T) {
	p := driven(t, drivestate.Coding)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.root, "link")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		p.root + "/.claude/.warp-drive-state.json": "belongs to warp or git",
		".claude/state/session/current.json":       "belongs to warp or git",
		".claude/settings.json":                    "belongs to warp or git",
		".claude/settings.local.json":              "belongs to warp or git",
		".git/hooks/pre-push":                      "belongs to warp or git",
		".git/config":                              "belongs to warp or git",
		"sub/../.git/HEAD":                         "belongs to warp or git",
		"/etc/passwd":                              "outside the project",
		"../x":                                     "outside the project",
		"link/x":                                   "outside the project",
	} {
		if a := p.edit("PreToolUse", file); !a.denied() || !strings.Contains(a.Specific.Reason, want) {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
	for _, file := range []string{"a.go", p.root + "/new/folder/b.go", ".claude/commands/x.md", ".github/x.yml"} {
		if a := p.edit("PreToolUse", file); a.Out != "" {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
	p.git("switch", "-q", "main")
	if a := p.edit("PreToolUse", "a.go"); !a.denied() || !strings.Contains(a.Specific.Reason, "Must not be on main/master") {
		t.Errorf("on main: %s", a.Out)
	}
}

func TestTheCriteriaAreConfirmedBeforeAPhaseIsLeft(t *testing.T) {
	p := driven(t, drivestate.Coding)
	const confirm = "warp state transition . code_complete --confirm 'AC-01: TestParse shows it'"
	first := p.bash(confirm) // whatever it says: it has not read them again yet
	if !first.denied() || !strings.Contains(first.Specific.Reason, "AC-01: parse mail") || strings.Contains(first.Specific.Reason, "AC-02") {
		t.Fatalf("the criteria of the chunk are not put before it: %s", first.Out)
	}
	for _, short := range []string{"", " --confirm 'AC-02: no'", " --confirm AC-01", " --confirm 'AC-01: '"} {
		if a := p.bash("warp state transition . code_complete" + short); !a.denied() || !strings.Contains(a.Specific.Reason, "not confirmed yet: AC-01") || strings.Contains(a.Specific.Reason, "parse mail") {
			t.Errorf("%q: %s", short, a.Out)
		}
	}
	if a := p.bash(confirm); a.Out != "" {
		t.Errorf("confirmed, and still: %s", a.Out)
	}
	if a := p.bash("warp state transition . abort"); a.Out != "" {
		t.Errorf("an abort needs no confirmation: %s", a.Out)
	}
	p.walk(drivestate.Testing)
	if a := p.bash("warp state transition . tests_passed --confirm 'AC-01: x'"); !a.denied() {
		t.Error("what was asked in another phase counts for this one")
	}
	p.walk(drivestate.ChunkComplete)
	if a := p.bash("cd . && warp state transition . requirement_done"); !strings.Contains(a.Specific.Reason, "AC-02: keep attachments") {
		t.Errorf("the whole requirement: %s", a.Out)
	}
	p.write(".claude/settings.local.json", `{"_workflow":{"pre_exit_verification":false}}`)
	if a := p.bash("warp state transition . requirement_done"); a.Out != "" {
		t.Errorf("turned off, and still: %s", a.Out)
	}
}

func TestTheCriteriaStayAsTheyWereWritten(t *testing.T) {
	p := driven(t, drivestate.Coding)
	if a := p.bash("warp issue criteria 42 --from other.md"); !a.denied() {
		t.Error("the agent records other criteria")
	}
	if a := p.edit("PreToolUse", ".claude/issues/42.md"); !a.denied() {
		t.Error("the agent rewrites the issue")
	}
}

// What an agent says about git is held against git, no matter who fires the event.
func TestFactsAreReadFromGit(t *testing.T) {
	p := driven(t, drivestate.Committing)
	if _, err := p.drive.Fire(t.Context(), drivestate.Committed, `{"commit":"0123456789abcdef"}`); err == nil || !strings.Contains(err.Error(), "nothing was committed") {
		t.Errorf("committed without a commit: %v", err)
	}
	p.git("switch", "-q", "-c", "side")
	p.commit("feat: on the side")
	if _, err := p.drive.Fire(t.Context(), drivestate.Committed, ""); err == nil || !strings.Contains(err.Error(), `"side" is checked out`) {
		t.Errorf("committed elsewhere: %v", err)
	}
	p.git("switch", "-q", "feature/issue-42-x")
	p.walk(drivestate.Merging)
	if _, err := p.drive.Fire(t.Context(), drivestate.Merged, ""); err == nil || !strings.Contains(err.Error(), "main does not contain feature/issue-42-x") {
		t.Errorf("merged without a merge: %v", err)
	}
	p.git("update-ref", "refs/heads/main", "refs/heads/feature/issue-42-x")
	p.fire(drivestate.Merged, "")

	p = newProject(t)
	driveOn(t, p, 3)
	p.fire(drivestate.PrerequisitesOK, "")
	if _, err := p.drive.Fire(t.Context(), drivestate.WorkSelected, `{"branch":"decoy"}`); err == nil || !strings.Contains(err.Error(), `"decoy" is not checked out`) {
		t.Errorf("another branch: %v", err)
	}
}

func TestAStateThatSomethingElseWroteFreezesTheDrive(t *testing.T) {
	p := driven(t, drivestate.Coding)
	path := filepath.Join(p.root, ".claude", ".warp-drive-state.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.write(".claude/.warp-drive-state.json", strings.Replace(string(text), `"phase": "coding"`, `"phase": "committing"`, 1))
	if _, err := p.drive.Fire(t.Context(), drivestate.Committed, ""); err == nil || !strings.Contains(err.Error(), "was written outside warp") {
		t.Errorf("the drive moves on: %v", err)
	}
	if a := p.ran("true"); a.Decision != "block" || !strings.Contains(a.Reason, "was written outside warp") {
		t.Errorf("not told: %s", a.Out)
	}
	if _, err := p.drive.Fire(t.Context(), drivestate.Committed, ""); err == nil {
		t.Error("it thaws by itself")
	}
	if _, err := p.drive.Watch.Override("it was me", 1); err != nil {
		t.Fatal(err)
	}
	if a := p.ran("true"); a.Out != "" {
		t.Errorf("accepted, and still: %s", a.Out)
	}
}

func TestAStateThatIsDeletedBehindWarpsBack(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, name := range []string{".warp-drive-state.json", ".warp-drive-owner.json"} {
		if err := os.Remove(filepath.Join(p.root, ".claude", name)); err != nil {
			t.Fatal(err)
		}
	}
	if a := p.ran("rm x"); a.Decision != "block" || !strings.Contains(a.Reason, "warp doctor --rebuild") {
		t.Errorf("not told: %s", a.Out)
	}
	if a := p.bash("git commit -m x"); !a.denied() {
		t.Error("the owner may commit now")
	}
	if a := p.edit("PreToolUse", ".claude/settings.json"); !a.denied() {
		t.Error("the owner may take the hooks away now")
	}
	if a := p.bash("ls"); a.Out != "" {
		t.Errorf("a harmless command: %s", a.Out)
	}
	if a := p.transaction("prepared", none, p.git("rev-parse", "HEAD"), "refs/heads/main"); a.Exit != 1 {
		t.Error("git may move the branch now")
	}
	if a := p.hook("PostToolUse", payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": "ls"}}); a.Out != "" {
		t.Errorf("another session is told: %s", a.Out)
	}
	if _, err := p.drive.Doc().Rebuild(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.drive.Reset(); err != nil {
		t.Fatal(err)
	}
	if a := p.ran("rm x"); a.Out != "" {
		t.Errorf("ended by warp, and still: %s", a.Out)
	}
}

func TestInputThatIsNotUnderstoodIsDenied(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, more := range []payload{
		{"tool_name": "Bash", "tool_input": "git commit"}, {"tool_name": "Bash", "tool_input": payload{"command": []string{"git", "commit"}}},
		{"tool_name": "Bash"}, {"tool_name": "Edit", "tool_input": payload{"path": "x"}}, {"tool_name": "Write", "tool_input": payload{"file_path": []string{"x"}}},
	} {
		if a := p.hook("PreToolUse", more); !a.denied() {
			t.Errorf("%v is let through", more)
		}
		more["session_id"] = "another"
		if a := p.hook("PreToolUse", more); a.Out != "" {
			t.Errorf("another session: %s", a.Out)
		}
	}
	text := `{"session_id":"` + owner + `","cwd":"` + p.root + `","hook_event_name":"Stop","tool_name":"Bash","tool_input":{"command":"git commit"}}`
	if a := p.raw(text, "PreToolUse"); !a.denied() {
		t.Error("a payload that calls itself something else goes past the guard")
	}
}

func TestAChainOfLinksLeadsNowhereElse(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for name, to := range map[string]string{"chain1": "../../outside", "chain2": "chain1", "l1": ".git/hooks/post-commit", "l2": "l1"} {
		if err := os.Symlink(to, filepath.Join(p.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"chain1", "chain2", "l1", "l2"} {
		if a := p.edit("PreToolUse", file); !a.denied() {
			t.Errorf("%s is edited", file)
		}
	}
}

func TestGuardsFailClosedWithTheWayOut(t *testing.T) {
	p := driven(t, drivestate.Coding)
	path := filepath.Join(p.root, ".claude", ".warp-drive-state.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil { // nothing can read or fix this
		t.Fatal(err)
	}
	a := p.bash("git commit -m 'feat: x'")
	if !a.denied() || !strings.Contains(a.Specific.Reason, "warp doctor") {
		t.Errorf("a state that cannot be read: %s", a.Out)
	}
	if a := p.bash("ls"); a.Out != "" {
		t.Errorf("a harmless command: %s", a.Out)
	}
	other := payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}}
	if a := p.hook("PreToolUse", other); a.Out != "" {
		t.Errorf("the side file says whose drive it is: %s", a.Out)
	}
	for _, event := range []string{"SessionStart", "PostToolUse", "Stop", "SessionEnd"} {
		if a := p.hook(event, payload{"tool_name": "Bash", "tool_input": payload{"command": "ls"}}); a.Out != "" || a.Exit != 0 {
			t.Errorf("%s disturbs: %+v", event, a)
		}
	}
}

func TestPayloadsThatCannotBeRead(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, text := range []string{"", "nonsense", `{"session_id":"` + owner + `","tool_name":"Bash","tool_input":{"command":"git com`} {
		if a := p.raw(text, "PreToolUse"); !a.denied() {
			t.Errorf("%q is let through", text)
		}
		for _, event := range []string{"PostToolUse", "Stop", "SessionStart", "NoSuchEvent"} {
			if a := p.raw(text, event); a.Exit != 0 || a.denied() || a.Decision == "block" {
				t.Errorf("%s with %q: %+v", event, text, a)
			}
		}
	}
	if a := p.raw(`{"session_id":"another","tool_name":`, "PreToolUse"); a.Out != "" {
		t.Errorf("another session's: %s", a.Out)
	}
	p.drive.Reset()
	if a := p.raw("nonsense", "PreToolUse"); a.Out != "" || a.Exit != 0 {
		t.Errorf("without a drive: %+v", a)
	}
}

// Whatever an agent sends, from whatever version, is answered.
func TestEveryRecordedPayloadIsAnswered(t *testing.T) {
	p := driven(t, drivestate.Coding)
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) != 32 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []payload
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		event := strings.TrimSuffix(filepath.Base(f), ".json")
		for _, one := range list {
			for _, session := range []string{owner, "another"} {
				one["session_id"], one["cwd"] = session, p.root
				if a := p.hook(event, one); a.Exit != 0 || a.Err != "" || session != owner && a.Out != "" && event != "PostToolUseFailure" && event != "SubagentStart" {
					t.Errorf("%s: %+v", event, a)
				}
			}
		}
	}
}

func TestAPayloadOfTenMegabytesIsAnswered(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.commit("feat: a")
	big := strings.Repeat("line of output \"quoted\"\n", 420_000)
	p.hook("PostToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit"}, "tool_response": payload{"stdout": big}})
	if p.phase() != drivestate.Reporting {
		t.Errorf("in %s", p.phase())
	}
}

func TestCodexAndGeminiAreHeldToTheSameTable(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, c := range []struct {
		agent, event, text string
		denied             string // "" when it is let through
	}{
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git commit -m x"}`, "only allowed during committing phase"},
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"bash"}`, "cannot tell what"},
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: ok.go\n*** Update File: .claude/settings.json\n"}`, "belongs to warp or git"},
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: ok.go\n"}`, ""},
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./..."}`, ""},
		{"gemini", "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"git commit -m x"}`, "only allowed during committing phase"},
		{"gemini", "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":".gemini/settings.json"}`, "belongs to warp or git"},
		{"gemini", "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"replace","tool_input":{"file_path":"a.go"}`, ""},
	} {
		a := p.raw(c.text+`,"session_id":"`+owner+`","cwd":"`+p.root+`"}`, "--agent", c.agent, c.event)
		why := a.Specific.Reason
		if c.agent == "gemini" {
			why = a.Reason
			if c.denied != "" && a.Decision != "deny" {
				t.Errorf("%s: %s", c.text, a.Out)
			}
		}
		if c.denied == "" && a.Out != "" || c.denied != "" && !strings.Contains(why, c.denied) {
			t.Errorf("%s %s: %s", c.agent, c.text, a.Out)
		}
	}
	a := p.raw(`{"hook_event_name":"SessionStart","session_id":"`+owner+`","cwd":"`+p.root+`"}`, "--agent", "gemini", "SessionStart")
	if !strings.Contains(a.Specific.Context, "phase: coding") {
		t.Errorf("gemini is not told: %s", a.Out)
	}
	if a := p.raw("{}", "--agent", "emacs", "x"); a.Exit != 1 {
		t.Errorf("an agent that there is not: %+v", a)
	}
}
