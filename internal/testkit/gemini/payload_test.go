package gemini

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the hooks were given to testdata")

// events are those that the CLI has, but for Notification: that needs a user who
// is asked.
var events = []string{
	"SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel",
	"BeforeTool", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd",
}

// The files in testdata are what the translation into our own hooks is written
// against, so they must be what the CLI says.
func TestPayloads(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, p.dir+"/b.txt", []byte("old\n"), 0o600)
	dump := filepath.Join(p.home, "dump")
	if err := os.Mkdir(dump, 0o700); err != nil {
		t.Fatal(err)
	}
	command := p.script(t, `cat > "$(mktemp "`+dump+`/$(date +%s%N)XXXXXX")"`)
	var hooks []hook
	for _, event := range events {
		hooks = append(hooks, hook{event: event, command: command})
	}
	settings(t, p.dir, hooks...)
	s := Serve(t, []Step{Shell("cat b.txt"), Write("a.txt", "hello\n"), Replace("b.txt", "old", "new"), Say("done")})
	p.run(t, s, Options{})

	got := payloads(t, dump, p.home)
	for _, event := range append(events, "BeforeTool-write_file", "BeforeTool-replace", "AfterTool-write_file", "AfterTool-replace") {
		path := filepath.Join("testdata", event+".json")
		if got[event] == nil {
			t.Errorf("%s did not happen", event)
			continue
		}
		if *update {
			write(t, path, got[event], 0o644)
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[event], want) {
			t.Errorf("%s has changed; go test -update records it\n%s\nwas\n%s", event, got[event], want)
		}
	}
}

// payloads reads the first payload of each event, and of each tool.
func payloads(t *testing.T, dump, home string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dump, "*"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var id struct {
			Event string `json:"hook_event_name"`
			Tool  string `json:"tool_name"`
		}
		if err := json.Unmarshal(text, &id); err != nil {
			t.Fatalf("a payload that is no JSON: %v\n%s", err, text)
		}
		name := id.Event
		if id.Tool != "" && id.Tool != "run_shell_command" {
			name += "-" + id.Tool
		}
		if got[name] == nil {
			got[name] = normal(t, text, home)
		}
	}
	return got
}

var (
	uuid  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	stamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	chat  = regexp.MustCompile(`session-[0-9T-]+-[0-9a-f]{8}\.`)
	pgid  = regexp.MustCompile(`PGID: \d+`)
	setup = regexp.MustCompile(`<session_context>.*</session_context>`)
)

// normal takes out what differs from run to run.
func normal(t *testing.T, text []byte, home string) []byte {
	t.Helper()
	s := strings.ReplaceAll(string(text), home, "/home/u")
	s = uuid.ReplaceAllString(s, "00000000-0000-4000-8000-000000000000")
	s = stamp.ReplaceAllString(s, "2026-01-02T03:04:05.678Z")
	s = chat.ReplaceAllString(s, "session-2026-01-02T03-04-00000000.")
	s = pgid.ReplaceAllString(s, "PGID: 1")
	s = setup.ReplaceAllString(s, "<session_context>…</session_context>")
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}
