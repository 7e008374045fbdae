// Package issue is warp issue: reading, filing and changing issues on any tracker. It records
// which acceptance criteria were checked off, for the gate before docs_updated.
package issue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "issue",
		Short: "Work with issues: list, show, new, draft, lint, contract, edit, approve, check, criteria, close",
		Long: `Work with issues: list, show, new, draft, lint, contract, edit, approve, check, criteria, close, wherever they are: on GitHub, on Gitea, or as
Markdown files under .claude/issues. The setting forge says where; auto is
GitHub when origin is there (or on GH_HOST) and a token is found (GITHUB_TOKEN,
GH_TOKEN, or gh auth login), Gitea when origin is on the host of GITEA_URL and
GITEA_TOKEN is set, else the files.`,
	}
	c.AddCommand(list(a), show(a), file(a), draft(a), lint(a), contract(a), edit(a), approve(a), check(a), record(a), closing(a))
	return c
}

// onTracker turns a function on the project's tracker into a cobra command.
func onTracker(a *app.App, fn func(context.Context, forge.Tracker, []string) error) func(*cobra.Command, []string) error {
	return a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
		t, err := tracker.Open(ctx, a, d)
		if err != nil {
			return err
		}
		return fn(ctx, t, args)
	})
}

// maxText is the most bytes in an issue's text.
const maxText = 1 << 20

// readText reads the file a flag names, or standard input.
func readText(a *app.App, from string) (string, error) {
	var in io.Reader = a.In
	if from != "-" {
		f, err := os.Open(app.Path(a, from))
		if err != nil {
			return "", fmt.Errorf("reading the text for the issue: %w", err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err != nil {
		return "", fmt.Errorf("reading the text for the issue: %w", err)
	}
	if len(body) > maxText {
		return "", errors.New("reading the text for the issue: it is longer than a megabyte; shorten it")
	}
	return string(body), nil
}
