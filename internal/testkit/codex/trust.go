package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A Hook is a command that runs on an event.
type Hook struct {
	Event   string // PreToolUse
	Matcher string // "": every tool
	Command string // for the shell
	Timeout int    // seconds; 0: the CLI's default, 600
}

// WriteHooks writes a hooks.json, each hook in a group of its own.
func WriteHooks(t testing.TB, path string, hooks ...Hook) {
	t.Helper()
	events := map[string][]any{}
	for _, h := range hooks {
		handler := map[string]any{"type": "command", "command": h.Command}
		if h.Timeout != 0 {
			handler["timeout"] = h.Timeout
		}
		group := map[string]any{"hooks": []any{handler}}
		if h.Matcher != "" {
			group["matcher"] = h.Matcher
		}
		events[h.Event] = append(events[h.Event], group)
	}
	write(t, path, canonical(map[string]any{"hooks": events}))
}

// Trust adds to the user's config.toml that the hooks in the file at path are
// trusted. It does what a user does who reviews them with /hooks: the trust is
// for the place of a hook in a file and for a hash of what the hook is.
func Trust(t testing.TB, home, path string, hooks ...Hook) {
	t.Helper()
	file := filepath.Join(home, ".codex", "config.toml")
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, h := range hooks {
		event := snake(h.Event)
		key := fmt.Sprintf("%s:%s:%d:0", path, event, count[event])
		count[event]++
		text = fmt.Appendf(text, "\n[hooks.state.%q]\ntrusted_hash = %q\n", key, h.hash())
	}
	write(t, file, text)
}

// hash is over the hook alone, with its defaults filled in and its keys in
// order: neither over the file that it stands in, nor over the program that it
// runs.
func (h Hook) hash() string {
	timeout := h.Timeout
	if timeout == 0 {
		timeout = 600
	}
	identity := map[string]any{
		"event_name": snake(h.Event),
		"hooks":      []any{map[string]any{"type": "command", "command": h.Command, "timeout": timeout, "async": false}},
	}
	if h.Matcher != "" {
		identity["matcher"] = h.Matcher
	}
	sum := sha256.Sum256(canonical(identity))
	return "sha256:" + hex.EncodeToString(sum[:])
}

var upper = regexp.MustCompile("[A-Z]")

func snake(event string) string {
	return strings.TrimPrefix(strings.ToLower(upper.ReplaceAllString(event, "_$0")), "_")
}

// canonical is JSON with sorted keys, without spaces and without HTML escapes.
func canonical(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and numbers only
	}
	return bytes.TrimSpace(b.Bytes())
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
