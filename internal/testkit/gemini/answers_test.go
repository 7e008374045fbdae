package gemini

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The CLI takes an exit code above 1 for a denial as long as anything was
// printed, so a missing program denies; a crash with code 1, a signal, silence
// and a time-out let the command run. One session shows all that needs no time-out of its own,
// since each start takes seconds: its hook answers each command in another way, and denies
// edits as well.
func TestWhatStopsACommand(t *testing.T) {
	const deny = `{"decision":"deny","reason":"no"}`
	answers := []struct {
		name, hook string
		timeout    int
		stops      bool
		told       string
	}{
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
	}
	t.Run("one after the other", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		var steps []Step
		guards := "payload=$(cat)\ncase $payload in\n"
		for i, c := range answers {
			if c.timeout == 0 {
				guards += fmt.Sprintf("*ran-%d-*) %s ;;\n", i, c.hook)
				steps = append(steps, Shell(fmt.Sprintf("touch ran-%d-", i)))
			}
		}
		guards += `*"git commit"*) echo '{"decision":"deny","reason":"commits are not yours to make"}' ;;` + "\nesac"
		edits := []Step{Write("written", "never git commit"), Replace("kept", "old", "never git commit"), Write("allowed", "x")}
		settings(t, p.dir, hook{event: "BeforeTool", matcher: "run_shell_command|write_file|replace", command: guards})
		write(t, p.dir+"/kept", []byte("old"), 0o600)
		s := Serve(t, slices.Concat(steps, edits, []Step{Say("done")}))
		p.run(t, s, Options{})
		n := 0
		for i, c := range answers {
			if c.timeout == 0 {
				look(t, c.name, c.stops, c.told, p.has(fmt.Sprintf("ran-%d-", i)), s.Output(n))
				n++
			}
		}
		for range 2 {
			if got, want := s.Output(n), `{"error":"Tool execution blocked: commits are not yours to make"}`; got != want {
				t.Errorf("the model was told of an edit: %s, want %s", got, want)
			}
			n++
		}
		if p.has("written") || !p.has("allowed") {
			t.Errorf("a denied edit was carried out: %v, an allowed one: %v", p.has("written"), p.has("allowed"))
		}
	})
	for _, c := range answers {
		if c.timeout == 0 || !wholeMatrix() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			settings(t, p.dir, hook{event: "BeforeTool", matcher: "run_shell_command", command: "cat >/dev/null; " + c.hook, timeout: c.timeout})
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			p.run(t, s, Options{})
			look(t, c.name, c.stops, c.told, p.has("ran"), s.Output(0))
		})
	}
}

// look wants a command to have been stopped, and the model to have been told why; or neither.
func look(t *testing.T, name string, stops bool, told string, ran bool, got string) {
	t.Helper()
	if ran == stops {
		t.Errorf("%s: stopped: %v, want %v", name, !stops, stops)
	}
	if !strings.Contains(got, told) || strings.Contains(got, `"error"`) != stops {
		t.Errorf("%s: the model was told %s, want %q", name, got, told)
	}
}
