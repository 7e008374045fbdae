//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/testkit/codex"
	"warp/internal/testkit/gemini"
	"warp/internal/testkit/programs"
)

// codex puts the real Codex CLI on PATH, with the stand-in for its API.
func (h *headless) codex(api string) *headless {
	h.t.Helper()
	home := codex.Home(h.t)
	h.home = home // the key that its facts are signed with is there
	config := "model_provider = \"scripted\"\ncheck_for_update_on_startup = false\nweb_search = \"disabled\"\n\n[analytics]\nenabled = false\n\n" +
		"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"" + api + "\"\nwire_api = \"responses\"\n"
	if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		h.t.Fatal(err)
	}
	programs.LeaveOutChecks(home)
	h.env = []string{"PATH=" + strings.Join([]string{h.onPath("codex", codex.Find(h.t), ""), bin, os.Getenv("PATH")}, ":"),
		"HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "SHELL=/bin/sh", codex.NoCertificates, "GIT_CONFIG_NOSYSTEM=1", h.mark}
	return h
}

// codexHome is the folder of its configuration.
func (h *headless) codexHome() string {
	h.t.Helper()
	for _, v := range h.env {
		if dir, ok := strings.CutPrefix(v, "CODEX_HOME="); ok {
			return dir
		}
	}
	h.t.Fatal("there is no Codex")
	return ""
}

// gemini puts the real Gemini CLI on PATH, with the stand-in for its API.
func (h *headless) gemini(api string, more ...string) *headless {
	h.t.Helper()
	settings := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},
"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1}}`
	err := os.MkdirAll(filepath.Join(h.home, ".gemini"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(h.home, ".gemini", "settings.json"), []byte(settings), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	version := `[ "$*" != --version ] || { echo ` + gemini.Version + `; exit; }` // a start takes it seconds
	if wholeMatrix() {
		version = ""
	}
	h.env = append([]string{"PATH=" + strings.Join([]string{h.onPath("gemini", gemini.Find(h.t), version), bin, os.Getenv("PATH")}, ":"),
		"HOME=" + h.home, "GIT_CONFIG_NOSYSTEM=1", h.mark, "GOOGLE_GEMINI_BASE_URL=" + api, "GEMINI_TELEMETRY_ENABLED=false",
		"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"}, more...)
	return h
}

func TestCodexIsDrivenToTheMerge(t *testing.T) {
	t.Parallel()
	h := drives(t, one, withInit)
	add := func(file, text string) codex.Step {
		return codex.Patch("*** Begin Patch\n*** Add File: " + file + "\n+" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n+") + "\n*** End Patch\n")
	}
	api := codex.Serve(t, []codex.Step{
		add("text.js", second), add("text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest),
		codex.Shell("git commit --allow-empty -m 'feat: by myself'"),
		codex.Say(`{"summary":"Done.","decision":null,"learnings":null,"lessons":null,"items":null}`),
		codex.Shell("touch verifier.js"),
		codex.Say(`{"criteria":[{"id":"AC-01","met":true,"reason":"seen"},{"id":"AC-02","met":true,"reason":"seen"}],"learnings":null,"lessons":null,"items":null}`),
	})
	h.codex(api.URL)
	h.env = append(h.env, "WARP_SANDBOX=off")
	h.run(0, "drive", "1", "--level", "3", "--agent", "codex", "--model", codex.Model)
	if log := h.sh("git -C " + h.remote + " log --format=%s main; git status --porcelain; cat .claude/issues/1.md"); !strings.HasPrefix(log, mergedOnce+"\n?? .claude/issues/\n---") || !strings.Contains(log, "state: closed") || strings.Contains(log, "[ ]") {
		t.Errorf("merged:\n%s", log)
	}
	if a := h.evidence(); a.Outcome.Result != evidence.Merged || !a.Criteria[1].Met || a.Criteria[1].Verdict.Agent != "codex" || a.Cost.Tokens == 0 || a.Cost.Runs != 2 {
		t.Errorf("%+v", a)
	}
	for i, want := range [][2]string{{`sandbox_mode="workspace-write"`, `model_reasoning_effort="medium"`}, {`sandbox_mode="read-only"`, `model_reasoning_effort="high"`}} { // its own, without ours
		if call := strings.Join(h.calls()[i], " "); !strings.Contains(call, want[0]) || !strings.Contains(call, want[1]) {
			t.Errorf("called as %s", call)
		}
	}
}
