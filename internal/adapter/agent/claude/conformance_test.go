package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/claude"
	"warp/internal/testkit/agenttest"
	real "warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// The real Claude Code, against the stand-in for its API.
func TestConformance(t *testing.T) {
	real.Find(t)
	agenttest.Run(t, agenttest.Case{
		Name: "claude",
		Show: show,
		Not: map[agenttest.Behaviour]string{
			agenttest.Holds: "the commands of its tools have pipes of their own",
		},
		// Codex starts fast and shows everything; what each error looks like is in TestEnds, and
		// drives of e2e show answers, limits and what is left behind.
		Sample: []agenttest.Behaviour{
			agenttest.ToolUse, agenttest.ReadOnly, agenttest.E401, agenttest.Hang, agenttest.Crash, agenttest.Budget, agenttest.Resume, agenttest.Incomplete,
		},
	})
}

// environ is what Claude Code needs to run offline and to see nothing of the person who
// runs the test.
func environ(t *testing.T, api string) []string {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{".claude", "tmp"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"),
		"CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp"), "TMPDIR=" + filepath.Join(home, "tmp"),
		"ANTHROPIC_BASE_URL=" + api, "ANTHROPIC_API_KEY=" + agenttest.Secret, "CLAUDE_CODE_MAX_RETRIES=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}
}

var words = messages.Step{Text: agenttest.Words}

func use(tool string, input map[string]any) messages.Step {
	return messages.Step{Tools: []messages.Tool{{Name: tool, Input: input}}}
}

func answer(text string) messages.Step {
	var input map[string]any
	if err := json.Unmarshal([]byte(text), &input); err != nil {
		panic(err) // a constant
	}
	return use("StructuredOutput", input)
}

// steps are what the model does. Claude Code insists on a structured answer, so
// a run without one says its words twice.
func steps(b agenttest.Behaviour, dir string) []messages.Step {
	made := filepath.Join(dir, agenttest.Made)
	bash := func(command string) messages.Step {
		return use("Bash", map[string]any{"command": command, "description": "work"})
	}
	switch b {
	case agenttest.ToolUse, agenttest.ReadOnly:
		return []messages.Step{use("Write", map[string]any{"file_path": made, "content": "x"}), bash("cat made.txt > again.txt"), words, words}
	case agenttest.Structured:
		return []messages.Step{answer(agenttest.Verdict), words}
	case agenttest.Incomplete:
		return []messages.Step{answer(agenttest.OneVerdict), words, answer(agenttest.TheOther), words}
	case agenttest.Invalid:
		return []messages.Step{answer(agenttest.NoVerdict), answer(agenttest.NoVerdict), words, words}
	case agenttest.Quoted:
		return []messages.Step{{Text: agenttest.Quote}, {Text: agenttest.Quote}}
	case agenttest.LongLine:
		return []messages.Step{{Text: agenttest.LongText()}, words}
	case agenttest.Leaves:
		return []messages.Step{bash(agenttest.LeaveScript), words, words}
	case agenttest.Budget:
		loop := bash("true")
		loop.Usage = messages.Usage{Input: 900, Output: 100}
		return slicesRepeat(loop, 100)
	}
	return []messages.Step{words, words, words, words}
}

func slicesRepeat(s messages.Step, n int) []messages.Step {
	var all []messages.Step
	for range n {
		all = append(all, s)
	}
	return all
}

func show(t *testing.T, b agenttest.Behaviour) agenttest.Scene {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	api := messages.Serve(t, messages.Script{"": steps(b, dir)})
	front := agenttest.NewFront(t, api.URL, "/v1/messages")
	s := agenttest.Scene{
		Adapter: claude.New(claude.Options{Path: real.Find(t)}), Environ: environ(t, front.URL), Dir: dir, Idle: 2 * time.Minute,
		Recover: front.Recover, Underway: front.Arrived,
		Remembers: func() bool {
			all := api.Requests()
			return strings.Contains(all[len(all)-1].Text(), "Do the work.")
		},
	}
	switch b {
	case agenttest.Refusal:
		front.Change(func(body []byte) []byte {
			return bytes.ReplaceAll(body, []byte(`"stop_reason":"end_turn"`), []byte(`"stop_reason":"refusal"`))
		})
	case agenttest.Limit:
		s.Reset = time.Now().Add(time.Hour).Truncate(time.Second)
		at := fmt.Sprint(s.Reset.Unix())
		front.Instead(agenttest.Fail(429, failure("rate_limit_error", "too much"),
			"anthropic-ratelimit-unified-status", "rejected", "anthropic-ratelimit-unified-reset", at,
			"anthropic-ratelimit-unified-5h-status", "rejected", "anthropic-ratelimit-unified-5h-reset", at,
			"anthropic-ratelimit-unified-representative-claim", "five_hour"))
		// Only a subscription has such limits.
		s.Environ = append(s.Environ, "ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN="+agenttest.Secret)
	case agenttest.E401:
		front.Instead(agenttest.Fail(401, failure("authentication_error", "invalid x-api-key")))
	case agenttest.E429:
		front.Instead(agenttest.Fail(429, failure("rate_limit_error", "slow down")))
	case agenttest.E529:
		front.Instead(agenttest.Fail(529, failure("overloaded_error", "Overloaded")))
	case agenttest.E402:
		front.Instead(agenttest.Fail(400, failure("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.")))
	case agenttest.E404:
		front.Instead(agenttest.Fail(404, failure("not_found_error", "model: claude-none")))
	case agenttest.E500:
		front.Instead(agenttest.Fail(500, failure("api_error", "Internal server error")))
	case agenttest.Broken:
		front.Instead(agenttest.HangUp("event: message_start\ndata: {\"type\":\"message_st"))
	case agenttest.Hang, agenttest.Crash, agenttest.Cancel:
		front.Hold()
	case agenttest.Many:
		s.Adapter = claude.New(claude.Options{Path: agenttest.Replay(t, stream)})
	}
	return s
}

func failure(kind, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)
}

// stream is a long run as Claude Code tells it.
func stream(w io.Writer) {
	fmt.Fprintln(w, `{"type":"system","subtype":"init","session_id":"s"}`)
	for i := range agenttest.Events {
		fmt.Fprintf(w, `{"type":"assistant","message":{"id":"msg_%d","role":"assistant","content":[{"type":"text","text":"line %d"}],"usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s"}`+"\n", i, i)
	}
	fmt.Fprintln(w, `{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s","num_turns":1,"stop_reason":"end_turn"}`)
}
