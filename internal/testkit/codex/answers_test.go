package codex

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The CLI lets a command run unless the answer is a denial to the letter: a
// field too many, a missing reason, a word before the JSON, an exit code that
// does not fit, a crash or a time-out all let it run, without a word to anyone.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	type answer struct {
		name, hook string
		timeout    int
		stops      bool
	}
	starts := map[int][]answer{} // by time-out: one start of the CLI, which takes long, for all answers
	for _, c := range []answer{
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
		starts[c.timeout] = append(starts[c.timeout], c)
	}
	for timeout, answers := range starts {
		t.Run(fmt.Sprintf("%d seconds", timeout), func(t *testing.T) {
			p := newPlace(t)
			command, steps := "case $(cat) in\n", []Step{}
			for n, c := range answers {
				command += fmt.Sprintf("*touch\\ ran%d.*) %s ;;\n", n, c.hook)
				steps = append(steps, Shell(fmt.Sprintf("touch ran%d.", n)))
			}
			WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Matcher: "Bash", Command: command + "esac", Timeout: timeout})
			s := Serve(t, append(steps, Say("done")))
			p.run(t, s, Options{Args: []string{BypassTrust}, Timeout: time.Minute})
			for n, c := range answers {
				if p.has(fmt.Sprintf("ran%d.", n)) == c.stops {
					t.Errorf("%s stopped: %v, want %v; the model was told %q", c.name, !c.stops, c.stops, s.Output(n))
				}
				if told := strings.Contains(s.Output(n), "blocked by PreToolUse hook: no"); told != c.stops {
					t.Errorf("%s: the model was told %q", c.name, s.Output(n))
				}
			}
		})
	}
}
