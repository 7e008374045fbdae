//go:build unix

package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/drivestate"
)

// doc reads a recorded document.
func (p *project) doc(name string) map[string]any {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, ".claude/state", name))
	if err != nil {
		p.t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		p.t.Fatal(err)
	}
	delete(doc, "journal")
	return doc
}

func (p *project) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.root, ".claude/state", name))
	return err == nil
}

// want compares members of a document, spelled as JSON.
func (p *project) want(name string, members map[string]string) {
	p.t.Helper()
	doc := p.doc(name)
	for member, want := range members {
		text, err := json.Marshal(doc[member])
		if err != nil {
			p.t.Fatal(err)
		}
		if string(text) != want {
			p.t.Errorf("%s of %s is %s, want %s", member, name, text, want)
		}
	}
}

func TestASessionIsRecordedWithoutADrive(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	p.hook("UserPromptExpansion", payload{"expansion_type": "slash_command", "command_name": "loop"})
	p.hook("UserPromptExpansion", payload{"expansion_type": "slash_command", "command_name": "loop"})
	p.edit("PostToolUse", "src/a.go")
	p.edit("PostToolUse", "src/a.go")
	p.edit("PostToolUse", filepath.Join(p.root, "b.go"))
	p.hook("Stop", nil)
	p.want("session/current.json", map[string]string{
		"session_id": `"` + owner + `"`, "git_branch": `"feature/issue-42-x"`, "git_commit_start": `"` + p.git("rev-parse", "HEAD") + `"`,
		"working_directory": fmt.Sprintf("%q", p.root), "hooks_version": `"3.0"`, "commands_executed": `["loop"]`, "files_modified": `["src/a.go","b.go"]`,
	})
	p.hook("SessionEnd", payload{"reason": "other"})
	p.want("session/current.json", map[string]string{"end_reason": `"other"`})
	row := p.doc("session/metrics.json")["sessions"].([]any)[0].(map[string]any)
	if row["session_id"] != owner || row["commands"].(map[string]any)["loop"] != 2.0 {
		t.Errorf("metrics %v", row)
	}
}

func TestErrorsAreClassifiedAndRecover(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	fetch := payload{"tool_name": "WebFetch", "tool_input": payload{"url": "https://api.example.com", "prompt": "x"}, "tool_use_id": "toolu_9", "error": "connect ECONNREFUSED 10.0.0.1:443", "is_interrupt": false}
	p.hook("PostToolUseFailure", fetch)
	p.hook("PostToolUseFailure", payload{"tool_name": "Bash", "tool_input": payload{"command": "go test ./..."}, "error": "Exit code 1\n--- FAIL: TestX\nFAIL"})
	errs := p.doc("errors/classified.json")["errors"].([]any)
	if len(errs) != 1 {
		t.Fatalf("a failing test is an error: %v", errs)
	}
	one := errs[0].(map[string]any)
	if one["classification"] != "network" || one["tool"] != "WebFetch" || one["status"] != "pending_retry" || one["next_retry"] == nil || one["context"].(map[string]any)["url"] != "https://api.example.com" {
		t.Errorf("got %v", one)
	}
	delete(fetch, "error")
	p.hook("PostToolUse", fetch)
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":0,"logged":0,"pending":0,"queued":0,"recovered":1,"total":1}`})
	p.hook("Stop", nil)
	p.want("session/current.json", map[string]string{"errors_encountered": "1", "errors_recovered": "1"})
	p.hook("SessionEnd", payload{"reason": "clear"})
	if p.has("errors/classified.json") {
		t.Error("the errors outlive their session")
	}
	row := p.doc("session/metrics.json")["sessions"].([]any)[0].(map[string]any)
	if e := row["errors"].(map[string]any); e["total"] != 1.0 || e["recovered"] != 1.0 {
		t.Errorf("metrics %v", e)
	}
}

