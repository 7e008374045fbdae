package feed_test

import (
	"strings"
	"testing"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// One name can be that of a session and of a workflow, and look like an issue or a flag: the
// line says which is meant.
func TestALineNamesTheKind(t *testing.T) {
	for _, c := range []struct {
		kind             feed.Kind
		name, verb, want string
	}{
		{feed.Workflow, "auth", "stop", "workflow pause"},
		{feed.Loop, "auth", "stop", "sessions stop -- auth"},
		{feed.Pipeline, "42", "pause", "sessions stop -- 42"},
		{feed.Drive, "42", "pause", "pause -- 42"},
		{feed.Guided, "42", "continue", "continue -- 42"},
		{feed.Workflow, "--help", "continue", "workflow resume --detach"},
		{feed.Quality, "42", "resume", "sessions resume --detach -- 42"},
		{feed.Drive, "42", "resume", "drive --detach -- 42"},
	} {
		var flags []string
		if strings.Contains(c.want, "--detach") {
			flags = []string{"--detach"}
		}
		if got := strings.Join(feed.Item{Kind: c.kind, Name: c.name}.Line(c.verb, flags...), " "); got != c.want {
			t.Errorf("%s %s %s: %q, want %q", c.verb, c.kind, c.name, got, c.want)
		}
	}
}

// A drive that a screen resumes keeps the limits of its command line.
func TestALineRepeatsTheLimits(t *testing.T) {
	i := feed.Item{Kind: feed.Drive, Name: "42", Drive: turnstile.View{State: &drivestate.State{Session: drivestate.Session{Caps: budget.Caps{MicroUSD: 5e6, Tokens: 9}}}}}
	if got := strings.Join(i.Line("resume", "--detach"), " "); got != "drive --detach --max-cost 5 --max-tokens 9 -- 42" {
		t.Error(got)
	}
	if got := strings.Join(i.Line("stop"), " "); got != "stop -- 42" {
		t.Error(got)
	}
}
