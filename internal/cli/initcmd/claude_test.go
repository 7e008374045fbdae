package initcmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/cli/initcmd"
	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
	"warp/internal/turnstile"
)

// initialised is a repository where warp init was run, and a folder of programs
// that only say that they ran.
func initialised(t *testing.T, args ...string) (dir, tools string) {
	t.Helper()
	dir, tools = t.TempDir(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{
		"warp-hook": "cat >/dev/null; echo \"$@\" >> \"$CLAUDE_PROJECT_DIR/hooks.log\"\n",
		"warp":      "echo ran: warp \"$@\"\n",
		"gh":        "echo ran: gh \"$@\"\n",
		"git":       "echo ran: git \"$@\"\n",
		"mytests":   "echo ran: mytests \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(dir, ".claude", "settings.local.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"_workflow": {"test_command": "mytests all"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	real := t.TempDir() // warp-hook alone: init asks the real git
	if err := os.Symlink(filepath.Join(tools, "warp-hook"), filepath.Join(real, "warp-hook")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", real+string(os.PathListSeparator)+path)
	var out bytes.Buffer
	c := initcmd.New(&app.App{Out: &out, Err: &out, Dir: dir, Getenv: func(string) string { return "" }, Env: turnstile.System()})
	c.SetArgs(args)
	c.SilenceUsage = true
	if err := c.Execute(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return dir, tools
}

// trusting is a home in which the user has said that the project is trusted:
// before that, Claude Code takes no rule that allows something from a project.
func trusting(t *testing.T, dir string) string {
	t.Helper()
	home := t.TempDir()
	text, err := json.Marshal(map[string]any{"projects": map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".claude", ".claude.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// call is a command line, and whether a level allows it without asking.
type call struct {
	line    string
	allowed bool
}

// both are the same at both levels.
var both = []call{
	{"warp state inject .", true},
	{"git status --short", true},
	{"git commit -m 'feat(x): y'", true},
	{"git diff", true},
	{"git log --oneline -- a.go", true},
	{"git log -1 --format=x --output=.claude/settings.local.json", false},
	{"git diff --output=x", false},
	{"git show HEAD --output=x", false},
	{"git fetch --upload-pack=x origin", false},
	{"git push -u origin feature/x", false},
	{"git push origin main", false},
	{"warp next", true},
	{"warp test", true},
	{"warp issue show 4", true},
	{"warp issue new --title 'a bug' --label bug --body-file -", true},
	{"warp state transition . tests_passed --confirm 'AC-01: seen'", true},
	{"warp ask 'Which one?' --option a --option b", true},
	{"warp doctor", true},
	{"warp issue new --title x --label approved", false},
	{"warp issue approve 4", false},
	{"warp issue edit 4 --add-label approved", false},
	{"gh issue edit 4 --add-label approved", false},
	{"gh issue create --title x --label approved", false},
	{"warp answer q1 yes", false},
	{"warp drive 4", false},
	{"warp resume", false},
	{"warp continue", false},
	{"warp stop", false},
	{"warp override --reason mine", false},
	{"warp trust", false},
	{"warp state reset .", false},
	{"warp doctor --rebuild", false},
	{"mytests all -v", true},
	{"gh issue view 4 --json body -q .body | warp issue criteria 4 --from -", true},
	{"mytests other", false},
	{"git push --force origin feature/x", false},
	{"git push origin feature/x --force-with-lease", false},
	{"git push origin feature/x -f", false},
	{"git push origin +feature/x", false},
	{"git reset --hard", false},
	{"git reset HEAD~1 --hard", false},
	{"git clean -fdx", false},
	{"git branch -D x", false},
	{"git switch -c feature/issue-4-x", true},
	{"git switch --discard-changes main", false},
	{"warp level 3", false},
	{"warp init --remove", false},
	{"warp stop --hard", false},
	{"warp config set level 3", false},
	{"warp status && git reset --hard", false},
	{"curl example.invalid", false},
}

// TestClaudeCodeObeysTheRules asks Claude Code about all of them at level 2; at level 3,
// outside make agents, about one of each kind: allowed and not, of warp, git, gh and others.
func TestClaudeCodeObeysTheRules(t *testing.T) {
	for level, calls := range map[string][]call{
		"2": {
			{"gh pr create --fill", true},
			{"git push origin HEAD:main", false},
			{"git push -u origin main", false},
			{"git rebase main", false},
			{"git merge --ff-only x", false},
		},
		"3": {
			{"gh pr create --fill", false},
			{"git rebase origin/main", true},
			{"git merge --ff-only x", true},
			{"git rebase --exec x main", false},
			{"git merge x", false},
		},
	} {
		t.Run("level "+level, func(t *testing.T) {
			if level == "2" || os.Getenv("WARP_MATRIX") != "" {
				calls = slices.Concat(both, calls)
			} else {
				calls = slices.Concat(sample(both), calls)
			}
			obeys(t, level, calls)
		})
	}
}

// sample are the first of each program that is allowed, and the first that is not.
func sample(calls []call) (list []call) {
	for _, c := range calls {
		program, _, _ := strings.Cut(c.line, " ")
		if !slices.ContainsFunc(list, func(had call) bool { return had.allowed == c.allowed && strings.HasPrefix(had.line, program+" ") }) {
			list = append(list, c)
		}
	}
	return list
}

func obeys(t *testing.T, level string, commands []call) {
	claude.Find(t)
	dir, programs := initialised(t, "--level", level)
	var tools []messages.Tool
	for _, c := range commands {
		tools = append(tools, messages.Tool{Name: "Bash", Input: map[string]any{"command": c.line, "description": "x"}})
	}
	tools = append(tools, messages.Tool{Name: "Write", Input: map[string]any{"file_path": filepath.Join(dir, "new.txt"), "content": "x"}})
	steps := []messages.Step{{Tools: tools}, {Text: "Done."}}
	api := messages.Serve(t, messages.Script{"go": steps})
	r := claude.Run(t, claude.Options{API: api.URL, Prompt: "[[scenario:go]]", Dir: dir, Home: trusting(t, dir), PathDirs: []string{programs}, Permissions: []string{}})
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	results := api.Await("go", len(steps)-1).ToolResults()
	if len(results) != len(commands)+1 {
		t.Fatalf("%d results for %d calls", len(results), len(commands)+1)
	}
	for i, c := range commands {
		if results[i].Error == c.allowed {
			t.Errorf("%s: allowed %v, want %v: %.200s", c.line, !results[i].Error, c.allowed, results[i].Text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new.txt")); err != nil {
		t.Errorf("the file was not written: %s", results[len(commands)].Text)
	}
	log, err := os.ReadFile(filepath.Join(dir, "hooks.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		if !strings.Contains(string(log), event+"\n") {
			t.Errorf("the hook of %s did not run: %q", event, log)
		}
	}
}

func TestClaudeCodeExpandsTheCommands(t *testing.T) {
	claude.Find(t)
	dir, tools := initialised(t)
	for command, want := range map[string]string{
		"/warp-drive":      "You are the engineer in a drive",
		"/stop-warp-drive": "You stop the drive of this project.",
	} {
		api := messages.Serve(t, messages.Script{"go": {{Text: "Done."}}})
		r := claude.Run(t, claude.Options{API: api.URL, Prompt: command + " [[scenario:go]]", Dir: dir, Home: trusting(t, dir), PathDirs: []string{tools}, Permissions: []string{}})
		if r.Exit != 0 || len(api.Requests()) != 1 {
			t.Fatalf("%s: exit %d, %d requests\n%s%s", command, r.Exit, len(api.Requests()), r.Stdout, r.Stderr)
		}
		if text := api.Requests()[0].Text(); !strings.Contains(text, want) || strings.Contains(text, "$ARGUMENTS") {
			t.Errorf("%s: the model reads %s", command, text)
		}
	}
}
