//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
)

func TestSomebodyWhoLeavesIsUnderstood(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for prompt, leaves := range map[string]bool{
		"brb, keep working":                              true,
		"BRB — keep going":                               true,
		"Be right back. Carry on!":                       true,
		"gotta go, keep at it":                           true,
		"I'm off to lunch, carry on":                     true,
		"stepping out for an hour; don't wait for me":    true,
		"I’ll be away, go on without me":                 true,
		"good night, keep working":                       true,
		"going afk":                                      true,
		"I’m going to grab lunch, keep going":            true,
		"I'm stepping away":                              true,
		"afk for an hour":                                true,
		"I'm afk":                                        true,
		"I'll be away from my desk for a while":          true,
		"heading out for lunch, continue working":        true,
		"back in an hour, just finish this":              true,
		"have to leave now, carry on":                    true,
		"the afk test fails, fix it":                     false,
		"step away from the old parser and continue":     false,
		"I'm afk, don't do anything":                     false,
		"document the word afk for users":                false,
		"brb, do not continue":                           false,
		"keep working":                                   false,
		"brb":                                            false,
		"brb, wait for me":                               false,
		"put it back in and keep going":                  false,
		"grab the logs and keep going":                   false,
		"don't keep going while I'm at lunch":            false,
		"what does brb mean, and should I keep working?": false,
		"rename brbuffer and keep working":               false,
	} {
		p.write(".claude/settings.local.json", `{"_rdb":{"chat":"1"}}`)
		a := p.hook("UserPromptSubmit", payload{"prompt": prompt})
		if on := strings.Contains(a.Out, "remote mode is on"); on != leaves {
			t.Errorf("%q: %v", prompt, on)
		}
	}
}

// A section without a way to a person is none: questions would go nowhere.
func TestRemoteModeNeedsAChannel(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for settings, on := range map[string]bool{
		`{"_rdb":{}}`:                                false,
		`{"_rdb":{"enabled":false}}`:                 false,
		`{"_rdb":{"api_base":"http://localhost:1"}}`: false,
		`{"_rdb":{"webhook":"","chat":0}}`:           false,
		`{"_rdb":[]}`:                                false,
		`{}`:                                         false,
		`{"_rdb":{"chat":42}}`:                       true,
		`{"_rdb":{"enabled":false,"ntfy":"https://example.invalid/x"}}`: true,
		`{"_rdb":{"webhook":"https://example.invalid/x"}}`:              true,
	} {
		p.write(".claude/settings.local.json", settings)
		a := p.hook("UserPromptSubmit", payload{"prompt": "brb, keep working"})
		cfg, _ := p.drive.Project.Settings() // some are broken on purpose
		if cfg.Remote != on || strings.Contains(a.Out, "remote mode is on") != on {
			t.Errorf("%s: %v, %s", settings, cfg.Remote, a.Out)
		}
	}
}

// An empty file was left once, which is no settings for the agent.
func TestRemoteModeMakesNoSettings(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.hook("UserPromptSubmit", payload{"prompt": "brb, keep working"})
	if text, err := os.ReadFile(filepath.Join(p.root, ".claude/settings.local.json")); !os.IsNotExist(err) {
		t.Errorf("%q, %v", text, err)
	}
}
