package hook

// registration is one entry of the agent's hook settings: one per event, and
// one process per event that runs all of its concerns.
type registration struct {
	Event   string
	Matcher string // "": every tool
	Seconds int    // time-out
	// Guard: what cannot be asked is denied ("onFailure": "block").
	Guard bool
}

// Registrations are what warp init writes and the plugin carries.
var Registrations = []registration{
	{Event: "SessionStart", Seconds: 10},
	{Event: "UserPromptSubmit", Seconds: 10},
	{Event: "UserPromptExpansion", Seconds: 10},
	{Event: "PreToolUse", Matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|AskUserQuestion", Seconds: 30, Guard: true},
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
