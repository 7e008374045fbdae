package gemini

import (
	"strings"
	"testing"
)

// The CLI takes an exit code above 1 for a denial as long as anything was
// printed, so a missing program denies; a crash with code 1, a signal, silence
// and a time-out let the command run.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"decision":"deny","reason":"no"}`
	for _, c := range []struct {
		name, hook string
		timeout    int
		stops      bool
		told       string
		often      bool // also without WARP_MATRIX: each start of the CLI takes seconds
	}{
		{"denial", "echo '" + deny + "'", 0, true, "Tool execution blocked: no", false},
		{"denial and a field", `echo '` + strings.Replace(deny, "{", `{"more":1,`, 1) + `'`, 0, true, "Tool execution blocked: no", false},
		{"denial and exit 1", "echo '" + deny + "'; exit 1", 0, true, "Tool execution blocked: no", false},
		{"exit 2 with a reason", "echo no >&2; exit 2", 0, true, "Tool execution blocked: no", true},
		{"exit 3 with a word", "echo no >&2; exit 3", 0, true, "Tool execution blocked: no", false},
		{"missing", "/no/such/program", 0, true, "No such file or directory", false},

		{"Claude's denial", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'; echo no >&2; exit 2`, 0, false, "", false},
		{"denial and a word", "echo careful; echo '" + deny + "'", 0, false, "", false},
		{"exit 2 without a reason", "exit 2", 0, false, "", false},
		{"crash", "echo no >&2; exit 1", 0, false, "", true},
		{"killed", "kill -9 $$", 0, false, "", false},
		{"garbage", "echo garbage", 0, false, "", false},
		{"too slow", "sleep 2; echo '" + deny + "'", 500, false, "", false},
	} {
		if !c.often && !wholeMatrix() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			settings(t, p.dir, hook{event: "BeforeTool", matcher: "run_shell_command", command: "cat >/dev/null; " + c.hook, timeout: c.timeout})
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			p.run(t, s, Options{})
			if p.has("ran") == c.stops {
				t.Errorf("stopped: %v, want %v", !c.stops, c.stops)
			}
			if got := s.Output(0); !strings.Contains(got, c.told) || strings.Contains(got, `"error"`) != c.stops {
				t.Errorf("the model was told %s, want %q", got, c.told)
			}
		})
	}
}
