//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/sys/proc"
	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
	"warp/internal/testkit/programs"
	"warp/internal/turnstile"
)

// headless is a repository with an approved issue, its remote, and an agent on
// PATH whose calls are written down.
type headless struct {
	*project
	env  []string
	mark string // in the environment of every process that warp starts
	argv string // a file with a line for each call of the agent
	// asksLogin is whether Claude Code itself is asked whether its user is logged in.
	asksLogin bool
}

// issueBody has words that no prompt needs twice: what the engine adds is
// measured without them.
const issueBody = "Small text tools, in text.js.\n\n- [ ] AC-01: upper(s) returns s in capitals\n- [ ] AC-02: twice(s) returns s two times\n" +
	"- [ ] AC-03: last(s) returns the last character\n- [ ] AC-04: empty(s) tells whether s is empty\n"

// drives prepares a repository. Setup, where given, is what a person has done
// in it before.
func drives(t *testing.T, body, setup string) *headless {
	t.Helper()
	h := &headless{project: &project{t: t, root: real(t), remote: real(t), home: real(t)}, argv: filepath.Join(t.TempDir(), "argv")}
	h.drive = turnstile.Open(h.root, turnstile.System())
	h.mark = "E2E_DRIVE=" + filepath.Base(filepath.Dir(h.argv)) + t.Name()
	h.write("tests.js", "require('fs').readdirSync('.').filter(f => f.endsWith('.test.js')).forEach(f => require('./' + f))\n")
	h.write("../body", body)
	h.sh("git init -q --bare -b main " + h.remote + `
		git init -q -b main && git config user.name t && git config user.email t@example.invalid && git remote add origin ` + h.remote + `
		git add . && git commit -q -m 'chore: begin'
		warp config set test_command 'node tests.js'
		warp config set sandbox_read '["` + agentCache(t) + `"]'
		warp config set sandbox_write '["` + filepath.Dir(h.argv) + `"]'
		warp config set sandbox_env '["SECOND"]'
		` + setup + `
		git push -q origin main
		warp issue new --title 'Text tools' --body-file ../body --label req --label approved`)
	return h
}

// agentCache is where scripts/agent has put the agents.
func agentCache(t *testing.T) string {
	t.Helper()
	if cache := os.Getenv("XDG_CACHE_HOME"); cache != "" {
		return filepath.Join(cache, "warp-drive")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, ".cache", "warp-drive")
}

// withInit is a repository that warp init has set up, so that its hooks run in
// every session.
const withInit = "warp init --level 3 && git add -A && git commit -q -m 'chore: warp'"

// claude puts the real Claude Code on PATH, with the stand-in for its API.
func (h *headless) claude(api string, more ...string) *headless {
	h.t.Helper()
	for _, dir := range []string{".claude", "tmp"} {
		if err := os.MkdirAll(filepath.Join(h.home, dir), 0o700); err != nil {
			h.t.Fatal(err)
		}
	}
	login := `[ "$*" != "auth status" ] || { echo '{"loggedIn":true}'; exit; }` // nearly a start of its own
	if h.asksLogin || wholeMatrix() {
		login = ""
	}
	programs.LeaveOutChecks(h.home)
	path := h.onPath("claude", claude.Find(h.t), login)
	h.env = append([]string{
		"PATH=" + strings.Join([]string{path, bin, os.Getenv("PATH")}, ":"), "HOME=" + h.home, "SHELL=/bin/bash", "GIT_CONFIG_NOSYSTEM=1", h.mark,
		"CLAUDE_CONFIG_DIR=" + h.home + "/.claude", "CLAUDE_CODE_TMPDIR=" + h.home + "/tmp", "TMPDIR=" + h.home + "/tmp",
		"ANTHROPIC_BASE_URL=" + api, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_MAX_RETRIES=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}, more...)
	return h
}

// onPath makes a folder for PATH with an agent that writes its arguments down, after what
// first does.
func (h *headless) onPath(name, program, first string) string {
	h.t.Helper()
	dir := h.t.TempDir()
	script := "#!/bin/sh\n" + first + "\n{ printf '%s' \"$WARP_ROLE\"; printf '\\t%s' \"$@\"; echo; } >>'" + h.argv + "'\nexec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// calls are the agent's roles and arguments, in the order in which it ran.
func (h *headless) calls() (all [][]string) {
	h.t.Helper()
	text, err := os.ReadFile(h.argv)
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		call := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if call[0] != "" { // else it was only asked for its version and its login
			all = append(all, call)
		}
	}
	return all
}