func TestSubagentsAreTrackedWithTheirFindings(t *testing.T) {
	p := driven(t, drivestate.Coding)
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	lines := []string{
		`{"type":"user","message":{"role":"user","content":"implement user authentication"}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{"description":"Audit auth","prompt":"look","subagent_type":"security-analyst"}}],"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":5}}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Task","input":{"description":"Audit cookies","prompt":"look","subagent_type":"security-analyst"}}],"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":5}}}`,
	}
	if err := os.WriteFile(transcript, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.hook("SessionStart", payload{"source": "startup"})
	for _, id := range []string{"a1", "a2"} {
		p.hook("SubagentStart", payload{"transcript_path": transcript, "agent_id": id, "agent_type": "security-analyst"})
	}
	running := p.doc("agents/active.json")["agents"].([]any)
	if len(running) != 2 || running[0].(map[string]any)["task"] != "Audit auth" || running[1].(map[string]any)["task"] != "Audit cookies" || running[0].(map[string]any)["parent_task"] != "implement user authentication" {
		t.Errorf("running %v", running)
	}
	p.hook("SubagentStop", payload{"agent_id": "a1", "agent_type": "security-analyst", "agent_transcript_path": "/none.jsonl",
		"last_assistant_message": "Done.\n```json\n{\"findings\":[{\"severity\":\"S1\",\"category\":\"security\",\"title\":\"No rate limit\",\"details\":\"d\",\"recommendation\":\"r\"}]}\n```"})
	p.hook("SubagentStop", payload{"agent_id": "zz", "agent_type": "", "last_assistant_message": "a compaction"})
	p.want("agents/active.json", map[string]string{"total_spawned": "2", "total_completed": "1"})
	result := p.doc("agents/results/a1.json")
	if f := result["findings"].([]any); len(f) != 1 || result["status"] != "success" || result["task"] != "Audit auth" {
		t.Errorf("result %v", result)
	}
	a := p.hook("PostToolUse", payload{"tool_name": "Agent", "tool_input": payload{"description": "Audit auth"}})
	if !strings.Contains(a.Specific.Context, "No rate limit") || !strings.Contains(a.Specific.Context, "not instructions") {
		t.Errorf("the parent is not told: %s", a.Out)
	}
	if a := p.hook("PostToolUse", payload{"tool_name": "Agent", "tool_input": payload{"description": "x"}}); a.Out != "" {
		t.Errorf("told twice: %s", a.Out)
	}
	p.hook("SessionEnd", payload{"reason": "other"})
	if p.has("agents/results/a1.json") {
		t.Error("the result outlives its session")
	}
	row := p.doc("session/metrics.json")["sessions"].([]any)[0].(map[string]any)
	if row["agents"].(map[string]any)["spawned"] != 2.0 || row["quality"].(map[string]any)["issues_found"] != 1.0 {
		t.Errorf("metrics %v", row)
	}
}

func TestACompactionIsBackedUp(t *testing.T) {
	p := newProject(t)
	p.write(".claude/state/loop/LOOP_STATE.md", "# Loop State\n")
	p.write(".claude/state/loop/work_queue.json", `{"version":1,"items":[]}`)
	p.hook("SessionStart", payload{"source": "startup"})
	for range 5 {
		if a := p.hook("PreCompact", payload{"trigger": "auto"}); a.Out != "" || a.Exit != 0 {
			t.Fatalf("PreCompact disturbs: %+v", a)
		}
	}
	names, err := filepath.Glob(filepath.Join(p.root, ".claude/state/compaction/backup_*.json"))
	if err != nil || len(names) != 5 {
		t.Fatalf("%d backups, %v", len(names), err)
	}
	kept := p.doc("compaction/" + filepath.Base(names[4]))["preserved"].(map[string]any)
	if kept["loop_state"] == nil || kept["work_queue"] == nil || kept["session"].(map[string]any)["session_id"] != owner {
		t.Errorf("preserved %v", kept)
	}
	p.hook("SessionEnd", payload{"reason": "other"})
	left, err := filepath.Glob(filepath.Join(p.root, ".claude/state/compaction/backup_*.json"))
	if err != nil || strings.Join(left, "\n") != strings.Join(names[2:], "\n") {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestTwoSessionsKeepTheirOwnRecords(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	b := func(more payload) payload { more["session_id"] = "b"; return more }
	p.hook("SessionStart", payload{"source": "startup"})
	p.edit("PostToolUse", "a.go")
	p.hook("SessionStart", b(payload{"source": "startup"}))
	p.hook("PostToolUse", b(payload{"tool_name": "Write", "tool_input": payload{"file_path": "b.go"}}))
	p.edit("PostToolUse", "c.go")
	p.hook("Stop", nil)
	p.hook("Stop", b(payload{}))
	p.want("session/current.json", map[string]string{"session_id": `"b"`, "files_modified": `["b.go"]`})
	p.want("session/"+owner+".json", map[string]string{"files_modified": `["a.go","c.go"]`})
	p.hook("SessionEnd", payload{"reason": "other"})
	if p.has("session/" + owner + ".json") {
		t.Error("its file is not put away")
	}
	p.want("session/current.json", map[string]string{"session_id": `"b"`})
}

func TestTheOwnerKeepsThePlaceOfTheCurrentSession(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.hook("SessionStart", payload{"source": "startup"})
	p.hook("SessionStart", payload{"session_id": "b", "source": "startup"})
	p.want("session/current.json", map[string]string{"session_id": `"` + owner + `"`})
	p.want("session/b.json", map[string]string{"session_id": `"b"`})
}

func TestObserversNeverDisturb(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for _, name := range []string{"session/current.json", "agents/active.json", "errors/classified.json"} {
		p.write(".claude/state/"+name, "{ damaged")
	}
	for _, c := range []struct {
		event string
		more  payload
	}{
		{"SessionStart", payload{"source": "startup"}}, {"SubagentStart", payload{"agent_id": "a", "agent_type": "x"}},
		{"SubagentStop", payload{"agent_id": "a", "agent_type": "x"}}, {"PostToolUseFailure", payload{"tool_name": "WebFetch", "error": "ECONNREFUSED"}},
		{"PreCompact", payload{"trigger": "auto"}}, {"StopFailure", payload{"error": "rate_limit"}}, {"SessionEnd", payload{"reason": "other"}},
		{"SubagentStart", payload{"agent_id": "../../x", "agent_type": "x"}}, {"SubagentStop", payload{"agent_id": "../../x", "agent_type": "x", "last_assistant_message": "m"}},
	} {
		if a := p.hook(c.event, c.more); a.Exit != 0 || a.Decision != "" || a.denied() || a.Err != "" {
			t.Errorf("%s disturbs: %+v", c.event, a)
		}
	}
	if _, err := os.Stat(filepath.Join(p.root, ".claude/x.json")); err == nil {
		t.Error("an id led out of its folder")
	}
}

// Hooks run at once: tool calls come in parallel, and so do sessions.
func TestSixtyFourHooksAtOnceLoseNoCount(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.hook("SessionStart", payload{"source": "startup"})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			p.edit("PostToolUse", "a.go")
			p.edit("PostToolUse", fmt.Sprintf("f%d.go", i))
			p.hook("SubagentStart", payload{"agent_id": fmt.Sprintf("a%d", i), "agent_type": "x"})
			p.hook("PostToolUseFailure", payload{"tool_name": "WebFetch", "tool_input": payload{"url": fmt.Sprint(i)}, "tool_use_id": fmt.Sprint(i), "error": "ECONNREFUSED"})
		})
	}
	wg.Wait()
	p.hook("Stop", nil)
	if n := p.state().EditCounts["a.go"]; n != 64 {
		t.Errorf("%d edits of 64", n)
	}
	p.want("agents/active.json", map[string]string{"total_spawned": "64"})
	p.want("session/current.json", map[string]string{"agents_spawned": "64", "errors_encountered": "64"})
	if n := len(p.doc("session/current.json")["files_modified"].([]any)); n != 65 {
		t.Errorf("%d files of 65", n)
	}
	p.want("errors/classified.json", map[string]string{"summary": `{"escalated":0,"logged":0,"pending":64,"queued":0,"recovered":0,"total":64}`})
}

