package initcmd

import (
	"fmt"
	"strings"

	"warp/internal/core/lossless"
)

// codex is the Codex CLI: like Claude, with other tools. Anything that is wrong
// with a hook, it goes on without it.
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

// gemini is the Gemini CLI, which has its own names and counts milliseconds.
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

// renderOther spells entries whose time-outs are in units of a second's part. Those with
// a matcher are guards.
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

// agent is one coding agent: where its hooks are registered and how a
// registration looks. Another one is one more file with one more row.
type agent struct {
	name string
	file string // under the project's root
	// commands: it takes slash commands and skills.
	commands bool
	// note is what a person has to know about its hooks.
	note string
	// render spells the groups of hooks that warp wants, by event, for a
	// program as a shell would name it.
	render func(program string) []group
	// validate says what the agent would not accept, with the line, and
	// warns of what it would pass over.
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

// The line of a hook is committed with the settings, so it also runs where warp is not
// installed (once, every call was denied there). Without the program an observer says
// nothing, and a guard denies only where there is a drive.
const (
	askBegin = "if command -v "
	askThen  = " >/dev/null 2>&1; then exec "
	askEnd   = "; fi"
)

// whenMissing looks for a drive as the program does: upwards from the session's folder
// to the top of the work tree.
const whenMissing = `; d=@FOLDER@; s=.claude/.warp-drive-state.json; until [ -e "$d/$s" ] || [ -e "$d/.git" ] || [ "$d" = "${d%/*}" ]; do d=${d%/*}; done; ` +
	`[ ! -e "$d/$s" ] || { echo 'warp-drive: denied, because the program warp-hook is missing and this project has a drive. Install it (make install in the sources of Warp Drive), or have a person remove '"$d/$s" >&2; exit 2; }`

// hookLine spells the command line of a hook. Folder is where the session works, for a
// shell; "": it is no guard.
func hookLine(program, args, folder string) string {
	line := askBegin + program + askThen + program + " " + args + askEnd
	if folder != "" {
		line += strings.Replace(whenMissing, "@FOLDER@", folder, 1)
	}
	return line
}

// askedProgram is the program that a line of hookLine's kind runs.
func askedProgram(line string) (program string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), askBegin)
	program, rest, asks := strings.Cut(rest, askThen)
	return program, ok && asks && strings.HasPrefix(rest, program+" ")
}
