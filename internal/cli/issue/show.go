package issue

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/ui/render"
)

func show(a *app.App) *cobra.Command {
	return a.WithJSON("print the issue as JSON", &cobra.Command{
		Use:   "show <issue>",
		Short: "Show an issue with its comments",
		Long: `Show an issue with its comments, and the test changes that its criteria allow
(allow-test-change: PATH). Control characters and hidden Unicode in its texts are
shown, not obeyed. --json gives the texts as they are.`,
		Example: "  warp issue show 42\n  warp issue show 42 --json | jq -r .body",
		Args:    app.IssueNumbers(1, 1),
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			i, err := t.Get(ctx, app.IssueNumber(args[0]))
			if err != nil {
				return err
			}
			return a.Show(i, func() { Show(a, i) })
		}),
	})
}

// Show prints an issue with its comments.
func Show(a *app.App, i forge.Issue) {
	state := "open"
	if !i.Open {
		state = "closed"
	}
	a.Printf("#%d %s\n", i.Number, text.VisibleLine(i.Title))
	for _, f := range [][2]string{
		{"State", state}, {"Labels", strings.Join(i.Labels, ", ")}, {"Author", i.Author}, {"Approved by", i.ApprovedBy}, {"URL", i.URL},
	} {
		if f[0] == "Approved by" && i.NotApproved != "" {
			f[1] = "no one: " + i.NotApproved
		}
		a.Printf("%s: %s\n", f[0], cmp.Or(text.VisibleLine(f[1]), "-"))
	}
	list, _ := criteria.Parse(i.Body) // a drive refuses duplicate names
	for _, c := range list {
		for _, path := range criteria.AllowedTestChanges([]string{c.Text}) {
			a.Printf("Allows test changes: %s (%s)\n", text.VisibleLine(path), c.ID)
		}
	}
	if i.Body != "" {
		a.Printf("\n%s\n", strings.TrimRight(text.Visible(i.Body), "\n"))
	}
	for _, c := range i.Comments {
		a.Printf("\n--- %s, %s\n%s\n", text.VisibleLine(c.Author), render.Seconds(c.At.Format(time.RFC3339)), strings.TrimRight(text.Visible(c.Body), "\n"))
	}
}
