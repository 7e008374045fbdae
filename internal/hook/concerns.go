package hook

import "warp/internal/core/lazy"

// concerns lists the tasks of each event, in order.
var concerns = lazy.Table[string, []concern]{
	{"SessionStart", []concern{
		{name: "session", log: beginSession},
		{name: "context", run: injectContext},
		{name: "answers", run: passAnswers},
	}},
	{"UserPromptSubmit", []concern{
		{name: "afk", run: switchToRemote},
		{name: "spoken", run: recordPrompt},
		{name: "context", run: remindOwner},
		{name: "findings", log: offerFindings},
		{name: "answers", run: passAnswers},
	}},
	{"UserPromptExpansion", []concern{{name: "commands", run: countCommand}, {name: "spoken", run: recordSlashCommand}}},
	{"PreToolUse", []concern{
		{name: "payload", guard: true, run: guardPayload},
		{name: "commands", guard: true, run: guardCommand},
		{name: "files", guard: true, run: guardFile},
		{name: "questions", guard: true, run: guardQuestion},
		{name: "pinned", run: acceptPersons},
	}},
	{"PermissionRequest", []concern{{name: "permissions", run: recordPermission}}},
	{"PermissionDenied", []concern{{name: "permissions", run: recordPermission}}},
	{"PostToolUse", []concern{
		{name: "recovery", log: recordRecovery},
		{name: "spoken", run: recordChoice},
		{name: "edits", run: trackEdit},
		{name: "branches", run: watchBranches},
		{name: "pinned", run: undoPinned},
		{name: "settle", run: foldObservations},
		{name: "drift", run: adviseOnDrift},
		{name: "docs", run: detectDocs},
		{name: "time", run: parkIfOutOfTime},
		{name: "findings", log: offerFindings},
		{name: "answers", run: passAnswers},
	}},
	{"PostToolUseFailure", []concern{
		{name: "errors", log: classifyFailure},
		{name: "branches", run: watchBranches},
		{name: "pinned", run: undoPinned},
		{name: "time", run: parkIfOutOfTime},
	}},
	{"SubagentStart", []concern{{name: "agents", log: recordAgentStart}}},
	{"SubagentStop", []concern{{name: "agents", log: recordAgentEnd}}},
	{"PreCompact", []concern{{name: "backup", log: backUpContext}}},
	{"Stop", []concern{
		{name: "branches", run: watchBranches},
		{name: "report", run: holdForReport},
		{name: "settle", run: foldObservations},
		{name: "session", log: flushSession},
	}},
	{"StopFailure", []concern{{name: "session", log: recordSessionFailure}}},
	{"SessionEnd", []concern{{name: "session", log: endSession}}},
}