func TestASessionThatComesBackKeepsWhatItDidMeanwhile(t *testing.T) {
	p := newProject(t)
	p.write(".claude/x", "")
	p.hook("SessionStart", payload{"source": "startup"})
	p.edit("PostToolUse", "a.go")
	p.hook("SessionStart", payload{"session_id": "b", "source": "startup"})
	p.edit("PostToolUse", "c.go")
	p.hook("SessionStart", payload{"source": "resume"})
	p.edit("PostToolUse", "d.go")
	p.hook("Stop", nil)
	p.want("session/current.json", map[string]string{"session_id": `"` + owner + `"`, "files_modified": `["a.go","c.go","d.go"]`})
	if p.has("session/" + owner + ".json") {
		t.Error("it has two files now")
	}
	p.want("session/b.json", map[string]string{"session_id": `"b"`})
}

// Without a drive, too: the session that asked gets what was found, and its subagents
// are told in which form.
func TestFindingsReachTheSessionThatAsked(t *testing.T) {
	p := recording(t)
	p.write("src/a.go", "package a\n")
	transcript := filepath.Join(t.TempDir(), "agent.jsonl")
	read := func(tool, member, path string) string {
		return fmt.Sprintf(`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","id":"t","name":%q,"input":{%q:%q}}]}}`, tool, member, path)
	}
	lines := []string{read("Read", "file_path", filepath.Join(p.root, "src/a.go")), read("Grep", "path", filepath.Join(p.root, "src")), read("Read", "file_path", "src/a.go"), read("Grep", "path", ".")}
	if err := os.WriteFile(transcript, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := p.hook("SubagentStart", payload{"agent_id": "a1", "agent_type": "reviewer"})
	if !strings.Contains(a.Specific.Context, `{"findings":[{"severity":"S1","category":`) || a.Specific.Event != "SubagentStart" {
		t.Errorf("a subagent is told %s", a.Out)
	}
	p.hook("SubagentStop", payload{"agent_id": "a1", "agent_type": "reviewer", "agent_transcript_path": transcript,
		"last_assistant_message": `{"findings":[{"severity":"S1","category":"c","title":"No rate limit","details":"d","recommendation":"r"}],"recommendations":["use a library"],"files_analyzed":["./src/a.go"]}`})
	p.want("agents/results/a1.json", map[string]string{"files_analyzed": `["src/a.go"]`, "recommendations": `["use a library"]`, "metrics": `{"files_read":1,"issues_found":1}`})
	for name, other := range map[string]payload{
		"another session":  {"session_id": "another", "tool_name": "Agent"},
		"another subagent": {"agent_id": "a2", "agent_type": "x", "tool_name": "Read"},
	} {
		if a := p.hook("PostToolUse", other); a.Out != "" {
			t.Errorf("%s is told %s", name, a.Out)
		}
	}
	a = p.hook("UserPromptSubmit", payload{"prompt": "and?"}) // it ran in the background
	if !strings.Contains(a.Specific.Context, "No rate limit") || !strings.Contains(a.Specific.Context, "use a library") {
		t.Errorf("the session is told %s", a.Out)
	}
	if a := p.hook("PostToolUse", payload{"tool_name": "Agent"}); a.Out != "" {
		t.Errorf("told twice: %s", a.Out)
	}
}
