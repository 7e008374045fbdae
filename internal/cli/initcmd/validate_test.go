package initcmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/testkit/claude"
)

// shapes are hooks objects, and what Claude Code says of each: "" accepted, a
// warning, or refused with what we say.
var shapes = []struct{ hooks, says string }{
	{`{}`, ""},
	{`{"PreToolUse": []}`, ""},
	{`{"PreToolUse": [{"hooks": []}]}`, ""},
	{`{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 1.5, "onFailure": "continue", "other": 1}]}]}`, ""},
	{`{"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"}, {"type": "agent", "prompt": "x"}]}]}`, ""},
	{`{"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1/x"}, {"type": "mcp_tool", "server": "x", "tool": "y"}]}]}`, ""},
	{`{"AfterLunch": [{"hooks": [{"type": "command", "command": "x"}]}]}`, "warning"},
	{`[]`, "hooks must be an object, not an array"},
	{`{"PreToolUse": {}}`, "hooks.PreToolUse must be an array, not an object"},
	{`{"PreToolUse": ["x"]}`, "hooks.PreToolUse[0] must be an object, not a string"},
	{`{"PreToolUse": [{"matcher": 1, "hooks": []}]}`, "hooks.PreToolUse[0].matcher must be a string, not a number"},
	{`{"PreToolUse": [{"matcher": null, "hooks": []}]}`, "hooks.PreToolUse[0].matcher must be a string, not null"},
	{`{"PreToolUse": [{"matcher": "x"}]}`, "hooks.PreToolUse[0] must have the array hooks"},
	{`{"PreToolUse": [{"hooks": {}}]}`, "hooks.PreToolUse[0].hooks must be an array, not an object"},
	{`{"PreToolUse": [{"hooks": [1]}]}`, "hooks.PreToolUse[0].hooks[0] must be an object, not a number"},
	{`{"PreToolUse": [{"hooks": [{"command": "x"}]}]}`, "hooks.PreToolUse[0].hooks[0].type must be command, prompt, agent, http or mcp_tool"},
	{`{"PreToolUse": [{"hooks": [{"type": "frob"}]}]}`, "hooks.PreToolUse[0].hooks[0].type must be command"},
	{`{"PreToolUse": [{"hooks": [{"type": "command"}]}]}`, "hooks.PreToolUse[0].hooks[0].command must be a string"},
	{`{"PreToolUse": [{"hooks": [{"type": "command", "command": ["x"]}]}]}`, "hooks.PreToolUse[0].hooks[0].command must be a string"},
	{`{"PreToolUse": [{"hooks": [{"type": "prompt"}]}]}`, "hooks.PreToolUse[0].hooks[0].prompt must be a string"},
	{`{"PreToolUse": [{"hooks": [{"type": "http", "url": "zz"}]}]}`, "hooks.PreToolUse[0].hooks[0].url must be a URL"},
	{`{"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}]}`, "hooks.PreToolUse[0].hooks[0].timeout must be a number above 0"},
	{`{"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}`, "hooks.PreToolUse[0].hooks[0].timeout must be a number above 0"},
	{`{"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "onFailure": "stop"}]}]}`, "hooks.PreToolUse[0].hooks[0].onFailure must be block or continue"},
}

func TestValidate(t *testing.T) {
	for _, s := range shapes {
		text := []byte("{\n\"hooks\": " + s.hooks + "}")
		doc, err := lossless.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := claudeCode.validate(text, doc)
		switch {
		case s.says == "" && (err != nil || warnings != nil), s.says == "warning" && (err != nil || len(warnings) != 1):
			t.Errorf("%s: %v %v", s.hooks, warnings, err)
		case s.says != "" && s.says != "warning" && (err == nil || !strings.HasPrefix(err.Error(), "line 2: "+s.says)):
			t.Errorf("%s: %v, want %s", s.hooks, err, s.says)
		}
	}
}

// What we refuse Claude Code refuses, and what we accept it accepts. Groups are
// asked for together, since it names each that it refuses.
func TestClaudeCodeJudgesAlike(t *testing.T) {
	path := claude.Find(t)
	var accepted, refused []string
	for _, s := range shapes {
		inner, ok := strings.CutPrefix(s.hooks, `{"PreToolUse": [`)
		switch inner = strings.TrimSuffix(inner, "]}"); {
		case !ok || inner == "":
		case s.says == "":
			accepted = append(accepted, inner)
		default:
			refused = append(refused, inner)
		}
	}
	if out, ok := judged(t, path, `{"PreToolUse": [`+strings.Join(accepted, ",")+`]}`); !ok {
		t.Errorf("not accepted:\n%s", out)
	}
	out, ok := judged(t, path, `{"PreToolUse": [`+strings.Join(refused, ",")+`]}`)
	for i, g := range refused {
		if ok || !regexp.MustCompile(fmt.Sprintf(`hooks\.PreToolUse\.%d[.:]`, i)).MatchString(out) {
			t.Errorf("%s was accepted:\n%s", g, out)
		}
	}
	if out, ok := judged(t, path, `{"PreToolUse": {}}`); ok {
		t.Errorf("an event that is no array was accepted:\n%s", out)
	}
	if out, ok := judged(t, path, `{"AfterLunch": [{"hooks": []}]}`); !ok || !strings.Contains(out, "unknown hook event") {
		t.Errorf("an unknown event is no warning:\n%s", out)
	}
}

// judged asks Claude Code about the hooks of a plugin.
func judged(t *testing.T, path, hooks string) (out string, ok bool) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name": "x", "version": "0.1.0", "description": "d", "author": {"name": "a"}}`,
		"hooks/hooks.json":           `{"hooks": ` + hooks + `}`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path, "plugin", "validate", dir)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "CLAUDE_CODE_TMPDIR=" + home, "NO_COLOR=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}
