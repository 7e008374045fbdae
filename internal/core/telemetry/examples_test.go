package telemetry

import (
	"testing"

	"warp/internal/core/errorclass"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

const sid = "session-uuid-5678"

func exampleSession() *Session {
	s := Begin(Beginning{Session: sid, At: clock(9, 0, 0), Branch: "feature/user-auth", Commit: "abc123", Directory: "/project"})
	s.Fold([]event.Row{
		row(sid, event.SlashCommand, "name", "loop"), row(sid, event.AgentBegan), row(sid, event.AgentBegan),
		row(sid, event.SlashCommand, "name", "assess"), row(sid, event.SlashCommand, "name", "assess"),
		row(sid, event.Edit, "file", "src/auth/login.ts"), row(sid, event.Edit, "file", "src/auth/logout.ts"),
		row(sid, event.ToolFailed, "key", "k"), row(sid, event.ToolRecovered, "key", "k"),
	})
	return s
}

func exampleAgents() *Agents {
	a := &Agents{}
	for _, id := range []string{"agent-uuid-1234", "other", "third"} {
		a.Start(Agent{ID: id, Type: "security-analyst", Task: "Audit authentication implementation",
			Started: "2026-01-29T10:30:00Z", ParentTask: "implement user authentication"}, "session-uuid")
	}
	a.Stop("other", false)
	a.Agents = a.Agents[:1] // the document's own example does not add up
	return a
}

func exampleResult() Result {
	read := Facts{FilesRead: 12, Files: []string{"src/auth/login.ts", "src/middleware/auth.ts"}}
	r := NewResult(exampleAgents().Agents[0], StopFacts{LastMessage: `{"findings": [{"severity": "high", "category": "security",
		"title": "Missing rate limiting on login endpoint", "details": "...", "recommendation": "..."}],
		"recommendations": ["..."]}`, Transcript: read}, clock(10, 35, 0))
	r.Metrics.IssuesFound = 3 // nor does this one
	return r
}

func exampleErrors(t *testing.T) *Errors {
	e := &Errors{}
	e.Fail(Failure{ID: "error-uuid-001", Session: sid, Key: "k1", Class: errorclass.Network, Tool: "WebFetch", Message: "Connection timeout",
		Context: parse(t, `{"url": "https://api.example.com", "operation": "fetch documentation"}`)}, clock(10, 30, 0))
	for _, key := range []string{"a", "b", "c"} {
		e.Fail(Failure{ID: key, Session: sid, Key: key, Class: errorclass.Timeout}, clock(10, 31, 0))
		e.Recover(sid, key, clock(10, 32, 0))
	}
	e.Fail(Failure{ID: "d", Session: sid, Class: errorclass.Permission}, clock(10, 33, 0))
	e.Errors = e.Errors[:1]
	return e
}

func exampleMetrics() *Metrics {
	delta := "+8%"
	s := exampleSession()
	s.CommandCounts = Counts{{"loop", 1}, {"assess", 2}, {"fix", 3}}
	m := &Metrics{}
	m.Add(s, AgentCounts{2, 2, 0}, Summary{Total: 3, Recovered: 2, Escalated: 1}, Quality{5, 4, &delta}, clock(9, 45, 10))
	return m
}

func exampleBackup() Backup {
	none := lossless.NewObject()
	return NewBackup("auto", Preserved{none, none, none, none},
		Facts{ContextTokens: 180000, FilesInContext: []string{"src/auth/login.ts", "src/auth/logout.ts"}}, clock(10, 45, 0))
}
