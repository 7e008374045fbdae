package plugin_test

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/cli/initcmd"
	"warp/internal/testkit/claude"
)

var write = flag.Bool("write", false, "write hooks/hooks.json anew")

func TestHooksAreThoseOfTheTable(t *testing.T) {
	want := initcmd.PluginHooks()
	if *write {
		if err := os.WriteFile("hooks/hooks.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("hooks/hooks.json")
	if err != nil || string(have) != string(want) {
		t.Errorf("hooks/hooks.json is stale, run go test ./plugin -write: %v\n%s", err, want)
	}
}

func TestClaudeCodeAcceptsThePlugin(t *testing.T) {
	path := claude.Find(t)
	home := t.TempDir()
	cmd := exec.Command(path, "plugin", "validate", "--strict", ".")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "CLAUDE_CODE_TMPDIR=" + home, "NO_COLOR=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Validation passed") {
		t.Errorf("%v\n%s", err, out)
	}
}
