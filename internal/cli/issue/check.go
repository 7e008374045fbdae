package issue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// trackerTimeout is how long checking off waits for a tracker; the journal is what counts.
const trackerTimeout = 20 * time.Second

// checked is the result of checking criteria off.
type checked struct {
	Issue    string   `json:"issue"`
	Criteria []string `json:"criteria"`
	Checked  bool     `json:"checked"`
	Ticked   bool     `json:"ticked"` // in the tracker, too
	Note     string   `json:"note,omitempty"`
}

func check(a *app.App) *cobra.Command {
	var undo bool
	c := a.WithJSON("print what was done as JSON", &cobra.Command{
		Use:   "check <issue> <criterion>...",
		Short: "Record that acceptance criteria were checked off",
		Long: `Record in the journal that acceptance criteria of an issue were checked off, and
tick their boxes in the tracker. The gate ac_count_check reads the journal before
docs_updated; it requires exactly the criteria of the chunks done so far, including
the current one. An unknown issue or criterion is refused (exit 1). If the tracker
cannot be reached, the record counts anyway, and a note says that the box was not
ticked.`,
		Example: "  warp issue check 42 AC-01 AC-02\n  warp issue check --undo 42 AC-02",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return app.WrongUsage("expected an issue and at least one criterion")
			}
			args[0] = app.IssueName(args[0])
			for _, s := range args {
				if !text.ValidName(s) {
					return app.WrongUsage("%q: it must be %s", s, text.NameRule)
				}
			}
			return nil
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			r := checked{Issue: args[0], Criteria: args[1:], Checked: !undo}
			err := tick(ctx, a, d, r)
			if unknown := findUnknown(d, r, err); unknown != nil {
				return unknown
			}
			if e := d.Criteria.CheckOff(r.Issue, r.Criteria, r.Checked); e != nil {
				return e
			}
			if err != nil {
				r.Note = fmt.Sprintf("recorded, but no box was ticked in the tracker: %v", err)
			}
			r.Ticked = r.Note == ""
			return r.print(a)
		}),
	})
	c.Flags().BoolVar(&undo, "undo", false, "remove the check marks")
	return c
}

// unknownError refuses a criterion that the issue does not have.
type unknownError struct{ error }

// findUnknown returns an error if a criterion does not exist. Without the tracker, the recorded
// criteria decide.
func findUnknown(d *turnstile.Drive, r checked, err error) error {
	if err == nil || app.IsA[*unknownError](err) {
		return err
	}
	v, bad := d.Read()
	if bad != nil || len(v.State.Criteria[r.Issue]) == 0 {
		return nil
	}
	for _, id := range r.Criteria {
		if !slices.ContainsFunc(v.State.Criteria[r.Issue], func(c drivestate.Criterion) bool { return c.ID == id }) {
			return fmt.Errorf("nothing was recorded: the recorded criteria of issue %s do not include %s", r.Issue, id)
		}
	}
	return nil
}

// tick ticks the boxes in the tracker.
func tick(ctx context.Context, a *app.App, d *turnstile.Drive, r checked) error {
	n := app.IssueNumber(r.Issue)
	if n == 0 {
		return checkNamed(ctx, a, d, r)
	}
	ctx, cancel := context.WithTimeout(ctx, trackerTimeout)
	defer cancel()
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return err
	}
	err = t.Edit(ctx, n, func(body string) (string, error) { return setBoxes(body, r) })
	if forge.Is(err, forge.NotFound) {
		return &unknownError{fmt.Errorf("nothing was recorded: %w", err)}
	}
	return err
}

// checkNamed looks up the criteria of an issue that is a named file; only its owner ticks its
// boxes.
func checkNamed(ctx context.Context, a *app.App, d *turnstile.Drive, r checked) error {
	_, body, err := readIssue(ctx, a, d, "", r.Issue)
	if err != nil {
		return &unknownError{fmt.Errorf("nothing was recorded: there is no issue %q: %w", r.Issue, err)}
	}
	if _, err := setBoxes(body, r); err != nil {
		return err
	}
	return fmt.Errorf("%q is not an issue number", r.Issue)
}

// setBoxes ticks the boxes in an issue's text, or clears them.
func setBoxes(body string, r checked) (string, error) {
	for _, id := range r.Criteria {
		next, err := criteria.Check(body, id, r.Checked)
		if err != nil {
			return "", &unknownError{fmt.Errorf("nothing was recorded: issue %s: %w", r.Issue, err)}
		}
		body = next
	}
	return body, nil
}

func (r checked) print(a *app.App) error {
	return a.Show(r, func() {
		word := "checked off"
		if !r.Checked {
			word = "no longer checked off"
		}
		if r.Note != "" {
			a.Note("%s", r.Note)
		}
		a.Printf("%s in #%s: %s\n", word, r.Issue, strings.Join(r.Criteria, ", "))
	})
}
