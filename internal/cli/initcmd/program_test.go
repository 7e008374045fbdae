package initcmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a dir")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self := func() (string, error) { return filepath.Join(dir, "warp"), nil }
	none := func(string) (string, error) { return "", exec.ErrNotFound }

	p, err := findProgram(func(string) (string, error) { return "/usr/bin/warp-hook", nil }, self)
	if err != nil || p.command != "warp-hook" || p.note != "" {
		t.Errorf("in PATH: %+v, %v", p, err)
	}
	if _, err := findProgram(none, self); err == nil || !strings.Contains(err.Error(), "make install") {
		t.Errorf("nowhere: %v", err)
	}
	if _, err := findProgram(none, func() (string, error) { return "", errors.New("no /proc") }); err == nil {
		t.Error("nowhere, and nobody knows where warp is: no error")
	}
	beside := filepath.Join(dir, "warp-hook")
	if err := os.WriteFile(beside, []byte("#!/bin/sh\necho \"ran $1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err = findProgram(none, self)
	if err != nil || p.path != beside || !strings.Contains(p.note, "works on this machine only") {
		t.Fatalf("beside: %+v, %v", p, err)
	}
	if !runsOurs(p.command + " Stop") {
		t.Errorf("%s is not known as ours", p.command)
	}
	if out, err := exec.Command("sh", "-c", p.command+" Stop").CombinedOutput(); err != nil || string(out) != "ran Stop\n" {
		t.Errorf("a shell makes of %s: %s %v", p.command, out, err)
	}
}

func TestRunsOurs(t *testing.T) {
	for command, want := range map[string]bool{
		"warp-hook Stop":                             true,
		"warp-hook":                                  true,
		"  warp-hook\tStop ":                         true,
		"/usr/local/bin/warp-hook Stop":              true,
		"'/opt/a b/warp-hook' Stop":                  true,
		`"/opt/a b/warp-hook" Stop`:                  true,
		`"$HOME"/go/bin/warp-hook Stop`:              true,
		`/opt/a\ b/warp-hook Stop`:                   true,
		`"C:\tools\warp-hook.exe" Stop`:              true,
		"warp hook Stop":                             true,
		"./bin/warp hook Stop":                       true,
		hookLine("warp-hook", "Stop", ""):            true,
		hookLine("'/a b/warp-hook'", "Stop", "$PWD"): true,
		"if command -v warp-hook >/dev/null 2>&1; then exec ./mine.sh; fi":            false,
		"if command -v my-hook >/dev/null 2>&1; then exec my-hook warp-hook Stop; fi": false,
		"":                                     false,
		"warp":                                 false,
		"warp status":                          false,
		"my-warp-hook Stop":                    false,
		"warp-hooks Stop":                      false,
		"echo warp-hook":                       false,
		"warp-hook Stop | tee log":             false,
		"warp-hook Stop; ./mine.sh":            false,
		"warp-hook Stop && ./mine.sh":          false,
		"warp-hook Stop > log":                 false,
		"$(which warp-hook) Stop":              false,
		"warp-hook 'unended":                   false,
		"node ./warp-hook/index.js":            false,
		`"$CLAUDE_PROJECT_DIR"/warp-hook/x.sh`: false,
	} {
		if got := runsOurs(command); got != want {
			t.Errorf("%q: ours %v, want %v", command, got, want)
		}
	}
}

func TestQuoteWord(t *testing.T) {
	for _, word := range []string{"a", "/usr/bin/x", "a b", "it's", "$HOME", "a\nb", "", "*", "~", "a=b", "ü"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quoteWord(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is spelled %s, which is %q to a shell (%v)", word, quoteWord(word), out, err)
		}
	}
}
