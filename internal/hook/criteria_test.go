//go:build unix

package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// chunked is a drive in coding with one chunk of these criteria.
func chunked(t *testing.T, ids []string) *project {
	t.Helper()
	p := newProject(t)
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid(), ClaudeSession: owner}); err != nil {
		t.Fatal(err)
	}
	p.write(".claude/settings.local.json", `{"_workflow":{"max_acs_per_commit":99}}`)
	for _, on := range []drivestate.Event{drivestate.PrerequisitesOK, drivestate.WorkSelected, drivestate.PlanReady} {
		p.fire(on, "")
	}
	data := ""
	if ids != nil {
		data = `{"chunks":[["` + strings.Join(ids, `","`) + `"]]}`
	}
	p.fire(drivestate.ChunksDefined, data)
	return p
}

func TestTheQuestionSaysHowToAnswerIt(t *testing.T) {
	p := driven(t, drivestate.Coding)
	why := p.bash("warp state transition . code_complete").Specific.Reason
	for _, want := range []string{"before code_complete", "criteria of #42", "- AC-01: parse mail\n", "warp state transition . code_complete --confirm 'AC-01: how you know'"} {
		if !strings.Contains(why, want) {
			t.Errorf("lacks %q:\n%s", want, why)
		}
	}
	if strings.HasSuffix(why, "…") {
		t.Error("it is not cut")
	}
	for _, command := range []string{
		"warp state transition . code_complete --confirm='AC-01: seen'",
		"warp state transition --confirm 'AC-01: seen' . code_complete",
		"warp state transition . --data '{}' code_complete --confirm 'AC-02: x' --confirm 'AC-01: y'",
	} {
		if a := p.bash(command); a.Out != "" {
			t.Errorf("%s: %s", command, a.Out)
		}
	}
	if a := p.bash("warp state transition . code_complete --confirm"); !a.denied() {
		t.Error("a flag without a value confirms")
	}
	if a := p.bash("warp state transition . tests_passed"); a.Out != "" {
		t.Errorf("what the table refuses anyhow: %s", a.Out)
	}
}

// The words of an issue are put before the agent as data.
func TestTheQuestionFencesTheCriteria(t *testing.T) {
	p := chunked(t, []string{"AC-01"})
	p.write(".claude/issues/42.md", "- [ ] AC-01: parse``` mail\u3164\ufe0f\n")
	if _, err := p.drive.Criteria.RecordFromFile("42"); err != nil {
		t.Fatal(err)
	}
	why := p.bash("warp state transition . code_complete").Specific.Reason
	if !strings.Contains(why, "\n````untrusted\n- AC-01: parse``` mail\\u3164\\ufe0f\n````\n") {
		t.Errorf("%q", why)
	}
}

func TestTheQuestionIsBounded(t *testing.T) {
	var ids []string
	text := ""
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("AC-%02d", i))
		if i != 1 {
			text += fmt.Sprintf("- [ ] AC-%02d: %s\n", i, strings.Repeat("word ", 80))
		}
	}
	p := chunked(t, ids)
	p.write(".claude/issues/42.md", text)
	if _, err := p.drive.Criteria.RecordFromFile("42"); err != nil {
		t.Fatal(err)
	}
	why := p.bash("warp state transition . code_complete").Specific.Reason
	if len(why) > 7000 || !strings.Contains(why, "- …\n") || strings.Contains(why, "AC-39") {
		t.Errorf("%d bytes:\n%s", len(why), why)
	}
	if !strings.Contains(why, "- AC-01: (read it in the issue)") {
		t.Error("a criterion without a text is not told")
	}
	if !strings.Contains(why, "--confirm 'AC-02: how you know' …") || strings.Contains(why, "'AC-03: how") {
		t.Errorf("the example:\n%s", why)
	}
}

func TestADriveWithoutCriteriaIsConfirmedAsAWhole(t *testing.T) {
	p := chunked(t, nil)
	if a := p.bash("warp state transition . code_complete"); !strings.Contains(a.Specific.Reason, "--confirm 'all: how you know'") {
		t.Errorf("got %s", a.Out)
	}
	if a := p.bash("warp state transition . code_complete --confirm 'all: tests show it'"); a.Out != "" {
		t.Errorf("confirmed, and still: %s", a.Out)
	}
}

func TestTheTaskOfASubagentIsTheOneItWasStartedFor(t *testing.T) {
	p := driven(t, drivestate.Coding)
	dir := t.TempDir()
	transcript := filepath.Join(dir, "t.jsonl")
	var lines []string
	for i, c := range [][2]string{{"other", "Another kind"}, {"sec", "Audit"}, {"sec", "Audit"}, {"sec", "Look"}} {
		lines = append(lines, fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"Agent","input":{"description":%q,"prompt":"p","subagent_type":%q}}]}}`, i, i, c[1], c[0]))
	}
	p.write("x", "")
	if err := os.WriteFile(transcript, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a1", "a2", "a3", "a4"} {
		p.hook("SubagentStart", payload{"transcript_path": transcript, "agent_id": id, "agent_type": "sec"})
	}
	var tasks []string
	for _, a := range p.doc("agents/active.json")["agents"].([]any) {
		tasks = append(tasks, a.(map[string]any)["task"].(string))
		if a.(map[string]any)["started"] == "" {
			t.Error("it has no beginning")
		}
	}
	if got := strings.Join(tasks, "|"); got != "Audit|Audit|Look|" {
		t.Errorf("tasks %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a4.meta.json"), []byte(`{"description":"From its own record"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p.hook("SubagentStop", payload{"agent_id": "a4", "agent_type": "sec", "agent_transcript_path": filepath.Join(dir, "a4.jsonl"), "last_assistant_message": "m"})
	if r := p.doc("agents/results/a4.json"); r["task"] != "From its own record" {
		t.Errorf("result %v", r)
	}
	if err := os.WriteFile(filepath.Join(dir, "a3.meta.json"), []byte(`{"desc`), 0o644); err != nil {
		t.Fatal(err)
	}
	p.hook("SubagentStop", payload{"agent_id": "a3", "agent_type": "sec", "agent_transcript_path": filepath.Join(dir, "a3.jsonl"), "last_assistant_message": "m"})
	if r := p.doc("agents/results/a3.json"); r["task"] != "Look" {
		t.Errorf("result %v", r)
	}
}

