package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recorded are payloads as the real agents sent them.
func recorded(t testing.TB, dir string) map[string][]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads in %s: %v", dir, err)
	}
	out := map[string][]json.RawMessage{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil {
			list = []json.RawMessage{text}
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = list
	}
	return out
}

const claudePayloads = "testdata/payloads"

func TestEveryRecordedPayloadIsRead(t *testing.T) {
	all := recorded(t, claudePayloads)
	if len(all) != 32 {
		t.Errorf("%d events of 32", len(all))
	}
	for event, list := range all {
		for _, raw := range list {
			p, err := readPayload(raw)
			if err != nil || p.Event != event || p.Session == "" || p.Dir == "" || p.Transcript == "" {
				t.Errorf("%s: %+v, %v", event, p, err)
			}
		}
	}
}

func TestWhatPayloadsSay(t *testing.T) {
	all := recorded(t, claudePayloads)
	read := func(event string, i int) *hookPayload {
		p, err := readPayload(all[event][i])
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	for _, c := range []struct {
		name       string
		have, want any
	}{
		{"the command", read("PreToolUse", 1).input("command"), "echo ran > ran.txt; echo out-text"},
		{"the file", read("PreToolUse", 2).listFiles(), []string{"/home/u/proj/b.txt"}},
		{"the failure", read("PostToolUseFailure", 0).Error, "Exit code 3"},
		{"the interrupt", read("PostToolUseFailure", 0).Interrupt, false},
		{"the source", read("SessionStart", 2).Source, "resume"},
		{"the reason", read("SessionEnd", 0).Reason, "clear"},
		{"the trigger", read("PreCompact", 1).Trigger, "auto"},
		{"the error", read("StopFailure", 0).Error, "invalid_request"},
		{"the subagent", read("SubagentStop", 0).Agent, "a10df30ea0e42046a"},
		{"its type", read("SubagentStart", 0).AgentType, "general-purpose"},
		{"its words", read("SubagentStop", 0).LastMessage, "SUB-RESULT: finished."},
		{"the slash command", read("UserPromptExpansion", 0).Command, "init"},
		{"the prompt", read("UserPromptSubmit", 0).Prompt, "/init"},
		{"background tasks", read("Stop", 0).Background, false},
	} {
		have, _ := json.Marshal(c.have)
		want, _ := json.Marshal(c.want)
		if string(have) != string(want) {
			t.Errorf("%s is %s, want %s", c.name, have, want)
		}
	}
}

// Newer and older agents send more, less and other things.
func TestPayloadsOfOtherShapes(t *testing.T) {
	for text, want := range map[string]hookPayload{
		`{}`: {},
		`{"session_id":7,"tool_name":null,"stop_hook_active":"yes","background_tasks":{},"error":{"a":1}}`: {},
		`{"future":{"session_id":"no"},"session_id":"s","stop_hook_active":true,"background_tasks":[{}]}`:  {Session: "s", StopActive: true, Background: true},
	} {
		got, err := readPayload([]byte(text))
		if have, _ := json.Marshal(got); err != nil || string(have) != mustJSON(want) {
			t.Errorf("%s: %s, %v", text, have, err)
		}
	}
	p := hookPayload{Tool: "NotebookEdit", Input: []byte(`{"notebook_path":"a.ipynb"}`)}
	if got := p.listFiles(); !slices.Equal(got, []string{"a.ipynb"}) {
		t.Errorf("a notebook: %q", got)
	}
	p.Input = []byte(`{"file_path":"b.ipynb"}`)
	if got := p.listFiles(); !slices.Equal(got, []string{"b.ipynb"}) {
		t.Errorf("a notebook under another name: %q", got)
	}
}

func mustJSON(x any) string {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestCodexPatchesNameTheirFiles(t *testing.T) {
	p := hookPayload{Tool: patchTool, Input: []byte(`{"command":"*** Begin Patch\n*** Add File: a b.go\n+x\n*** Update File: c.go\n*** Move to: d.go\n@@\n-*** Delete File: no\n*** Delete File: e.go\n*** End Patch"}`)}
	if got := p.listFiles(); !slices.Equal(got, []string{"a b.go", "c.go", "d.go", "e.go"}) {
		t.Errorf("got %q", got)
	}
	for command, want := range map[string]bool{"bash --norc": true, "bash -e": true, "exec bash": true, "env X=1 bash": true, "bash -lc x": false, "python3 -m http": false, "perl -e x": false, "bash": true, "/bin/sh": true, "bash -i": true, "python3": true, "bash -c 'x'": false, "bash x.sh": false, "ls": false} {
		if isInteractive(command) != want {
			t.Errorf("%s: %v", command, !want)
		}
	}
}

func TestGeminiPayloadsInClaudesTerms(t *testing.T) {
	for text, want := range map[string]hookPayload{
		`{"hook_event_name":"BeforeTool","cwd":"/p","tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"sub"}}`: {Event: "PreToolUse", Tool: "Bash", Dir: "/p/sub"},
		`{"hook_event_name":"AfterTool","tool_name":"write_file","tool_input":{},"tool_response":{"llmContent":"x"}}`:                {Event: "PostToolUse", Tool: "Write"},
		`{"hook_event_name":"AfterTool","tool_name":"replace","tool_response":{"error":{"message":"no match"}}}`:                     {Event: "PostToolUseFailure", Tool: "Edit", Error: "no match"},
		`{"hook_event_name":"AfterAgent","prompt_response":"done"}`:                                                                  {Event: "Stop", LastMessage: "done"},
		`{"hook_event_name":"SessionStart"}`: {Event: "SessionStart"},
	} {
		got, err := readGemini([]byte(text))
		got.Input = nil
		if mustJSON(got) != mustJSON(want) || err != nil {
			t.Errorf("%s:\n got %s\nwant %s", text, mustJSON(got), mustJSON(want))
		}
	}
}

func fuzz(f *testing.F, read func([]byte) (hookPayload, error), dirs ...string) {
	for _, dir := range dirs {
		for _, list := range recorded(f, dir) {
			for _, raw := range list {
				f.Add([]byte(raw))
			}
		}
	}
	f.Add([]byte(`{"tool_input":{"command":"a`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := read(data)
		_, _, _ = p.listFiles(), p.input("command"), readFailure(p.Input)
		if valid := json.Valid(data); err != nil && valid && strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
			t.Fatalf("%q: %v", data, err)
		}
	})
}

func FuzzClaudePayload(f *testing.F) { fuzz(f, readPayload, claudePayloads) }
func FuzzCodexPayload(f *testing.F)  { fuzz(f, readCodex, "../testkit/codex/testdata") }
func FuzzGeminiPayload(f *testing.F) { fuzz(f, readGemini, "../testkit/gemini/testdata") }
