package claude_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/claude"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
	"warp/internal/testkit/agenttest"
	real "warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// The real Claude Code, whose API is overloaded for an hour of a clock that only waiting
// moves: the same session answers in the end.
func TestAnHourOf529(t *testing.T) {
	if os.Getenv("WARP_MATRIX") == "" {
		t.Skip("the runner's own test has such an hour, without eight starts of Claude Code; make agents has this one")
	}
	path := real.Find(t)
	api := messages.Serve(t, messages.Script{"": {words, words}})
	front := agenttest.NewFront(t, api.URL, "/v1/messages")
	front.Instead(agenttest.Fail(529, failure("overloaded_error", "Overloaded"), "retry-after", "7200")) // too long for Claude Code: it gives up at once
	begin := time.Now()
	now := begin
	r := &agent.Runner{
		Adapters: []agent.Adapter{claude.New(claude.Options{Path: path})}, Store: durable.New(durable.Config{Dir: t.TempDir(), Now: time.Now, PID: os.Getpid()}),
		Now: func() time.Time { return now }, Started: proc.Started, PID: os.Getpid(), Host: "here", Environ: environ(t, front.URL),
		Wait: func(ctx context.Context, until time.Time, why string) error {
			if !strings.HasSuffix(why, ": rate_limit") {
				t.Errorf("waited for %s", why)
			}
			if now = until; now.Sub(begin) >= time.Hour {
				front.Recover()
			}
			return ctx.Err()
		},
	}
	res, err := r.Run(t.Context(), agent.Task{Role: agent.Code, Prompt: "Do the work.", Dir: t.TempDir(), Level: 2, Timeout: time.Minute, Idle: time.Minute})
	if err != nil || res.End != agent.Done || !strings.Contains(res.Text, agenttest.Words) || now.Sub(begin) < time.Hour {
		t.Errorf("%+v, %v, after %v", res, err, now.Sub(begin))
	}
}
