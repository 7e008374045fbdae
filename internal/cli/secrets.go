package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/leak"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func newSecretsCommand(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "secrets",
		Short: "Show secrets kept out of commits, and allow false positives",
		Long: `Show the secrets kept out of this project's commits: file, line and rule, never the
value.

warp scans every commit before it makes it: for what looks like a key or a token,
and for the values of secret variables of the environment and of .env files. A hit
sends the work back to its agent. What was already in the repository is not refused.`,
		Example: `  warp secrets                       what was refused, and what is allowed
  warp secrets allow 3f2a9c1b77aa    not a secret: allow this value in this file
  warp secrets forbid 3f2a9c1b77aa   revoke that`,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			list, err := ledger(a).Entries(project(d))
			if err != nil {
				return err
			}
			return show(a, list)
		}),
	}
	c.PersistentFlags().BoolVar(&a.AsJSON, "json", false, "print the result as JSON")
	decide := func(use, short string, fn func(*leak.Ledger, string, string) ([]leak.Entry, error)) {
		c.AddCommand(&cobra.Command{
			Use: use + " <id>...", Short: short, Args: cobra.MinimumNArgs(1),
			RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, ids []string) error {
				var all []leak.Entry
				for _, id := range ids {
					list, err := fn(ledger(a), project(d), id)
					if err != nil {
						return err
					}
					all = append(all, list...)
				}
				return show(a, all)
			}),
		})
	}
	decide("allow", "Allow a value in a file that is not a secret", (*leak.Ledger).Allow)
	decide("forbid", "Revoke an allowed value", (*leak.Ledger).Forbid)
	return c
}

func ledger(a *app.App) *leak.Ledger { return leak.OpenLedger(a.Getenv, a.Env.Now, a.Env.PID) }

// project names the project for all its work trees, as the scanner does.
func project(d *turnstile.Drive) string { return filepath.Dir(d.Project.Home().Dir()) }

// row is an entry of the output.
type row struct {
	ID string `json:"id"`
	leak.Entry
}

func show(a *app.App, list []leak.Entry) error {
	rows := []row{}
	for _, e := range list {
		rows = append(rows, row{e.Hit().ID(), e})
	}
	return a.Show(struct {
		Secrets []row `json:"secrets"`
	}{rows}, func() {
		if len(rows) == 0 {
			a.Printf("no secrets were found in this project's commits\n")
		}
		for _, r := range rows {
			status := "refused"
			if r.Allowed != "" {
				status = "allowed"
			}
			a.Printf("%s  %s  %s\n", r.ID, status, render.Printable(r.Hit().String()))
		}
	})
}
