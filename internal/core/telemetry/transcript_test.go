package telemetry

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(text string) Facts {
	lines := strings.Split(text, "\n")
	return ReadTranscript(func(yield func([]byte) bool) {
		for _, l := range lines {
			if !yield([]byte(l)) {
				return
			}
		}
	})
}

func TestReadTranscript(t *testing.T) {
	text, err := os.ReadFile("testdata/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := Facts{
		ContextTokens:  5 + 700 + 9000,
		Files:          []string{"/p/a.go", "/p/src", "/p/b.go", "/p/n.ipynb", "/p/c.go"},
		FilesRead:      5,
		FilesInContext: []string{"/p/c.go", "/p/a.go"},
		Prompt:         "now fix the tests",
		Calls:          []Call{{"t7", "Audit authentication", "Look at auth.", "security-analyst"}, {"t9", "Second", "Look again.", "explorer"}},
	}
	if diff := cmp.Diff(want, read(string(text))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	lines := strings.Split(string(text), "\n")
	head := read(strings.Join(lines[:4], "\n"))
	if head.Prompt != "look around" || head.ContextTokens != 10+20 {
		t.Errorf("%+v", head)
	}
}

func user(content string) string {
	return `{"type":"user","message":{"role":"user","content":` + content + `}}`
}

func TestWhatAPersonTyped(t *testing.T) {
	for line, want := range map[string]string{
		user(`"new"`):                          "new",
		user(`[{"type":"text","text":"new"}]`): "new",
		user(`[{"type":"image"},{"type":"text","text":"<system-reminder>x"},{"type":"text","text":" new "},{"type":"text","text":"2"}]`): "new",
		user(`"new\n<system-reminder>be careful</system-reminder>"`):                                                                     "new",
		user(`"<b>new</b>"`): "<b>new</b>",
		user(`"<command-message>init…</command-message>\n<command-name>/init</command-name>\n<command-args>now</command-args>"`): "/init now",
		user(`"<command-name>/init</command-name>"`):               "/init",
		user(`"<command-name>/init"`):                              "old",
		user(`"what does <command-name>/x</command-name> mean?"`):  "what does <command-name>/x</command-name> mean?",
		user(`"<local-command-stdout>out</local-command-stdout>"`): "old",
		user(`"<bash-input>ls</bash-input>"`):                      "old",
		user(`"[Request interrupted by user for tool use]"`):       "old",
		user(`" "`):  "old",
		user(`7`):    "old",
		user(`null`): "old",
		user(`[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"not typed"}]`): "old",
		user(`[{"type":"thinking","text":"not typed"}]`):                                                    "old",
		`{"type":"user","isMeta":true,"message":{"content":"meta"}}`:                                        "old",
		`{"type":"user","isCompactSummary":true,"message":{"content":"summary"}}`:                           "old",
		`{"type":"user","isSidechain":true,"message":{"content":"of an agent"}}`:                            "old",
		`{"type":"queue","message":{"content":"other kind"}}`:                                               "old",
		`{"type":"user","message":{"content":"torn`:                                                         "old",
		`{"type":"user","message":"flat"}`:                                                                  "old",
		`["message"]`:                                                                                       "old",
	} {
		if got := read(user(`"old"`) + "\n" + line).Prompt; got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// An agent's own transcript has nothing but lines beside the session's.
func TestAnAgentsOwnTranscript(t *testing.T) {
	f := read(`{"type":"user","isSidechain":true,"message":{"content":"task"}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"a"}}],"usage":{"input_tokens":3}}}
{"type":"assistant","isSidechain":true,"isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0}}}`)
	if diff := cmp.Diff(Facts{Prompt: "task", Files: []string{"a"}, FilesInContext: []string{"a"}, FilesRead: 1, ContextTokens: 3, APIError: true}, f); diff != "" {
		t.Error(diff)
	}
}

func TestTheFilesOfATranscriptAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"%d"}}]}}`+"\n", i)
	}
	f := read(b.String())
	if len(f.Files) != MaxFiles || len(f.FilesInContext) != MaxFiles || f.FilesRead != 1500 || f.Files[999] != "999" {
		t.Errorf("%d, %d, %d", len(f.Files), len(f.FilesInContext), f.FilesRead)
	}
}

func FuzzReadTranscript(f *testing.F) {
	text, _ := os.ReadFile("testdata/transcript.jsonl")
	f.Add(string(text))
	f.Add(user(`"<command-name>/init</command-name>"`))
	f.Add(`{"type":"assistant","message":{"usage":{"input_tokens":-7}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		facts := read(text)
		if facts.ContextTokens < 0 || facts.FilesRead < len(facts.Files) || strings.HasPrefix(facts.Prompt, "<system-reminder>") {
			t.Fatalf("%+v", facts)
		}
		for _, file := range facts.FilesInContext {
			if facts.FilesRead <= MaxFiles && !slices.Contains(facts.Files, file) {
				t.Fatalf("%s is in the context and was never read", file)
			}
		}
	})
}
