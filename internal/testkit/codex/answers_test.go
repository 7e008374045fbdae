package codex

import (
	"strings"
	"testing"
	"time"
)

// The CLI lets a command run unless the answer is a denial to the letter: a
// field too many, a missing reason, a word before the JSON, an exit code that
// does not fit, a crash or a time-out all let it run, without a word to anyone.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	for _, c := range []struct {
		name, hook string
		timeout    int
		stops      bool
	}{
		{"denial", "echo '" + deny + "'", 0, true},
		{"old denial", `echo '{"decision":"block","reason":"no"}'`, 0, true},
		{"exit 2 with a reason", "echo no >&2; exit 2", 0, true},
		{"slow denial in time", "sleep 1; echo '" + deny + "'", 1000, true},

		{"denial and a word", "echo careful; echo '" + deny + "'", 0, false},
		{"denial and a field", `echo '` + strings.Replace(deny, "{", `{"more":1,`, 1) + `'`, 0, false},
		{"denial without a reason", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'`, 0, false},
		{"denial and exit 1", "echo '" + deny + "'; exit 1", 0, false},
		{"denial and exit 2", "echo '" + deny + "'; exit 2", 0, false},
		{"exit 2 without a reason", "exit 2", 0, false},
		{"Gemini's denial", `echo '{"decision":"deny","reason":"no"}'`, 0, false},
		{"ask", strings.Replace("echo '"+deny+"'", `"deny"`, `"ask"`, 1), 0, false},
		{"stop", `echo '{"continue":false,"stopReason":"no"}'`, 0, false},
		{"crash", "echo no >&2; exit 1", 0, false},
		{"killed", "kill -9 $$", 0, false},
		{"missing", "/no/such/program", 0, false},
		{"garbage", "echo garbage", 0, false},
		{"too slow", "sleep 3; echo '" + deny + "'", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Matcher: "Bash", Command: "cat >/dev/null; " + c.hook, Timeout: c.timeout})
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			p.run(t, s, Options{Args: []string{BypassTrust}, Timeout: 30 * time.Second})
			if p.has("ran") == c.stops {
				t.Errorf("stopped: %v, want %v; the model was told %q", !c.stops, c.stops, s.Output(0))
			}
			if told := strings.Contains(s.Output(0), "blocked by PreToolUse hook: no"); told != c.stops {
				t.Errorf("the model was told %q", s.Output(0))
			}
		})
	}
}
