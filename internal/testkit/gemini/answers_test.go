package gemini

import (
	"fmt"
	"strings"
	"testing"
)

// The CLI takes an exit code above 1 for a denial as long as anything was
// printed, so a missing program denies; a crash with code 1, a signal, silence
// and a time-out let the command run.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"decision":"deny","reason":"no"}`
	type answer struct {
		name, hook string
		timeout    int
		stops      bool
		told       string
	}
	starts := map[int][]answer{} // by time-out: one start of the CLI, which takes seconds, for all answers
	for _, c := range []answer{
		{"denial", "echo '" + deny + "'", 0, true, "Tool execution blocked: no"},
		{"denial and a field", `echo '` + strings.Replace(deny, "{", `{"more":1,`, 1) + `'`, 0, true, "Tool execution blocked: no"},
		{"denial and exit 1", "echo '" + deny + "'; exit 1", 0, true, "Tool execution blocked: no"},
		{"exit 2 with a reason", "echo no >&2; exit 2", 0, true, "Tool execution blocked: no"},
		{"exit 3 with a word", "echo no >&2; exit 3", 0, true, "Tool execution blocked: no"},
		{"missing", "/no/such/program", 0, true, "No such file or directory"},

		{"Claude's denial", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'; echo no >&2; exit 2`, 0, false, ""},
		{"denial and a word", "echo careful; echo '" + deny + "'", 0, false, ""},
		{"exit 2 without a reason", "exit 2", 0, false, ""},
		{"crash", "echo no >&2; exit 1", 0, false, ""},
		{"killed", "kill -9 $$", 0, false, ""},
		{"garbage", "echo garbage", 0, false, ""},
		{"too slow", "sleep 2; echo '" + deny + "'", 500, false, ""},
	} {
		starts[c.timeout] = append(starts[c.timeout], c)
	}
	for timeout, answers := range starts {
		if timeout > 0 && !wholeMatrix() {
			continue
		}
		t.Run(fmt.Sprintf("%d ms", timeout), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			command, steps := "case $(cat) in\n", []Step{}
			for n, c := range answers {
				command += fmt.Sprintf("*touch\\ ran%d.*) %s ;;\n", n, c.hook)
				steps = append(steps, Shell(fmt.Sprintf("touch ran%d.", n)))
			}
			settings(t, p.dir, hook{event: "BeforeTool", matcher: "run_shell_command", command: command + "esac", timeout: timeout})
			s := Serve(t, append(steps, Say("done")))
			p.run(t, s, Options{})
			for n, c := range answers {
				if p.has(fmt.Sprintf("ran%d.", n)) == c.stops {
					t.Errorf("%s stopped: %v, want %v", c.name, !c.stops, c.stops)
				}
				if got := s.Output(n); !strings.Contains(got, c.told) || strings.Contains(got, `"error"`) != c.stops {
					t.Errorf("%s: the model was told %s, want %q", c.name, got, c.told)
				}
			}
		})
	}
}
