package codex_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/codex"
	"warp/internal/testkit/agenttest"
	real "warp/internal/testkit/codex"
)

// The real Codex CLI, against the stand-in for its API.
func TestConformance(t *testing.T) {
	real.Find(t)
	agenttest.Run(t, agenttest.Case{
		Name: "codex",
		Show: show,
		Not: map[agenttest.Behaviour]string{
			agenttest.Holds:  "the commands of its tools have pipes of their own",
			agenttest.Budget: "it tells what it has spent at the end of the turn only",
		},
	})
}

// steps are what the model does.
func steps(b agenttest.Behaviour) []real.Step {
	words := real.Say(agenttest.Words)
	switch b {
	case agenttest.ToolUse:
		return []real.Step{real.Patch("*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n"), real.Shell("cat made.txt"), words}
	case agenttest.ReadOnly:
		return []real.Step{real.Patch("*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n"), real.Shell("echo x > made.txt"), words}
	case agenttest.Structured:
		return []real.Step{real.Say(agenttest.Verdict)}
	case agenttest.Incomplete:
		return []real.Step{real.Say(agenttest.OneVerdict), real.Say(agenttest.TheOther)}
	case agenttest.Invalid:
		return []real.Step{real.Say(agenttest.NoVerdict)}
	case agenttest.Quoted:
		return []real.Step{real.Say(agenttest.Quote)}
	case agenttest.LongLine:
		return []real.Step{real.Say(agenttest.LongText())}
	case agenttest.Leaves:
		return []real.Step{real.Shell(agenttest.LeaveScript), words}
	}
	return []real.Step{words, words}
}

// provider points the CLI to the stand-in, and lets it ask for nothing else.
func provider(url string) []string {
	return []string{
		"-c", `model_provider="scripted"`,
		"-c", `model_providers.scripted={name="scripted",base_url="` + url + `/v1",wire_api="responses",env_key="SCRIPTED_KEY",request_max_retries=1,stream_max_retries=1}`,
		"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "-c", `web_search="disabled"`,
	}
}

func show(t *testing.T, b agenttest.Behaviour) agenttest.Scene {
	home := real.Home(t)
	dir := filepath.Join(home, "proj")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	api := real.Serve(t, steps(b))
	front := agenttest.NewFront(t, api.URL, "/responses")
	s := agenttest.Scene{
		Adapter: codex.New(codex.Options{Path: real.Find(t), Args: provider(front.URL)}),
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "SHELL=/bin/sh", real.NoCertificates, "TZ=UTC", "SCRIPTED_KEY=" + agenttest.Secret},
		Dir:     dir, Model: real.Model, Idle: 6 * time.Second,
		Recover: front.Recover, Underway: front.Arrived,
		Remembers: func() bool {
			all := api.Requests()
			return strings.Contains(string(all[len(all)-1].Body), "Do the work.")
		},
	}
	switch b {
	case agenttest.Refusal:
		front.Change(func(body []byte) []byte {
			return []byte(strings.ReplaceAll(string(body), `"text":"`+agenttest.Words+`","type":"output_text"`, `"refusal":"no","type":"refusal"`))
		})
	case agenttest.Limit:
		// It tells the minute, in the machine's zone, and today's without a date.
		now := func() time.Time { return time.Now().UTC() }
		s.Adapter = codex.New(codex.Options{Path: real.Find(t), Args: provider(front.URL), Now: now})
		s.Reset = now().Add(49 * time.Hour).Truncate(time.Minute)
		front.Instead(agenttest.Fail(429, fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"reached","plan_type":"plus","resets_at":%d}}`, s.Reset.Unix())))
	case agenttest.E401:
		front.Instead(agenttest.Fail(401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`))
	case agenttest.E429:
		front.Instead(agenttest.Fail(429, `{"error":{"message":"Rate limit reached. Please try again in 20s.","code":"rate_limit_exceeded"}}`))
	case agenttest.E529:
		front.Instead(agenttest.Fail(529, `{"error":{"message":"overloaded"}}`))
	case agenttest.E402:
		front.Instead(agenttest.Fail(429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`))
	case agenttest.E404:
		front.Instead(agenttest.Fail(404, `{"error":{"message":"The model 'none' does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`))
	case agenttest.E500:
		front.Instead(agenttest.Fail(500, `{"error":{"message":"boom"}}`))
	case agenttest.Broken:
		front.Instead(agenttest.HangUp("event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\nevent: resp"))
	case agenttest.Hang, agenttest.Crash, agenttest.Cancel:
		front.Hold()
	case agenttest.Many:
		s.Adapter = codex.New(codex.Options{Path: agenttest.Replay(t, stream)})
	}
	return s
}

// stream is a long run as the CLI tells it.
func stream(w io.Writer) {
	fmt.Fprintln(w, `{"type":"thread.started","thread_id":"t"}`)
	fmt.Fprintln(w, `{"type":"turn.started"}`)
	for i := range agenttest.Events {
		fmt.Fprintf(w, `{"type":"item.completed","item":{"id":"item_%d","type":"agent_message","text":"line %d"}}`+"\n", i, i)
	}
	fmt.Fprintln(w, `{"type":"turn.completed","usage":{"input_tokens":3,"cached_input_tokens":0,"output_tokens":3}}`)
}
