package codex

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

// events are those that the CLI has, but for PermissionRequest and Interrupt:
// these need a user who is asked and who breaks off.
var events = []string{
	"SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse", "PostToolUse",
	"PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Stop", "SessionEnd",
}

// The files in testdata are what the translation into our own hooks is written
// against, so they must be what the CLI says.
func TestPayloads(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** Update File: b.txt\n@@\n-old\n+new\n*** End Patch\n"
	got := map[string][]byte{}
	record(t, got, Options{}, Shell("echo old > b.txt; cat b.txt"), Patch(patch), Say("done"))
	record(t, got, Options{Args: []string{"-c", "model_auto_compact_token_limit=1"}}, Shell("echo old"), Say("summary"), Say("done"))
	record(t, got, Options{Model: "unknown"}, Spawn("help"), Say("done"), Say("done"), Say("done"))

	for _, event := range append(events, "PreToolUse-apply_patch", "PostToolUse-apply_patch", "PreToolUse-spawn_agent", "SessionStart-compact") {
		path := filepath.Join("testdata", event+".json")
		if got[event] == nil {
			t.Errorf("%s did not happen", event)
			continue
		}
		if *update {
			write(t, path, got[event])
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

// dumper is a hook that keeps what it is given. A name sorts by the time of the
// call. The agent that has started another is kept waiting until that is over;
// it would else be done first, and end both.
const dumper = `file=$(mktemp "DUMP/$(date +%s%N)XXXXXX")
cat > "$file"
if grep -q '"PostToolUse".*"spawn_agent"' "$file"; then
  for i in $(seq 100); do
    grep -qs '"SubagentStop"' DUMP/* && break
    sleep 0.1
  done
fi
`

// record runs the CLI and keeps the first payload of each event that is new.
func record(t *testing.T, got map[string][]byte, o Options, steps ...Step) {
	t.Helper()
	p := newPlace(t)
	dump := filepath.Join(p.home, "dump")
	if err := os.Mkdir(dump, 0o700); err != nil {
		t.Fatal(err)
	}
	command := p.script(t, strings.ReplaceAll(dumper, "DUMP", dump))
	var hooks []Hook
	for _, event := range events {
		hooks = append(hooks, Hook{Event: event, Command: command})
	}
	WriteHooks(t, p.hooks, hooks...)
	o.Args = append(o.Args, BypassTrust)
	p.run(t, Serve(t, steps), o)
	files, err := filepath.Glob(filepath.Join(dump, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var id struct {
			Event  string `json:"hook_event_name"`
			Tool   string `json:"tool_name"`
			Source string `json:"source"`
		}
		if err := json.Unmarshal(text, &id); err != nil {
			t.Fatalf("a payload that is no JSON: %v\n%s", err, text)
		}
		name := id.Event
		switch {
		case id.Tool != "" && id.Tool != "Bash":
			name += "-" + id.Tool
		case id.Source != "" && id.Source != "startup":
			name += "-" + id.Source
		}
		if got[name] == nil {
			got[name] = normal(t, text, p.home)
		}
	}
}

var (
	uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	day  = regexp.MustCompile(`\d{4}/\d\d/\d\d/rollout-[0-9T-]+-`)
	name = regexp.MustCompile(`(nickname\\":\\")\w+`)
)

// normal takes out what differs from run to run.
func normal(t *testing.T, text []byte, home string) []byte {
	t.Helper()
	s := strings.ReplaceAll(string(text), home, "/home/u")
	s = day.ReplaceAllString(s, "2026/01/02/rollout-2026-01-02T03-04-05-")
	s = uuid.ReplaceAllString(s, "00000000-0000-7000-8000-000000000000")
	s = name.ReplaceAllString(s, "${1}Ada")
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}
