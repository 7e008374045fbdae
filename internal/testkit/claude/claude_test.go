package claude

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/messages"
)

func bash(command string) []messages.Tool {
	return []messages.Tool{{Name: "Bash", Input: map[string]any{"command": command, "description": "a test"}}}
}

func TestHello(t *testing.T) {
	api := messages.Serve(t, messages.Script{"hello": {{Text: "Hello."}}})
	r := Run(t, Options{API: api.URL, Prompt: "[[scenario:hello]]"})
	if r.Exit != 0 || r.Result == nil || r.Result.IsError || r.Result.Text != "Hello." {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	if r.SessionID == "" || r.SessionID != r.Result.SessionID || r.Events[0].Subtype != "init" {
		t.Errorf("session %q, events %s", r.SessionID, r.Stdout)
	}
	if n := len(api.Requests()); n != 1 {
		t.Errorf("%d requests for a run of one turn", n)
	}
}

func TestBashTool(t *testing.T) {
	api := messages.Serve(t, messages.Script{"run": {
		{Tools: bash("answer > ran.txt; cat ran.txt; echo HOME=$HOME key=$ANTHROPIC_API_KEY")},
		{Tools: bash("exit 3")},
		{Text: "Done."},
	}})
	dir, home, tools := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "answer"), []byte("#!/bin/sh\necho forty-two\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := Run(t, Options{API: api.URL, Prompt: "[[scenario:run]]", Dir: dir, Home: home, PathDirs: []string{tools}})
	if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	results := api.Await("run", 2).ToolResults()
	if len(results) != 2 || results[0].Error || !results[1].Error {
		t.Fatalf("got %+v", results)
	}
	if text := results[0].Text; !strings.Contains(text, "forty-two") || !strings.Contains(text, "HOME="+home) {
		t.Errorf("the command said %q", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err != nil {
		t.Error(err)
	}
}

// untilWritten waits until a text is in the transcript, which follows what
// happens with a delay: a kill takes the last moments with it.
func untilWritten(t *testing.T, o Options, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		found, err := filepath.Glob(filepath.Join(o.config(), "projects", "*", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), text) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waiting for %q in %q: it did not come", text, found)
		}
	}
}

func TestKilledRunIsResumed(t *testing.T) {
	pause := make(chan struct{})
	api := messages.Serve(t, messages.Script{
		"long": {{Tools: bash("echo begun")}, {Pause: pause}},
		"back": {{Text: "Resumed."}},
	})
	o := Options{API: api.URL, Prompt: "[[scenario:long]]", Dir: t.TempDir(), Home: t.TempDir()}
	p := Start(t, o)
	api.Await("long", 1)
	untilWritten(t, o, `"type":"tool_result"`)
	p.Kill()
	killed := p.Wait()
	if killed.Exit != 137 || killed.Result != nil || killed.SessionID == "" {
		t.Fatalf("exit %d\n%s%s", killed.Exit, killed.Stdout, killed.Stderr)
	}

	o.Prompt, o.Args = "[[scenario:back]]", []string{"--resume", killed.SessionID}
	r := Run(t, o)
	if r.Exit != 0 || r.Result == nil || r.Result.Text != "Resumed." || r.SessionID != killed.SessionID {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	if text := api.Await("back", 0).Text(); !strings.Contains(text, "begun") {
		t.Error("the resumed session has forgotten what the killed one did")
	}
}

// The newest exchange is kept as it is, so there must be one before it.
func TestCompactionLetsTheScriptGoOn(t *testing.T) {
	api := messages.Serve(t, messages.Script{"long": {
		{Tools: bash("echo small")},
		{Tools: bash("echo large"), Usage: messages.Usage{Input: 95_000, Output: 100}},
		{Tools: bash("echo after")},
		{Text: "Done."},
	}})
	r := Run(t, Options{API: api.URL, Prompt: "[[scenario:long]]", Env: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}})
	if r.Exit != 0 || r.Result == nil || r.Result.Text != "Done." {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
	if !slices.ContainsFunc(api.Requests(), func(q messages.Request) bool { return q.Compact }) {
		t.Error("nothing was compacted")
	}
	if text := api.Await("long", 3).Text(); strings.Contains(text, "small") || !strings.Contains(text, "large") {
		t.Errorf("after the compaction the conversation is\n%s", text)
	}
}

func TestSettingsAloneGrant(t *testing.T) {
	api := messages.Serve(t, messages.Script{"run": {{Tools: bash("touch a.txt")}, {Text: "Done."}}})
	r := Run(t, Options{API: api.URL, Prompt: "[[scenario:run]]", Permissions: []string{}})
	if r.Exit != 0 || r.Result == nil || len(r.Result.Denials) != 1 || r.Result.Denials[0].Tool != "Bash" {
		t.Fatalf("exit %d\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
}
