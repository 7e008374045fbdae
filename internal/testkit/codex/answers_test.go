package codex

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The CLI lets a command run unless the answer is a denial to the letter: a
// field too many, a missing reason, a word before the JSON, an exit code that
// does not fit, a crash or a time-out all let it run, without a word to anyone. One session
// shows all that needs no time-out of its own: its hook answers each command in another way.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	answers := []struct {
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
	}
	t.Run("one after the other", func(t *testing.T) {
		p := newPlace(t)
		var steps []Step
		guards := "payload=$(cat)\ncase $payload in\n"
		for i, c := range answers {
			if c.timeout == 0 {
				guards += fmt.Sprintf("*ran-%d-*) %s ;;\n", i, c.hook)
				steps = append(steps, Shell(fmt.Sprintf("touch ran-%d-", i)))
			}
		}
		WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Matcher: "Bash", Command: guards + "esac"})
		s := Serve(t, append(steps, Say("done")))
		p.run(t, s, Options{Args: []string{BypassTrust}})
		n := 0
		for i, c := range answers {
			if c.timeout == 0 {
				look(t, c.name, c.stops, p.has(fmt.Sprintf("ran-%d-", i)), s.Output(n))
				n++
			}
		}
	})
	for _, c := range answers {
		if c.timeout == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Matcher: "Bash", Command: "cat >/dev/null; " + c.hook, Timeout: c.timeout})
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			p.run(t, s, Options{Args: []string{BypassTrust}, Timeout: 30 * time.Second})
			look(t, c.name, c.stops, p.has("ran"), s.Output(0))
		})
	}
}

// look wants a command to have been stopped, and the model to have been told; or neither.
func look(t *testing.T, name string, stops, ran bool, told string) {
	t.Helper()
	if ran == stops {
		t.Errorf("%s: stopped: %v, want %v; the model was told %q", name, !stops, stops, told)
	}
	if strings.Contains(told, "blocked by PreToolUse hook: no") != stops {
		t.Errorf("%s: the model was told %q", name, told)
	}
}
