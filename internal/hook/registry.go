package hook

// Registration is one entry in the agent's hook settings. Each event has one, whose process runs
// all concerns of the event.
type Registration struct {
	Event   string
	Matcher string // "" for every tool
	Seconds int    // timeout
	// Guard denies a call if the hook itself fails ("onFailure": "block" in Claude Code).
	Guard bool
}

// Registrations lists the hooks that warp init writes and the plugin ships.
var Registrations = []Registration{
	{Event: "SessionStart", Seconds: 10},
	{Event: "UserPromptSubmit", Seconds: 10},
	{Event: "UserPromptExpansion", Seconds: 10},
	{Event: "PreToolUse", Matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|AskUserQuestion|mcp__.*", Seconds: 30, Guard: true},
	{Event: "PermissionRequest", Seconds: 10},
	{Event: "PermissionDenied", Seconds: 10},
	{Event: "PostToolUse", Seconds: 60},
	{Event: "PostToolUseFailure", Seconds: 60},
	{Event: "SubagentStart", Seconds: 10},
	{Event: "SubagentStop", Seconds: 10},
	{Event: "PreCompact", Seconds: 10},
	{Event: "Stop", Seconds: 30},
	{Event: "StopFailure", Seconds: 10},
	{Event: "SessionEnd", Seconds: 10},
}
