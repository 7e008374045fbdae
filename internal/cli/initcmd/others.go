package initcmd

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
