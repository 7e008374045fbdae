package gemini_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/gemini"
	"warp/internal/testkit/agenttest"
	real "warp/internal/testkit/gemini"
)

// The real Gemini CLI, against the stand-in for its API.
func TestConformance(t *testing.T) {
	real.Find(t)
	agenttest.Run(t, agenttest.Case{
		Name: "gemini",
		Show: show,
		Not: map[agenttest.Behaviour]string{
			agenttest.Holds:  "the commands of its tools have pipes of their own",
			agenttest.Budget: "it tells what it has spent at the end of the run only",
		},
		// Codex starts fast and shows everything; what each error looks like is in TestEnds, and
		// a drive of e2e shows answers.
		Sample: []agenttest.Behaviour{agenttest.ToolUse, agenttest.ReadOnly, agenttest.Limit, agenttest.Cancel, agenttest.Incomplete},
	})
}

// steps are what the model does.
func steps(b agenttest.Behaviour, dir string) []real.Step {
	words := real.Say(agenttest.Words)
	made := filepath.Join(dir, agenttest.Made)
	switch b {
	case agenttest.ToolUse, agenttest.ReadOnly:
		return []real.Step{real.Write(made, "x"), real.Shell("echo x > made.txt"), words}
	case agenttest.Structured:
		return []real.Step{real.Say("Here it is.\n```json\n" + agenttest.Verdict + "\n```\n")}
	case agenttest.Incomplete:
		return []real.Step{real.Say(agenttest.OneVerdict), real.Say("Sorry.\n" + agenttest.TheOther)}
	case agenttest.Invalid:
		return []real.Step{real.Say("```json\n" + agenttest.NoVerdict + "\n```\n")}
	case agenttest.Quoted:
		return []real.Step{real.Say(agenttest.Quote)}
	case agenttest.Limit: // in the middle: it keeps no session in which nothing was said
		return []real.Step{real.Shell("true"), words}
	case agenttest.Leaves:
		return []real.Step{real.Shell(agenttest.LeaveScript), words}
	}
	return []real.Step{words, words}
}

// settings let the CLI run offline. It would try ten times, for minutes.
const settings = `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},
"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1}}`

func show(t *testing.T, b agenttest.Behaviour) agenttest.Scene {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "proj")
	for _, d := range []string{dir, filepath.Join(home, ".gemini"), filepath.Join(home, "tmp")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	api := real.Serve(t, steps(b, dir))
	front := agenttest.NewFront(t, api.URL, ":streamGenerateContent")
	s := agenttest.Scene{
		Adapter: gemini.New(gemini.Options{Path: real.Find(t)}),
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "GOOGLE_GEMINI_BASE_URL=" + front.URL,
			"GEMINI_API_KEY=" + agenttest.Secret, "GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true",
		},
		Dir: dir, Model: real.Model, Idle: 30 * time.Second,
		Recover: front.Recover, Underway: front.Arrived,
		Remembers: func() bool {
			all := api.Requests()
			return strings.Contains(string(all[len(all)-1].Body), "Do the work.")
		},
	}
	switch b {
	case agenttest.Refusal:
		front.Instead(agenttest.Fail(200, `data: {"candidates":[{"index":0,"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}}`+"\n\n",
			"Content-Type", "text/event-stream"))
	case agenttest.Limit: // it does not tell until when
		front.After(1, agenttest.Fail(429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"x","quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`))
	case agenttest.E401:
		front.Instead(agenttest.Fail(401, `{"error":{"code":401,"message":"API key not valid","status":"UNAUTHENTICATED"}}`))
	case agenttest.E429:
		front.Instead(agenttest.Fail(429, `{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}`))
	case agenttest.E529:
		front.Instead(agenttest.Fail(529, `{"error":{"code":529,"message":"overloaded","status":"UNAVAILABLE"}}`))
	case agenttest.E402:
		front.Instead(agenttest.Fail(403, `{"error":{"code":403,"message":"This API method requires billing to be enabled. Please enable billing on project #1.","status":"PERMISSION_DENIED"}}`))
	case agenttest.E404:
		front.Instead(agenttest.Fail(404, `{"error":{"code":404,"message":"models/none is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}`))
	case agenttest.E500:
		front.Instead(agenttest.Fail(500, `{"error":{"code":500,"message":"boom","status":"INTERNAL"}}`))
	case agenttest.Broken:
		front.Instead(agenttest.HangUp(`data: {"candidates":[{"index":0,"content":{"role":"mod`))
	case agenttest.Hang, agenttest.Crash, agenttest.Cancel:
		front.Hold()
	case agenttest.LongLine:
		// The CLI itself ends before so much is written, and its end is lost.
		s.Adapter = gemini.New(gemini.Options{Path: agenttest.Replay(t, long)})
	case agenttest.Many:
		s.Adapter = gemini.New(gemini.Options{Path: agenttest.Replay(t, stream)})
	}
	return s
}

func long(w io.Writer) {
	fmt.Fprintf(w, `{"type":"message","role":"assistant","content":"%s","delta":true}`+"\n", agenttest.LongText())
	fmt.Fprintln(w, `{"type":"result","status":"success","stats":{}}`)
}

// stream is a long run as the CLI tells it: words and calls in turn.
func stream(w io.Writer) {
	fmt.Fprintln(w, `{"type":"init","session_id":"s","model":"m"}`)
	for i := range agenttest.Events / 2 {
		fmt.Fprintf(w, `{"type":"message","role":"assistant","content":"line %d","delta":true}`+"\n", i)
		fmt.Fprintf(w, `{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t%d","parameters":{"command":"true"}}`+"\n", i)
	}
	fmt.Fprintln(w, `{"type":"result","status":"success","stats":{"input":3,"output_tokens":3,"cached":0}}`)
}
