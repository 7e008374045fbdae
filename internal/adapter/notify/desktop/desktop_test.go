//go:build unix

package desktop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/adapter/notify/desktop"
)

// stub puts a program on the path that keeps its arguments, one on a line, and returns
// where.
func stub(t *testing.T, name, more string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "said")
	script := "#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done > " + file + "\n" + more + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	if name != "notify-send" { // a real one comes first
		t.Setenv("PATH", dir)
	}
	return file
}

func TestAMessageIsShownAsItIs(t *testing.T) {
	const evil = `$(touch /tmp/x) "; <b>bold</b> & ` + "`id`\x1b[2J"
	for name, want := range map[string]string{
		"notify-send": "--app-name=warp\n--urgency=critical\n--\nwarp: p\n$(touch /tmp/x) &#34;; &lt;b&gt;bold&lt;/b&gt; &amp; `id`",
		"osascript":   "-e\non run argv\n-e\ndisplay notification (item 2 of argv) with title (item 1 of argv)\n-e\nend run\nwarp: p\n$(touch /tmp/x) \"; <b>bold</b> & `id`",
	} {
		t.Run(name, func(t *testing.T) {
			file := stub(t, name, "")
			d := desktop.Find()
			if d == nil {
				t.Fatal("it was not found")
			}
			if err := d.Show(t.Context(), "warp: p", evil, true); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(got), want) || strings.Contains(string(got), "\x1b") {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestADesktopThatFails(t *testing.T) {
	stub(t, "notify-send", "exit 1")
	if err := desktop.Find().Show(t.Context(), "warp", "x", false); err == nil {
		t.Error("it failed")
	}
	t.Setenv("PATH", t.TempDir())
	if desktop.Find() != nil {
		t.Error("no program is there")
	}
}