func TestFindingsOfOthersAreNotOffered(t *testing.T) {
	p := driven(t, drivestate.Coding)
	found := "```json\n{\"findings\":[{\"severity\":\"S1\",\"category\":\"c\",\"title\":\"Secret\",\"details\":\"d\",\"recommendation\":\"r\"}]}\n```"
	for _, event := range []string{"SubagentStart", "SubagentStop"} {
		p.hook(event, payload{"session_id": "another", "agent_id": "b1", "agent_type": "x", "last_assistant_message": found})
	}
	if a := p.hook("PostToolUse", payload{"tool_name": "Task", "tool_input": payload{}}); a.Out != "" {
		t.Errorf("another session's: %s", a.Out)
	}
	for _, event := range []string{"SubagentStart", "SubagentStop"} {
		p.hook(event, payload{"agent_id": "a1", "agent_type": "x", "last_assistant_message": strings.Replace(found, "Secret", "Mine", 1)})
	}
	if a := p.hook("PostToolUse", payload{"tool_name": "Task", "tool_input": payload{}}); !strings.Contains(a.Specific.Context, "Mine") || strings.Contains(a.Specific.Context, "Secret") {
		t.Errorf("its own: %s", a.Out)
	}
	if a := p.ran("ls"); a.Out != "" {
		t.Errorf("after any tool: %s", a.Out)
	}
}

func TestOnlySlashCommandsAreCounted(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	p.hook("UserPromptExpansion", payload{"expansion_type": "mention", "command_name": "file"})
	p.hook("UserPromptExpansion", payload{"expansion_type": "slash_command", "command_name": ""})
	p.hook("UserPromptExpansion", payload{"command_name": "plain"}) // a version that does not say what it is
	p.hook("Stop", nil)
	p.want("session/current.json", map[string]string{"commands_executed": `["plain"]`})
}

func TestALongPromptIsATaskNotAGoodbye(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"_rdb":{"chat":"1"}}`)
	long := "keep going while I am at lunch. " + strings.Repeat("Write this. ", 200)
	if a := p.hook("UserPromptSubmit", payload{"prompt": long}); a.Out != "" {
		t.Errorf("got %s", a.Out)
	}
	if a := p.hook("UserPromptSubmit", payload{"prompt": "Going AFK"}); !strings.Contains(a.Specific.Context, "remote mode is on") {
		t.Errorf("got %s", a.Out)
	}
	if a := p.hook("UserPromptSubmit", payload{"prompt": "Going AFK"}); a.Out != "" {
		t.Errorf("told twice: %s", a.Out)
	}
}

func TestFilesAreNamedAsTheProjectNamesThem(t *testing.T) {
	p := driven(t, drivestate.Coding)
	link := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(p.root, link); err != nil {
		t.Fatal(err)
	}
	p.write("src/a.go", "package a\n")
	for _, file := range []string{"src/a.go", "./src/../src/a.go", p.root + "/src/a.go", p.root + "//src/./a.go", link + "/src/a.go"} {
		p.edit("PostToolUse", file)
	}
	p.edit("PostToolUse", p.root+"-beside/a.go")
	counts := p.state().EditCounts
	if counts["src/a.go"] != 5 || counts[p.root+"-beside/a.go"] != 1 || len(counts) != 2 {
		t.Errorf("counted %v", counts)
	}
}

// What a failed call was for is in its error, also where the tool takes no description.
func TestAnErrorTellsTheOperation(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	p.hook("PostToolUseFailure", payload{"tool_name": "WebFetch", "tool_use_id": "t", "error": "Connection timeout",
		"tool_input": payload{"url": "https://api.example.com", "prompt": "fetch documentation"}})
	e := p.doc("errors/classified.json")["errors"].([]any)[0].(map[string]any)
	if c := e["context"].(map[string]any); c["url"] != "https://api.example.com" || c["operation"] != "fetch documentation" {
		t.Errorf("context %v", c)
	}
}

// The same call is the same call however it is described; other input is not.
func TestWhichCallRecovers(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	odd := func(event, what, why string) {
		p.hook(event, payload{"tool_name": "mcp__x", "tool_input": payload{"id": what}, "tool_use_id": "t-" + what, "error": why})
	}
	odd("PostToolUseFailure", "one", "connect ECONNREFUSED")
	odd("PostToolUseFailure", "two", "connect ECONNREFUSED")
	fetch := func(event, about, why string) {
		p.hook(event, payload{"tool_name": "WebFetch", "tool_input": payload{"url": "https://x", "description": about}, "tool_use_id": "t", "error": why})
	}
	fetch("PostToolUseFailure", "first try", "connect ECONNREFUSED")
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":0,"logged":0,"pending":3,"queued":0,"recovered":0,"total":3}`})
	odd("PostToolUse", "one", "")
	fetch("PostToolUse", "second try", "")
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":0,"logged":0,"pending":1,"queued":0,"recovered":2,"total":3}`})
	for _, e := range p.doc("errors/classified.json")["errors"].([]any) {
		if c := e.(map[string]any)["context"].(map[string]any); e.(map[string]any)["tool"] == "WebFetch" && c["operation"] != "first try" {
			t.Errorf("context %v", c)
		}
	}
}
