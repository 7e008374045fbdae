//go:build unix

package usage_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/tokens"
	"warp/internal/engine/usage"
	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// The real Claude Code's transcripts add up to what it says itself, resumed and
// with a subagent.
func TestRealTranscripts(t *testing.T) {
	claude.Find(t)
	tool := func(name string, input map[string]any) []messages.Tool {
		return []messages.Tool{{Name: name, Input: input}}
	}
	spent := func(n int) messages.Usage {
		return messages.Usage{Input: n, Output: n + 1, CacheRead: n + 2, CacheCreation: n + 3}
	}
	api := messages.Serve(t, messages.Script{
		"work": {
			{Text: "Two tools.", Tools: append(tool("Bash", map[string]any{"command": "echo 1", "description": "x"}), tool("Bash", map[string]any{"command": "exit 3", "description": "x"})...), Usage: spent(101)},
			{Tools: tool("Agent", map[string]any{"description": "look", "prompt": "[[scenario:sub]] look", "subagent_type": "general-purpose", "run_in_background": false}), Usage: spent(211)},
			{Text: "Done.", Usage: spent(307)},
		},
		"sub":  {{Tools: tool("Bash", map[string]any{"command": "echo 2", "description": "x"}), Usage: spent(401)}, {Text: "Found.", Usage: spent(503)}},
		"more": {{Text: "More.", Usage: spent(601)}},
	})
	home, dir := t.TempDir(), t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := claude.Run(t, claude.Options{API: api.URL, Prompt: "[[scenario:work]]", Home: home, Dir: dir})
	again := claude.Run(t, claude.Options{API: api.URL, Prompt: "[[scenario:more]]", Home: home, Dir: dir, Args: []string{"--resume", first.SessionID}})
	claude.Run(t, claude.Options{API: api.URL, Prompt: "[[scenario:more]]", Home: home, Dir: dir, Args: []string{"--resume", first.SessionID, "--fork-session"}})
	var want tokens.Tokens
	for _, m := range modelUsage(t, again.Stdout) { // of the session, from its first run on
		want = want.Plus(tokens.Tokens{Input: m.Input, Output: m.Output, CacheRead: m.Read, CacheWrite: m.Write})
	}
	want = want.Plus(tokens.Tokens{Input: 601, Output: 602, CacheRead: 603, CacheWrite: 604}) // of the fork
	l := usage.Ledger{Home: filepath.Join(home, ".claude"), Cache: t.TempDir(), Now: time.Now}
	x, _, err := l.Read(t.Context(), usage.Slug(dir))
	if err != nil {
		t.Fatal(err)
	}
	var got tokens.Tokens
	x.Messages(func(m tokens.Message) { got = got.Plus(m.Tokens) })
	if got != want || want.Sum() == 0 {
		t.Errorf("%+v, it says %+v", got, want)
	}
}

type spentOn struct {
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
	Read   int64 `json:"cacheReadInputTokens"`
	Write  int64 `json:"cacheCreationInputTokens"`
}

// modelUsage is what the last result event of a stream says.
func modelUsage(t *testing.T, stream string) map[string]spentOn {
	t.Helper()
	var result struct {
		Models map[string]spentOn `json:"modelUsage"`
	}
	for line := range strings.Lines(stream) {
		if strings.Contains(line, `"type":"result"`) {
			if err := json.Unmarshal([]byte(line), &result); err != nil {
				t.Fatal(err)
			}
		}
	}
	return result.Models
}
