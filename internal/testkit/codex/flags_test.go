package codex

import (
	"fmt"
	"testing"
)

// Hooks and their trust can come with the command line alone, beside those of
// the user: the program that starts the CLI can guard it without writing to its home.
func TestHooksAndTrustFromFlags(t *testing.T) {
	p := newPlace(t)
	mine := Hook{Event: "PreToolUse", Matcher: "Bash", Command: p.script(t, guard)}
	users := Hook{Event: "PreToolUse", Command: "touch asked"}
	WriteHooks(t, p.hooks, users)
	Trust(t, p.home, p.hooks, users)
	s := Serve(t, []Step{Shell("touch ran # git commit"), Say("done")})
	p.run(t, s, Options{Args: []string{
		"-c", fmt.Sprintf(`hooks.PreToolUse=[{matcher=%q,hooks=[{type="command",command=%q}]}]`, mine.Matcher, mine.Command),
		"-c", fmt.Sprintf(`hooks.state={%q={trusted_hash=%q}}`, "/<session-flags>/config.toml:pre_tool_use:0:0", mine.hash()),
	}})
	if p.has("ran") {
		t.Errorf("the hook of the command line did not deny: %s", s.Output(0))
	}
	if !p.has("asked") {
		t.Error("the hook of the user was not asked")
	}
}
