//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"warp/internal/core/drivestate"
	"warp/internal/hook"
	"warp/internal/turnstile"
)

// What breaks before any concern runs is a denial for guards and for git, and
// nothing at all for observers.
func TestAPanicOutsideOfTheConcerns(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for name, want := range map[string]int{"PreToolUse": 2, "BeforeTool": 2, "git": 1, "Stop": 0, "PostToolUse": 0} {
		around, out, errs := p.around(strings.NewReader("{}"))
		around.Getenv = func(string) string { panic("no environment") }
		code := hook.Run([]string{name, "reference-transaction", "prepared"}, around)
		if code != want || out.Len() != 0 || (errs.Len() > 0) != (want > 0) {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, errs)
		}
		if want > 0 && !strings.Contains(errs.String(), "no environment") {
			t.Errorf("%s does not say why: %s", name, errs)
		}
	}
}

func TestThePayloadSaysWhichEventItIs(t *testing.T) {
	p := driven(t, drivestate.Coding)
	if a := p.raw(p.text("SessionStart", payload{"source": "resume"}), "Stop"); a.Specific.Event != "SessionStart" {
		t.Errorf("the argument wins: %s", a.Out)
	}
	if a := p.raw(p.text("Unheard", payload{"source": "resume"}), "SessionStart"); !strings.Contains(a.Specific.Context, "phase: coding") {
		t.Errorf("an event that nobody knows: %s", a.Out)
	}
	if a := p.raw(p.text("PostToolUse", commit), "PreToolUse"); !a.denied() {
		t.Errorf("a guard that is talked out of it: %s", a.Out)
	}
}

func TestTheDriveOfTheMainWorkTreeIsFoundFromALinkedOne(t *testing.T) {
	p := driven(t, drivestate.Coding)
	other := filepath.Join(t.TempDir(), "other")
	p.git("worktree", "add", "-q", "-b", "topic", other)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	w := &project{t: t, root: other}
	if a := w.transaction("prepared", head, loose, "refs/heads/main"); a.Exit != 1 {
		t.Error("main may be moved from there")
	}
	if a := w.transaction("prepared", head, loose, "refs/heads/topic"); a.Exit != 0 {
		t.Errorf("its own branch: %s", a.Err)
	}
}

// A bare repository inside of a project is another repository.
func TestARepositoryInsideOfTheProjectIsNotTheDrives(t *testing.T) {
	p := driven(t, drivestate.Coding)
	bare := filepath.Join(p.root, "vendor", "lib.git")
	p.git("clone", "-q", "--bare", ".", bare)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	around, _, errs := p.around(strings.NewReader(head + " " + loose + " refs/heads/main\n"))
	around.Getenv = func(k string) string { return map[string]string{"GIT_DIR": bare}[k] }
	if code := hook.Run([]string{"git", "reference-transaction", "prepared"}, around); code != 0 {
		t.Errorf("refused: %s", errs)
	}
}

func TestMovesOfOtherBranchesAreNotJournalled(t *testing.T) {
	p := driven(t, drivestate.Coding)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	p.transaction("committed", head, loose, "refs/heads/other")
	if strings.Contains(p.journal(), loose) {
		t.Error("they are")
	}
}

// Where a command runs is where the agent's shell is.
func TestACommandIsJudgedWhereItRuns(t *testing.T) {
	p := driven(t, drivestate.Coding)
	other := newProject(t)
	away := payload{"cwd": other.root, "tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}}
	if a := p.hook("PreToolUse", away); a.Out != "" {
		t.Errorf("in another repository: %s", a.Out)
	}
	odd := payload{"cwd": "src", "tool_name": "Bash", "tool_input": payload{"command": "rm .git/config"}}
	if a := p.hook("PreToolUse", odd); !a.denied() {
		t.Error("a folder that is not absolute")
	}
	file := payload{"cwd": filepath.Join(p.root, ".git"), "tool_name": "Write", "tool_input": payload{"file_path": "config"}}
	if a := p.hook("PreToolUse", file); !a.denied() {
		t.Error("a file beside the shell")
	}
}

func TestADriveWithoutARepositoryIsGuardedToo(t *testing.T) {
	p := newProject(t)
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		t.Fatal(err)
	}
	driveOn(t, p, 3)
	if a := p.bash("git init && git commit -m x"); !a.denied() {
		t.Error("a commit is let through")
	}
	if a := p.edit("PreToolUse", "/etc/passwd"); !strings.Contains(a.Specific.Reason, "outside the project") {
		t.Errorf("a file outside: %s", a.Out)
	}
	if a := p.edit("PreToolUse", "a.go"); a.Out != "" {
		t.Errorf("a file inside: %s", a.Out)
	}
}

func TestAProjectInASubFolderMayEditItsWholeWorkTree(t *testing.T) {
	p := newProject(t)
	sub := &project{t: t, root: filepath.Join(p.root, "svc")}
	sub.write(".claude/x", "")
	sub.drive = turnstile.Open(sub.root, turnstile.System())
	driveOn(t, sub, 3)
	for file, want := range map[string]string{"../beside.go": "", "a.go": "", "../../x": "outside the project", "../.git/config": "belongs to warp or git"} {
		a := sub.edit("PreToolUse", file)
		if want == "" && a.Out != "" || !strings.Contains(a.Specific.Reason, want) {
			t.Errorf("%s: %s", file, a.Out)
		}
	}
}

