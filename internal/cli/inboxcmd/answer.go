package inboxcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/questions"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// Answer returns warp answer.
func Answer(a *app.App) *cobra.Command {
	var other bool
	c := &cobra.Command{
		Use:   "answer <id> <choice>",
		Short: "Answer a question of the inbox, or change an answer",
		Long: `Answer a question of the inbox: with an option, its number, or a beginning that only
one option has. If there are options, your own words need --other.

Until an answer is used it can be changed, from anywhere; after that, this says when and
by what it was used (exit 1).

This is a person's decision: it is refused inside an agent's session while a drive
is active.`,
		Example: "  warp answer q7 2\n  warp answer q7 sqlite\n  warp answer q7 --other \"neither: keep it in memory\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			desk, err := Desk(a, d)
			if err != nil {
				return err
			}
			said := strings.Join(args[1:], " ")
			if other {
				said = questions.InOwnWords(said)
			}
			item, err := desk.Answer(args[0], said, "warp answer")
			if err != nil {
				return explainRefusal(a, err)
			}
			if item.Was != "" {
				a.Printf("%s: changed from %s to %s\n", item.ID, render.Printable(item.Was), render.Printable(item.Answer))
			} else {
				a.Printf("%s: %s\n", item.ID, render.Printable(item.Answer))
			}
			switch {
			case item.Defaulted != "":
				a.Note("the default (%s) was already taken; your answer counts when the item is picked up again", render.Printable(item.Default))
			case item.Late:
				a.Note("it came after the deadline; it counts when the item is picked up again")
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&other, "other", false, "accept your own words even if they match no option")
	return c
}

// explainRefusal maps errors that the user can fix to their exit codes.
func explainRefusal(a *app.App, err error) error {
	var used *questions.UsedError
	switch {
	case errors.As(err, &used):
		i := used.Item
		return fmt.Errorf("%s was answered by %s (%s), and used by %s at %s: too late to change it", i.ID, i.AnsweredBy, i.Answer, i.TakenBy, localTime(i.TakenAt, a.Env.Now()))
	case app.IsA[*questions.OptionError](err):
		return app.WrongUsage("%w, or give --other for your own words", err)
	case app.IsA[*questions.UnknownError](err):
		return &app.UsageError{Err: err}
	}
	return err
}
