//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
)

// Claude Code runs the hooks of both: one of them answers.
func TestPluginAndInitInOneProject(t *testing.T) {
	p := coding(t)
	plugin, err := filepath.Abs("../plugin")
	if err != nil {
		t.Fatal(err)
	}
	api := messages.Serve(t, messages.Script{"go": {
		write(filepath.Join(p.root, "a.go"), "package x\n"), bash("git commit --allow-empty -m 'feat: no'"), {Text: "Done."},
	}})
	o := p.options(api, "[[scenario:go]]")
	o.Args = []string{"--plugin-dir", plugin}
	if r := claude.Run(t, o); r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	once(t, p, api)
	if out, err := p.try("warp doctor hooks"); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}

// The repository is a marketplace: the plugin is installed from it, offline, and its
// hooks alone guard a drive. Beside warp init's, each still answers once.
func TestPluginFromTheMarketplace(t *testing.T) {
	p := coding(t)
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cli := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(claude.Find(t), append([]string{"plugin"}, args...)...)
		cmd.Dir = p.root
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "CLAUDE_CONFIG_DIR=" + filepath.Join(p.home, ".claude"), "CLAUDE_CODE_TMPDIR=" + p.home, "NO_COLOR=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("claude plugin %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	cli("validate", "--strict", repo)
	cli("marketplace", "add", repo)
	cli("install", "warp-drive@warp-drive")
	if out := cli("list"); !strings.Contains(out, "warp-drive@warp-drive") || !strings.Contains(out, "enabled") {
		t.Fatalf("installed are:\n%s", out)
	}
	if out := p.sh("warp doctor hooks"); !strings.Contains(out, "the project's own hooks answer, each event once") {
		t.Errorf("doctor says\n%s", out)
	}
	steps := []messages.Step{write(filepath.Join(p.root, "a.go"), "package x\n"), bash("git commit --allow-empty -m 'feat: no'"), {Text: "Done."}}
	p.sh("mv .claude/settings.json ../settings.json")
	if out := p.sh("warp doctor hooks"); !strings.Contains(out, "and its hooks answer") {
		t.Errorf("doctor says\n%s", out)
	}
	api := messages.Serve(t, messages.Script{"go": steps})
	p.run(api, "[[scenario:go]]")
	once(t, p, api)
}

// once wants the edit, the refusal and the phase of a run to be there once.
func once(t *testing.T, p *project, api *messages.Server) {
	t.Helper()
	if n := p.state().EditCounts["a.go"]; n != 1 {
		t.Errorf("one edit was counted %d times", n)
	}
	if n := strings.Count(api.Requests()[0].Text(), "phase: coding"); n != 1 {
		t.Errorf("the phase was told %d times", n)
	}
	if got := last(api); len(got) != 2 || got[0].Error || !got[1].Error || !strings.Contains(got[1].Text, "only allowed during committing phase") {
		t.Errorf("what became of the calls: %+v", got)
	}
}
