// Package democmd is warp demo: a whole drive in a throw-away repository, run by the real
// engine. Only the agent is a script: it needs no model, key or network.
package democmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/drivecmd"
	core "warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// issue is the number of the only issue.
const issue = "1"

// New returns the command.
func New(a *app.App) *cobra.Command {
	var keep, misbehave string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Drive an issue to merged in a throw-away repository, without a model or network",
		Long: `Drive an issue to merged in a throw-away repository, as warp drive does: five
criteria in two chunks, a test of each that fails before the work and passes on it,
commits, reports, merge.
Only the agent is a script, so no model, key or network is needed. Afterwards warp
checks that commits, boxes, reports and evidence agree.

--misbehave shows how warp handles an agent that cannot be trusted:

` + list() + `
The repository stays for you to look at; the last line says how to remove it.

Exit codes: 0 as expected: the work is merged, or the misbehaving agent was
stopped; 1 not as expected; 2 the folder is in use; 130 interrupted.`,
		Example: "  warp demo\n  warp demo --misbehave liar\n  warp demo --keep /tmp/look",
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			w, err := wayOf(misbehave)
			if err != nil {
				return &app.UsageError{Err: err}
			}
			if err := agentcmd.CheckDemo(a); err != nil {
				return err
			}
			root, err := folder(keep)
			if err != nil {
				return err
			}
			return show(ctx, a, root, w)
		}),
	}
	c.Flags().StringVar(&keep, "keep", "", "make the repository in this folder, which must be new or empty")
	c.Flags().StringVar(&misbehave, "misbehave", "", "how the agent misbehaves")
	return c
}

// folder creates the folder of the repository.
func folder(keep string) (string, error) {
	const doing = "making a folder for the demo"
	if keep == "" {
		dir, err := os.MkdirTemp("", "warp-demo-")
		if err != nil {
			return "", fmt.Errorf("%s: %w", doing, err)
		}
		return filepath.EvalSymlinks(dir)
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	entries, err := os.ReadDir(keep)
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	if len(entries) > 0 {
		return "", app.WrongUsage("--keep %q: the folder is not empty; the demo writes and commits in it, so name a new one", keep)
	}
	return filepath.Abs(keep)
}

func show(ctx context.Context, a *app.App, root string, w way) error {
	there := *a
	there.Dir = root
	d := turnstile.Open(root, a.Env)
	a.Printf("A throw-away repository: shell functions, their tests, and an issue with five criteria.\n")
	a.Printf("The agent is a script; everything else is what warp drive does.\n\n")
	t, err := prepare(ctx, &there, d, w)
	if err != nil {
		return fmt.Errorf("making the repository of the demo: %w", err)
	}
	ran := drivecmd.Run(ctx, &there, d, issue, "demo", w.switches)
	if code := app.Code(ran); code == app.Interrupt || code == app.Failed && app.Message(ran) != "" {
		return ran
	}
	r, err := feed.Read(d, a.Env)
	if err != nil {
		return err
	}
	account := r.Book.Account(issue)
	a.Printf("\n")
	if w.did != "" {
		a.Printf("The agent %s.\nwarp %s.\n\n", w.did, w.answered(account))
	}
	wrong := append(w.unexpected(account.Outcome), disagreements(ctx, root, t, account)...)
	for _, text := range wrong {
		a.Printf("wrong: %s\n", text)
	}
	if len(wrong) == 0 {
		a.Printf("Checked: git log, the issue's boxes, the reports and the evidence agree: %s.\n\n", counted(account))
	}
	printNextSteps(a, root)
	if len(wrong) > 0 {
		return fmt.Errorf("the demo did not end as expected: %s", wrong[0])
	}
	return nil
}

func counted(account core.Account) string {
	commits := 0
	for _, c := range account.Commits {
		if !c.WIP {
			commits++
		}
	}
	return fmt.Sprintf("%d of %d criteria, %s, %s", account.Good(), len(account.Criteria), text.Count(commits, "commit"), text.Count(len(reports(account)), "report"))
}

// printNextSteps prints where to look next.
func printNextSteps(a *app.App, root string) {
	warp := "warp"
	if _, err := exec.LookPath(warp); err != nil {
		if self, err := os.Executable(); err == nil {
			warp = filepath.Join(filepath.Dir(self), warp)
		}
	}
	a.Printf("Look at it:\n")
	for _, l := range [][2]string{
		{"cd " + quotePath(root), ""},
		{"git log --stat", "the commits, each with its criteria"},
		{warp + " evidence " + issue, "the evidence for each criterion"},
		{warp + " log", "every phase it went through"},
		{"cat .claude/issues/*.md", "the issue, its reports, the summary"},
		{"rm -rf " + quotePath(root), "removes it"},
	} {
		a.Printf("%s\n", strings.TrimRight(fmt.Sprintf("  %-24s %s", l[0], l[1]), " "))
	}
}

func quotePath(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return strings.ContainsRune(" \t\n'\"\\$&;|<>()*?[]#~`!", r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
