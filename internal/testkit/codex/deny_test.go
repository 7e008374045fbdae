package codex

import (
	"strings"
	"testing"
)

// guard denies what contains "git commit", in the form of Claude Code's hooks.
const guard = `if grep -q 'git commit'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"commits are not yours to make"}}'
fi
`

func TestAHookDeniesACommit(t *testing.T) {
	for _, model := range []string{Model, CodeModel} {
		t.Run(model, func(t *testing.T) {
			p := newPlace(t)
			hook := Hook{Event: "PreToolUse", Command: p.script(t, guard)}
			WriteHooks(t, p.hooks, hook)
			Trust(t, p.home, p.hooks, hook)
			s := Serve(t, []Step{
				Shell("touch denied && git commit --allow-empty -m x"),
				Shell("touch allowed"),
				Patch("*** Begin Patch\n*** Add File: patched\n+never git commit\n*** End Patch\n"),
				Say("done"),
			})
			p.run(t, s, Options{Model: model})
			if p.has("denied") || p.has("patched") {
				t.Error("a denied call was carried out")
			}
			if !p.has("allowed") {
				t.Errorf("an allowed command did not run: %s", s.Output(1))
			}
			for _, n := range []int{0, 2} {
				if got := s.Output(n); !strings.Contains(got, "Command blocked by PreToolUse hook: commits are not yours to make. Command: ") {
					t.Errorf("the model was told of step %d: %q", n, got)
				}
			}
		})
	}
}

// A hook that nobody has trusted is no guard, and the CLI does not say so.
func TestAnUntrustedHookDoesNotRun(t *testing.T) {
	p := newPlace(t)
	WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Command: p.script(t, guard)})
	s := Serve(t, []Step{Shell("touch ran # git commit"), Say("done")})
	r := p.run(t, s, Options{})
	if !p.has("ran") || strings.Contains(r.Stdout+r.Stderr, "hook") {
		t.Errorf("the hook ran, or was spoken of\n%s\n%s", r.Stdout, r.Stderr)
	}
}

// What is typed into a terminal that a command has opened is shown to no hook,
// so a guard must deny interactive shells, or the CLI's terminals be turned off.
func TestWhatIsTypedIsNotShown(t *testing.T) {
	const typing = `const r = await tools.exec_command({cmd: "sh", tty: true, yield_time_ms: 250});
text(await tools.write_stdin({session_id: r.session_id, chars: "touch ran # git commit\n"}));`
	for name, args := range map[string][]string{
		"terminals":    nil,
		"no terminals": {"-c", "features.unified_exec_tty=false"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			WriteHooks(t, p.hooks, Hook{Event: "PreToolUse", Command: p.script(t, guard)})
			s := Serve(t, []Step{Code(typing), Say("done")})
			p.run(t, s, Options{Model: CodeModel, Args: append(args, BypassTrust)})
			if want := args == nil; p.has("ran") != want {
				t.Errorf("what was typed ran: %v, want %v; the model was told %s", !want, want, s.Output(0))
			}
		})
	}
}