func TestRefusalsSayWhyAndTheWayOn(t *testing.T) {
	p := driven(t, drivestate.Coding)
	if a := p.bash("rm -rf *"); !strings.Contains(a.Specific.Reason, "`rm -rf *` (") {
		t.Errorf("why: %s", a.Specific.Reason)
	}
	p.git("switch", "-q", "main")
	if a := p.edit("PreToolUse", "a.go"); !strings.Contains(a.Specific.Reason, "(git switch "+own+")") {
		t.Errorf("the way on: %s", a.Specific.Reason)
	}
}

func TestTheValueOfAFlagIsNoEvent(t *testing.T) {
	p := driven(t, drivestate.Coding)
	if a := p.bash("warp state transition . --data '{}' code_complete"); !a.denied() {
		t.Error("the event is not found behind it")
	}
	if a := p.bash("warp state transition . abort --data code_complete"); a.Out != "" {
		t.Errorf("a value is taken for the event: %s", a.Out)
	}
}

func TestAnEventThatCannotBeFiredIsTold(t *testing.T) {
	p := driven(t, drivestate.UpdatingDocs)
	p.check("AC-01")
	p.git("branch", "-q", "-f", "main", p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}"))
	a := p.edit("PostToolUse", "README.md")
	if p.phase() != drivestate.UpdatingDocs || a.Decision != "block" || !strings.Contains(a.Specific.Context, "but the drive did not move") {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
}

func TestAMakefileIsTooling(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.write("svc/Makefile", "")
	p.commit("build: a")
	if a := p.ran("git commit"); !strings.Contains(a.Specific.Context, "changes tooling (svc/Makefile)") {
		t.Errorf("got %s", a.Out)
	}
	p = driven(t, drivestate.Committing)
	p.write("bin", "a file of that name\n")
	p.write("Makefile.md.go", "")
	p.commit("feat: a")
	if a := p.ran("git commit"); strings.Contains(a.Specific.Context, "changes tooling") {
		t.Errorf("got %s", a.Out)
	}
	p = driven(t, drivestate.Committing)
	p.write("Makefile", "")
	p.write("docs/X.MD", "")
	p.commit("build: a")
	if a := p.ran("git commit"); strings.Contains(a.Specific.Context, "changes tooling") {
		t.Errorf("with its documentation: %s", a.Out)
	}
}

func TestATranscriptWithLongLinesIsRead(t *testing.T) {
	p := driven(t, drivestate.Coding)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	text := `{"type":"user","message":{"role":"user","content":"` + strings.Repeat("x", 200_000) + `"}}` + "\n" +
		`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Agent","input":{"description":"Behind it","subagent_type":"x"}}]}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p.hook("SubagentStart", payload{"transcript_path": path, "agent_id": "a", "agent_type": "x"})
	one := p.doc("agents/active.json")["agents"].([]any)[0].(map[string]any)
	if one["task"] != "Behind it" || len(one["parent_task"].(string)) > 300 {
		t.Errorf("got %v", one)
	}
}

// Texts are cut between letters.
func TestALongTaskIsCutBetweenLetters(t *testing.T) {
	for _, letter := range []string{"é", "€", "𝄞"} {
		for shift := range 4 {
			p := newProject(t)
			p.write(".claude/x", "")
			dir := t.TempDir()
			task := strings.Repeat("a", shift) + strings.Repeat(letter, 200)
			if err := os.WriteFile(filepath.Join(dir, "a.meta.json"), []byte(`{"description":"`+task+`"}`), 0o644); err != nil {
				t.Fatal(err)
			}
			p.hook("SubagentStart", payload{"agent_id": "a", "agent_type": "x"})
			p.hook("SubagentStop", payload{"agent_id": "a", "agent_type": "x", "agent_transcript_path": filepath.Join(dir, "a.jsonl")})
			got := p.doc("agents/results/a.json")["task"].(string)
			head, cut := strings.CutSuffix(got, "…")
			if !cut || !strings.HasPrefix(task, head) || !utf8.ValidString(got) || len(got) > 300 || len(got) < 290 {
				t.Errorf("%s shifted by %d: %d bytes, %q", letter, shift, len(got), got)
			}
		}
	}
}

// A git folder that is not named .git does not say where its work tree is: the
// drive is found all the same.
func TestADriveIsGuardedWhereverItsGitFolderIs(t *testing.T) {
	p := newProject(t)
	elsewhere := filepath.Join(t.TempDir(), "repo.git")
	p.git("init", "-q", "--separate-git-dir", elsewhere)
	driveOn(t, p, 3)
	lib, super := newProject(t), newProject(t)
	super.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.root, "sub")
	sub := &project{t: t, root: filepath.Join(super.root, "sub")}
	sub.drive = turnstile.Open(sub.root, turnstile.System())
	driveOn(t, sub, 3)
	for dir, at := range map[string]*project{elsewhere: p, filepath.Join(super.root, ".git", "modules", "sub"): sub} {
		head, loose := at.git("rev-parse", "HEAD"), at.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
		for _, given := range []string{"", dir} {
			around, _, errs := at.around(strings.NewReader(head + " " + loose + " refs/heads/" + own + "\n"))
			around.Getenv = func(k string) string { return map[string]string{"GIT_DIR": given}[k] }
			if code := hook.Run([]string{"git", "reference-transaction", "prepared"}, around); code != 1 {
				t.Errorf("GIT_DIR=%q in %s: exit %d, %s", given, at.root, code, errs)
			}
		}
	}
}
