// Share writes the man pages and completions of warp and warp-fleet to the folders below a share
// folder where man and the shells look for them. They are generated from the commands, so they
// cannot be stale and are not kept in the repository.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/fleetcmd"
	"warp/internal/cli/netcommands"
	"warp/internal/cli/uicommands"
)

func main() {
	version := flag.String("version", "dev", "the release")
	epoch := flag.Int64("epoch", 0, "its time, in seconds since 1970")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: share [-version V] [-epoch SECONDS] FOLDER")
		os.Exit(2)
	}
	r := release{*version, time.Unix(*epoch, 0).UTC().Format(time.DateOnly)}
	if err := writeShare(flag.Arg(0), r); err != nil {
		fmt.Fprintln(os.Stderr, "man pages and completions are not installed:", err)
		os.Exit(1)
	}
}

// shells lists where each shell looks for completions, and how to generate them.
var shells = []struct {
	file  string
	write func(*cobra.Command, io.Writer) error
}{
	{"bash-completion/completions/%s", func(c *cobra.Command, w io.Writer) error { return c.GenBashCompletionV2(w, true) }},
	{"zsh/site-functions/_%s", (*cobra.Command).GenZshCompletion},
	{"fish/vendor_completions.d/%s.fish", func(c *cobra.Command, w io.Writer) error { return c.GenFishCompletion(w, true) }},
	{"powershell/%s.ps1", (*cobra.Command).GenPowerShellCompletionWithDesc},
}

func writeShare(dir string, r release) error {
	root := cli.Tree(&app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}, slices.Concat(netcommands.Commands, uicommands.Commands)...)
	for _, program := range []*cobra.Command{root, fleetcmd.Tree()} {
		for _, s := range shells {
			var b bytes.Buffer
			if err := s.write(program, &b); err != nil {
				return err
			}
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(fmt.Sprintf(s.file, program.Name()))), b.Bytes()); err != nil {
				return err
			}
		}
		if err := writePages(filepath.Join(dir, "man", "man1"), program, r); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes the page of a command and those of its subcommands.
func writePages(dir string, c *cobra.Command, r release) error {
	if err := writeFile(filepath.Join(dir, pageName(c)+".1"), []byte(manualPage(c, r))); err != nil {
		return err
	}
	for _, sub := range documented(c) {
		if err := writePages(dir, sub, r); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
