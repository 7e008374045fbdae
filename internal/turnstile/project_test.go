//go:build unix

package turnstile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/turnstile"
)

const settingsFile = ".claude/settings.local.json"

func TestSettingOneSettingKeepsTheOthers(t *testing.T) {
	root := repository(t)
	p := &turnstile.Open(root, turnstile.System()).Project
	write(t, root, settingsFile, "{\n  \"mine\": [1,   2]\n}\n")
	if err := p.SetSetting("level", lossless.Encode(2, nil)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(p.SettingsPath())
	if err != nil {
		t.Fatal(err)
	}
	v, err := lossless.Parse(text)
	if err != nil || v.Get("mine") == nil {
		t.Errorf("%s, %v", text, err)
	}
	if s, err := p.Settings(); err != nil || s.Level != 2 {
		t.Errorf("level %d, %v", s.Level, err)
	}
	write(t, root, settingsFile, "{")
	if err := p.SetSetting("level", lossless.Encode(3, nil)); err == nil {
		t.Error("a damaged file was edited")
	}
	if text, _ := os.ReadFile(p.SettingsPath()); string(text) != "{" {
		t.Errorf("it was changed to %s", text)
	}
}

// Commands that came with the repository run only when they are trusted.
func TestOnlySettingsThatGitTracksNeedTrust(t *testing.T) {
	root := repository(t)
	refused := errors.New("not trusted")
	env := turnstile.System()
	env.Trust = func(string, []byte) error { return refused }
	write(t, root, settingsFile, `{"_workflow":{}}`)
	if s, err := turnstile.Open(root, env).Project.Settings(); err != nil || s.Refused != nil {
		t.Errorf("the user's own: %v, %v", s.Refused, err)
	}
	git(t, root, "add", "-f", settingsFile)
	if s, err := turnstile.Open(root, env).Project.Settings(); err != nil || s.Refused != refused {
		t.Errorf("the repository's: %v, %v", s.Refused, err)
	}
}

// A linked worktree has the settings of the main one, also below its top.
func TestALinkedWorktreeHasTheSettingsOfTheMainOne(t *testing.T) {
	root := repository(t)
	write(t, root, "sub/"+settingsFile, `{"_workflow":{"automation_level":2}}`)
	tree := filepath.Join(t.TempDir(), "linked")
	git(t, root, "worktree", "add", "-q", tree)
	write(t, tree, "sub/a.txt", "x\n")
	d := turnstile.Open(filepath.Join(tree, "sub"), turnstile.System())
	if !os.SameFile(stat(t, d.Project.SettingsPath()), stat(t, filepath.Join(root, "sub", settingsFile))) {
		t.Errorf("the settings are at %s", d.Project.SettingsPath())
	}
	if d.Store().Dir() != filepath.Join(tree, "sub", ".claude") {
		t.Errorf("the drive is kept at %s", d.Store().Dir())
	}
}

// A user's own settings hold where the project's say nothing, and a relative path to
// them, which would lead into some project, is no path.
func TestSettingsOfTheUserAreBelowThoseOfTheProject(t *testing.T) {
	root, home := repository(t), t.TempDir()
	getenv := func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": "conf", "HOME": home}[name]
	}
	env := turnstile.System()
	env.UserSettings = turnstile.UserSettingsFile(getenv)
	p := &turnstile.Open(root, env).Project
	if s, err := p.Settings(); err != nil || s.Limits.Retries == 7 {
		t.Fatalf("without a file: %d retries, %v", s.Limits.Retries, err)
	}
	write(t, home, ".config/warp/settings.json", `{"level": 3, "max_retries_per_chunk": 7}`)
	write(t, root, settingsFile, `{"_workflow": {"level": 2}}`)
	if s, err := p.Settings(); err != nil || s.Level != 2 || s.Limits.Retries != 7 {
		t.Errorf("level %d, %d retries, %v", s.Level, s.Limits.Retries, err)
	}
}
