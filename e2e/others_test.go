//go:build unix

package e2e

import (
	"strings"
	"testing"

	"warp/internal/testkit/codex"
)

func TestCodexIsHeldToTheTable(t *testing.T) {
	p := coding(t)
	p.sh("warp init --agent codex")
	api := codex.Serve(t, []codex.Step{
		codex.Shell("git commit --allow-empty -m 'feat: x'"),
		codex.Patch("*** Begin Patch\n*** Add File: .claude/settings.json\n+{}\n*** End Patch\n"),
		codex.Patch("*** Begin Patch\n*** Add File: a.go\n+package x\n*** End Patch\n"),
		codex.Shell("echo harmless: git commit"),
		codex.Say("Done."),
	})
	head := p.sh("git rev-parse HEAD")
	r := codex.Run(t, codex.Options{Dir: p.root, Home: codex.Home(t), URL: api.URL, Prompt: "go", Args: []string{codex.BypassTrust}, PathDirs: []string{bin}})
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	if p.sh("git rev-parse HEAD") != head || !strings.Contains(api.Output(0), "only allowed during committing phase") {
		t.Errorf("the commit: %s", api.Output(0))
	}
	if !strings.Contains(api.Output(1), "belongs to warp or git") {
		t.Errorf("the settings: %s", api.Output(1))
	}
	if !strings.Contains(api.Output(3), "harmless: git commit") {
		t.Errorf("a harmless command: %s", api.Output(3))
	}
	if text := string(api.Requests()[0].Body); !strings.Contains(text, "phase: coding") {
		t.Error("the phase's context did not arrive")
	}
	if s := p.state(); s.EditCounts["a.go"] != 1 || s.Session.ClaudeSession == "" {
		t.Errorf("recorded %v, owner %q", s.EditCounts, s.Session.ClaudeSession)
	}
}
