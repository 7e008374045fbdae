package initcmd

import (
	"fmt"
	"strings"

	"warp/internal/core/lossless"
)

// codex is the Codex CLI: like Claude Code, with other tools. It ignores invalid hooks.
var codex = agent{
	name: "codex", file: ".codex/hooks.json",
	render:   renderCodex,
	validate: validate("Codex", codexEvents),
	note: "Codex runs a project's hooks only once you have trusted them: start codex here and accept them (/hooks). " +
		"Hooks do not see what is typed into an interactive shell: run codex with -c features.unified_exec_tty=false",
}

var codexEvents = []string{
	"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact",
	"SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

func renderCodex(program string) []group {
	return renderOther(program, "codex", "$PWD", 1, []entry{
		{event: "SessionStart", timeout: 10},
		{event: "UserPromptSubmit", timeout: 10},
		{event: "PreToolUse", matcher: "Bash|apply_patch", timeout: 30},
		{event: "PostToolUse", timeout: 60},
		{event: "SubagentStart", timeout: 10},
		{event: "SubagentStop", timeout: 10},
		{event: "PreCompact", timeout: 10},
		{event: "Stop", timeout: 30},
		{event: "SessionEnd", timeout: 10},
	})
}

// gemini is the Gemini CLI, which has its own event names and counts in milliseconds.
var gemini = agent{
	name: "gemini", file: ".gemini/settings.json",
	render:   renderGemini,
	validate: validate("Gemini CLI", geminiEvents),
	note:     "Gemini CLI reads a project's hooks only in a trusted folder, and only when started in the project's top folder; with --skip-trust it does not run them",
}

var geminiEvents = []string{
	"SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection",
	"BeforeTool", "AfterTool", "PreCompress", "Notification",
}

func renderGemini(program string) []group {
	return renderOther(program, "gemini", sessionFolder, 1000, []entry{
		{event: "SessionStart", timeout: 10},
		{event: "BeforeAgent", timeout: 10},
		{event: "BeforeTool", matcher: "^(run_shell_command|write_file|replace)$", timeout: 30},
		{event: "AfterTool", timeout: 60},
		{event: "AfterAgent", timeout: 30},
		{event: "SessionEnd", timeout: 10},
	})
}

// renderOther renders entries; second is the number of timeout units in a second. Entries with a
// matcher are guards.
func renderOther(program, agent, folder string, second int, entries []entry) []group {
	var groups []group
	for _, e := range entries {
		guard := folder
		if e.matcher == "" {
			guard = ""
		}
		e.command, e.timeout = hookLine(program, "--agent "+agent+" "+e.event, guard), e.timeout*second
		groups = append(groups, e.group())
	}
	return groups
}

// agent describes where a coding agent registers hooks, and in what format.
type agent struct {
	name string
	file string // relative to the project's root
	// commands is set if it takes slash commands and skills.
	commands bool
	// note is what users must know about its hooks.
	note string
	// render returns the hook groups warp wants, for a program as a shell names it.
	render func(program string) []group
	// validate returns what the agent would reject, with the line, and warns of what it would
	// ignore.
	validate func(text []byte, doc *lossless.Value) (warnings []string, err error)
}

// group is a group of hooks for one event.
type group struct {
	event string
	value *lossless.Value
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
// installed (once, every call was denied there). Without the program an observer does nothing,
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
