package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"warp/internal/testkit/need"
)

// written is a share folder.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := writeShare(dir, release{"v1.2.3", "2026-01-02"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What warp-net adds is in the pages as well: warp itself knows only the names of those
// commands.
func TestEveryCommandHasAPage(t *testing.T) {
	dir := written(t)
	top := read(t, dir, "man/man1/warp.1")
	for _, name := range []string{"warp\\-drive", "warp\\-status", "warp\\-completion"} {
		if !strings.Contains(top, ".TP\n\\fB"+name+"\\fR(1)\n") {
			t.Errorf("warp.1 does not name %s", name)
		}
	}
	drive := read(t, dir, "man/man1/warp-drive.1")
	for _, part := range []string{`.TH WARP\-DRIVE 1 "2026-01-02" "warp v1.2.3" "Warp Drive"`, `\fB\-\-max\-cost\fR \fIdollars\fR`, `\fB\-\-sandbox\fR`, "  warp drive 42\n", "\\fBwarp\\fR(1)\n"} {
		if !strings.Contains(drive, part) {
			t.Errorf("%q is missing in warp-drive.1:\n%s", part, drive)
		}
	}
	if up := read(t, dir, "man/man1/warp-fleet-up.1"); !strings.Contains(up, "\\fB\\-\\-workers\\fR") || !strings.Contains(up, "\\fBwarp\\-fleet\\fR(1)\n") {
		t.Error(up)
	}
	if new := read(t, dir, "man/man1/warp-issue-new.1"); !strings.Contains(new, "\\fBwarp issue new\\fR") {
		t.Error(new)
	}
	if strings.Contains(top, "demo\\-run") || exec.Command("test", "-e", filepath.Join(dir, "man/man1/warp-agent-demo-run.1")).Run() == nil {
		t.Error("a hidden command has a page")
	}
}

func TestTextIsNotReadAsTroff(t *testing.T) {
	c := &cobra.Command{
		Use: "x <a>", Short: `a\b - c`,
		Long:    ".claude is\n'quoted' and\nmore…\n\n  .one\n  two\n\nend",
		Example: "\tx --flag\n.SH no",
	}
	c.Flags().StringP("to", "t", ".claude", "the `folder`")
	const want = `.\" Generated from the commands of warp.
.TH X 1 "d" "warp v" "Warp Drive"
.SH NAME
x \- a\eb \- c
.SH SYNOPSIS
\fBx\fR <a> [flags]
.SH DESCRIPTION
\&.claude is
\&'quoted' and
more\[u2026]
.PP
.nf
  .one
  two
.fi
.PP
end
.SH OPTIONS
.TP
\fB\-t\fR, \fB\-\-to\fR \fIfolder\fR
the folder (default .claude)
.SH EXAMPLES
.nf
    x \-\-flag
\&.SH no
.fi
`
	if got := manualPage(c, release{"v", "d"}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMandocFindsNothingWrong(t *testing.T) {
	mandoc := need.Tool(t, "mandoc")
	pages, err := filepath.Glob(filepath.Join(written(t), "man/man1/*.1"))
	if err != nil || len(pages) < 50 {
		t.Fatal(len(pages), err)
	}
	if out, err := exec.Command(mandoc, append([]string{"-T", "lint", "-W", "warning"}, pages...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The shells load what was written for them, and know then how to complete warp.
func TestShellsLoadTheCompletions(t *testing.T) {
	dir := written(t)
	for _, c := range []struct{ shell, line, want string }{
		{"bash", `bash --norc -c '. bash-completion/completions/warp && complete -p warp'`, "-F __start_warp warp"},
		{"zsh", `zsh -f -c 'fpath=($PWD/zsh/site-functions $fpath); autoload -U compinit && compinit -D -u && echo $_comps[warp]'`, "_warp"},
		{"bash", `bash --norc -c '. bash-completion/completions/warp-fleet && complete -p warp-fleet'`, "-F __start_warp-fleet warp-fleet"},
		{"zsh", `zsh -f -c 'fpath=($PWD/zsh/site-functions $fpath); autoload -U compinit && compinit -D -u && echo $_comps[warp-fleet]'`, "_warp-fleet"},
		{"fish", `fish --no-config -c 'source fish/vendor_completions.d/warp.fish; complete -c warp'`, "__warp_prepare_completions"},
	} {
		t.Run(c.shell, func(t *testing.T) {
			need.Tool(t, c.shell)
			cmd := exec.Command("sh", "-c", c.line)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
