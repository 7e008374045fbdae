package initcmd

import (
	"fmt"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/hook"
)

// codex is the Codex CLI: like Claude Code, with other tools. It ignores invalid hooks.
var codex = agent{
	name: "codex", title: "Codex", file: ".codex/hooks.json", folder: "$PWD", second: 1,
	note: "Codex runs a project's hooks only once you have trusted them: start codex here and accept them (/hooks). " +
		"Hooks do not see what is typed into an interactive shell: run codex with -c features.unified_exec_tty=false",
	events: []string{
		"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact",
		"SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
	},
	hooks: []hook.Registration{
		{Event: "SessionStart", Seconds: 10},
		{Event: "UserPromptSubmit", Seconds: 10},
		{Event: "PreToolUse", Matcher: "Bash|apply_patch|mcp__.*", Seconds: 30, Guard: true},
		{Event: "PostToolUse", Seconds: 60},
		{Event: "SubagentStart", Seconds: 10},
		{Event: "SubagentStop", Seconds: 10},
		{Event: "PreCompact", Seconds: 10},
		{Event: "Stop", Seconds: 30},
		{Event: "SessionEnd", Seconds: 10},
	},
}

// gemini is the Gemini CLI, which has its own event names and counts in milliseconds.
var gemini = agent{
	name: "gemini", title: "Gemini CLI", file: ".gemini/settings.json", folder: sessionFolder, second: 1000,
	note: "Gemini CLI reads a project's hooks only in a trusted folder, and only when started in the project's top folder; with --skip-trust it does not run them",
	events: []string{
		"SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection",
		"BeforeTool", "AfterTool", "PreCompress", "Notification",
	},
	hooks: []hook.Registration{
		{Event: "SessionStart", Seconds: 10},
		{Event: "BeforeAgent", Seconds: 10},
		{Event: "BeforeTool", Matcher: "^(run_shell_command|write_file|replace)$", Seconds: 30, Guard: true},
		{Event: "AfterTool", Seconds: 60},
		{Event: "AfterAgent", Seconds: 30},
		{Event: "SessionEnd", Seconds: 10},
	},
}

// agent describes where a coding agent registers hooks, and in what format.
type agent struct {
	name, title string
	file        string // relative to the project's root
	// commands is set if it takes slash commands and skills.
	commands bool
	// note is what users must know about its hooks.
	note   string
	hooks  []hook.Registration
	folder string   // the session's, in shell syntax
	second int      // how many units of its time limits are a second
	events []string // that it knows
}

// group is a group of hooks for one event.
type group struct {
	event string
	value *lossless.Value
}

// render returns the hook groups warp wants, each with one hook, for a program as a shell names it.
func (a agent) render(program string) (groups []group) {
	isClaude := a.name == claudeCode.name
	for _, r := range a.hooks {
		args, folder := r.Event, ""
		if !isClaude {
			args = "--agent " + a.name + " " + r.Event
		}
		if r.Guard {
			folder = a.folder
		}
		entry := lossless.NewObject(lossless.NewMember("type", "command"), lossless.NewMember("command", hookLine(program, args, folder)), lossless.NewMember("timeout", r.Seconds*a.second))
		if r.Guard && isClaude {
			entry = entry.With("onFailure", lossless.NewString("block"))
		}
		value := lossless.NewObject()
		if r.Matcher != "" {
			value = value.With("matcher", lossless.NewString(r.Matcher))
		}
		groups = append(groups, group{r.Event, value.With("hooks", lossless.Encode([]*lossless.Value{entry}, nil))})
	}
	return groups
}

var agents = []agent{claudeCode, codex, gemini}

func findAgent(name string) (agent, error) {
	var names []string
	for _, a := range agents {
		if a.name == name {
			return a, nil
		}
		names = append(names, a.name)
	}
	return agent{}, fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(names, ", "))
}

// The command line of a hook is committed with the settings, so it also runs where warp is not
// installed (there, every tool call was once denied). Without the program an observer does nothing,
// and a guard denies only in a project with a drive.
const (
	askBegin = "if command -v "
	askThen  = " >/dev/null 2>&1; then exec "
	askEnd   = "; fi"
)

// whenMissing looks for a drive as the program does: from the session's folder up to the top of
// the work tree.
const whenMissing = `; d=@FOLDER@; s=.claude/.warp-drive-state.json; until [ -e "$d/$s" ] || [ -e "$d/.git" ] || [ "$d" = "${d%/*}" ]; do d=${d%/*}; done; ` +
	`[ ! -e "$d/$s" ] || { echo 'warp-drive: denied, because the program warp-hook is missing and this project has a drive. Install it (make install in the sources of Warp Drive), or have a person remove '"$d/$s" >&2; exit 2; }`

// hookLine returns the command line of a hook. folder is the session's folder in shell syntax,
// or "" if the hook is not a guard.
func hookLine(program, args, folder string) string {
	line := askBegin + program + askThen + program + " " + args + askEnd
	if folder != "" {
		line += strings.Replace(whenMissing, "@FOLDER@", folder, 1)
	}
	return line
}

// askedProgram returns the program that a line from hookLine runs.
func askedProgram(line string) (program string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), askBegin)
	program, rest, asks := strings.Cut(rest, askThen)
	return program, ok && asks && strings.HasPrefix(rest, program+" ")
}