// flag is the value of an option, "" without it.
func flag(call []string, name string) string {
	if i := slices.Index(call, name); i > 0 && i+1 < len(call) {
		return call[i+1]
	}
	return ""
}

// warp is a drive that runs.
type warp struct {
	h        *headless
	cmd      *exec.Cmd
	out, err bytes.Buffer
	late     *time.Timer
}

// patience is many times what a drive takes on a machine that is busy.
const patience = 10 * time.Minute

func (h *headless) start(args ...string) *warp {
	h.t.Helper()
	w := &warp{h: h, cmd: exec.Command(filepath.Join(bin, "warp"), args...)}
	w.cmd.Dir, w.cmd.Env, w.cmd.Stdout, w.cmd.Stderr = h.root, h.env, &w.out, &w.err
	if err := w.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	w.late = time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
	h.t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		proc.EndMarked(h.mark)
	})
	return w
}

// wait is the exit code, and what was printed.
func (w *warp) wait() (int, string) {
	w.h.t.Helper()
	err := w.cmd.Wait()
	w.late.Stop()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		w.h.t.Fatal(err)
	}
	return w.cmd.ProcessState.ExitCode(), w.out.String() + w.err.String()
}

// kill is kill -9 of warp alone.
func (w *warp) kill() {
	w.h.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		w.h.t.Fatal(err)
	}
	_, _ = w.wait()
}

// run drives to the end that is wanted, and looks for what may never be left.
func (h *headless) run(want int, args ...string) string {
	h.t.Helper()
	code, out := h.start(args...).wait()
	if code != want {
		h.t.Fatalf("warp %s: exit %d, not %d\n%s", strings.Join(args, " "), code, want, out)
	}
	h.nothingLeft()
	return out
}

// nothingLeft looks for processes, for records of them, and for an owner.
func (h *headless) nothingLeft() {
	h.t.Helper()
	if left := proc.EndMarked(h.mark); len(left) > 0 {
		h.t.Errorf("processes were left: %v", left)
	}
	if text := h.sh("cat .claude/state/agents/running/* 2>/dev/null || true"); strings.Contains(text, `"pid"`) {
		h.t.Errorf("agents are still on record: %s", text)
	}
	if s := h.state().Session; s.ClaudeSession != "" || strings.Contains(h.sh("ls .claude/state"), "owner.json") {
		h.t.Errorf("the drive was not given back: %+v", s)
	}
}

// evidence is what warp says of the issue.
func (h *headless) evidence() (d evidence.Account) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.sh("warp evidence 1 --json")), &d); err != nil {
		h.t.Fatal(err)
	}
	return d
}

// prompts are how the engine begins what it asks for, by the agent's role.
var prompts = []struct{ begin, role string }{
	{"You plan the work", "plan"}, {"You implement part", "code"}, {"You fix work", "fix"}, {"You finish work", "fix"}, {"You judge work", "verify"},
}

// criterion is a line of the criteria that a prompt lists, not one of its example.
var criterion = regexp.MustCompile(`(?m)^(AC-\d+): `)

// role names the scenario of a prompt: what is asked for, and the first criterion
// that it is asked for.
func role(text string) string {
	for _, p := range prompts {
		if strings.HasPrefix(text, p.begin) {
			id := ""
			if m := criterion.FindStringSubmatch(text); m != nil {
				id = m[1]
			}
			return p.role + "-" + id
		}
	}
	return ""
}

func use(tool string, input map[string]any) messages.Step {
	return messages.Step{Tools: []messages.Tool{{Name: tool, Input: input}}}
}

func look(path string) messages.Step { return use("Read", map[string]any{"file_path": path}) }

func edit(path, old, text string) messages.Step {
	return use("Edit", map[string]any{"file_path": path, "old_string": old, "new_string": text})
}

// answer is a structured result; Claude Code asks once more after it.
func answer(v map[string]any) []messages.Step {
	return []messages.Step{use("StructuredOutput", v), {Text: "Done."}}
}

// met is a verifier's yes to each criterion.
func met(ids ...string) []messages.Step {
	var list []any
	for _, id := range ids {
		list = append(list, map[string]any{"id": id, "met": true, "reason": "text.js does it, text.test.js shows it"})
	}
	return answer(map[string]any{"criteria": list})
}

func done(summary string) []messages.Step { return answer(map[string]any{"summary": summary}) }

// after puts steps before those that end a run.
func after(end []messages.Step, steps ...messages.Step) []messages.Step { return append(steps, end...) }
