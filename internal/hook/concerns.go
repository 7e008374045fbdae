package hook

// concerns says what is done on each event, in order.
var concerns = map[string][]concern{
	"SessionStart": {
		{name: "session", run: beginSession},
		{name: "context", run: inject},
	},
	"UserPromptSubmit":    {{name: "afk", run: goingAway}},
	"UserPromptExpansion": {{name: "commands", run: countCommand}},
	"PreToolUse": {
		{name: "payload", guard: true, run: readable},
		{name: "commands", guard: true, run: guardCommand},
		{name: "files", guard: true, run: guardFile},
	},
	"PermissionRequest": {{name: "permissions", run: permissionAsked}},
	"PermissionDenied":  {{name: "permissions", run: permissionDenied}},
	"PostToolUse": {
		{name: "recovery", run: recovered},
		{name: "edits", run: trackEdit},
		{name: "branches", run: watchBranches},
		{name: "docs", run: detectDocs},
		{name: "findings", run: offerFindings},
	},
	"PostToolUseFailure": {
		{name: "errors", run: classify},
		{name: "branches", run: watchBranches},
	},
	"SubagentStart": {{name: "agents", run: agentBegan}},
	"SubagentStop":  {{name: "agents", run: agentEnded}},
	"PreCompact":    {{name: "backup", run: backUp}},
	"Stop": {
		{name: "branches", run: watchBranches},
		{name: "report", run: holdForReport},
		{name: "session", run: flushSession},
	},
	"StopFailure": {{name: "session", run: sessionFailed}},
	"SessionEnd":  {{name: "session", run: endSession}},
}
