//go:build unix

package hook_test

import (
	"testing"

	"warp/internal/core/drivestate"
)

// The plugin's hooks leave to the project's what those are called for, and nothing else.
func TestAPluginsHookLeavesItToTheProjects(t *testing.T) {
	for settings, answers := range map[string]bool{
		``:                              true,
		`{`:                             true,
		`{"hooks": 3}`:                  true,
		`{"hooks": {"PreToolUse": []}}`: true,
		`{"hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "warp-hook PreToolUse"}]}]}}`:                                       true,
		`{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "warp-hook PostToolUse"}]}]}}`:                                                              true,
		`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./mine.sh"}]}]}}`:                                                        true,
		`{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "if command -v warp-hook; then exec warp-hook PreToolUse; fi"}]}]}}`: false,
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "'/a b/warp-hook' PreToolUse"}]}]}}`:                                                         false,
	} {
		p := driven(t, drivestate.Coding)
		p.write(".claude/settings.json", settings)
		p.env = map[string]string{"CLAUDE_PLUGIN_ROOT": "/x"}
		if got := p.bash("git commit -m x").denied(); got != answers {
			t.Errorf("%s: answered %v, want %v", settings, got, answers)
		}
		p.env = nil
		if !p.bash("git commit -m x").denied() {
			t.Errorf("%s: the project's own hook does not answer", settings)
		}
	}
}
