package hook

// concerns says what is done on each event, in order.
var concerns = [...]struct {
	event string
	list  []concern
}{
	{"SessionStart", []concern{
		{name: "session", run: beginSession},
		{name: "context", run: inject},
		{name: "answers", run: passAnswers},
	}},
	{"UserPromptSubmit", []concern{
		{name: "afk", run: goingAway},
		{name: "spoken", run: hearPrompt},
		{name: "context", run: remind},
		{name: "findings", run: offerFindings},
		{name: "answers", run: passAnswers},
	}},
	{"UserPromptExpansion", []concern{{name: "commands", run: countCommand}, {name: "spoken", run: hearSlash}}},
	{"PreToolUse", []concern{
		{name: "payload", guard: true, run: readable},
		{name: "commands", guard: true, run: guardCommand},
		{name: "files", guard: true, run: guardFile},
		{name: "questions", guard: true, run: guardQuestion},
	}},
	{"PermissionRequest", []concern{{name: "permissions", run: permissionAsked}}},
	{"PermissionDenied", []concern{{name: "permissions", run: permissionDenied}}},
	{"PostToolUse", []concern{
		{name: "recovery", run: recovered},
		{name: "spoken", run: hearChoice},
		{name: "edits", run: trackEdit},
		{name: "branches", run: watchBranches},
		{name: "settle", run: settle},
		{name: "drift", run: adviseOnDrift},
		{name: "docs", run: detectDocs},
		{name: "time", run: lookAtTime},
		{name: "findings", run: offerFindings},
		{name: "answers", run: passAnswers},
	}},
	{"PostToolUseFailure", []concern{
		{name: "errors", run: classify},
		{name: "branches", run: watchBranches},
		{name: "time", run: lookAtTime},
	}},
	{"SubagentStart", []concern{{name: "agents", run: agentBegan}}},
	{"SubagentStop", []concern{{name: "agents", run: agentEnded}}},
	{"PreCompact", []concern{{name: "backup", run: backUp}}},
	{"Stop", []concern{
		{name: "branches", run: watchBranches},
		{name: "report", run: holdForReport},
		{name: "settle", run: settle},
		{name: "session", run: flushSession},
	}},
	{"StopFailure", []concern{{name: "session", run: sessionFailed}}},
	{"SessionEnd", []concern{{name: "session", run: endSession}}},
}

func concernsOf(event string) []concern {
	for _, c := range concerns {
		if c.event == event {
			return c.list
		}
	}
	return nil
}
