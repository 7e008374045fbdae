// Package inboxcmd is warp inbox and warp answer: the decisions that wait for a
// person.
package inboxcmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/questions"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// shown is an item as --json prints it.
type shown struct {
	ID       string   `json:"id"`
	State    string   `json:"state"`
	AskedAt  string   `json:"asked_at"`
	AskedBy  string   `json:"asked_by"`
	Issue    string   `json:"issue,omitempty"`
	Chunk    int      `json:"chunk,omitempty"`
	Question string   `json:"question"`
	Context  string   `json:"context,omitempty"`
	Options  []string `json:"options,omitempty"`
	Default  string   `json:"default,omitempty"`
	Deadline string   `json:"deadline"`
	Answer   string   `json:"answer,omitempty"`
	By       string   `json:"answered_by,omitempty"`
	Late     bool     `json:"late,omitempty"`
}

// New makes warp inbox.
func New(a *app.App) *cobra.Command {
	var asJSON, all bool
	c := &cobra.Command{
		Use:   "inbox",
		Short: "List decisions that wait for a person",
		Long: `List decisions that wait for a person: what the engine, an agent or a gate asks, the
deadline, and the options. Answer one with warp answer.

A question past its deadline is overdue: a todo was filed for it, or the agent
continued without an answer. You can still answer it; the answer is kept, and counts
when its item is picked up again. --all also shows answered questions.`,
		Example: "  warp inbox\n  warp inbox --json | jq -r '.[].id'\n  warp answer q7 2",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			desk, err := Desk(a, d)
			if err != nil {
				return err
			}
			book, err := desk.Book()
			if err != nil {
				return err
			}
			items := book.Pending()
			if all {
				items = book.Items
			}
			return list(a, items, asJSON, all)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	c.Flags().BoolVar(&all, "all", false, "also show answered questions")
	return c
}

func list(a *app.App, items []questions.Item, asJSON, all bool) error {
	now := a.Env.Now()
	if asJSON {
		out := []shown{}
		for _, i := range items {
			out = append(out, shown{i.ID, i.State(now), i.AskedAt, i.AskedBy, i.Issue, i.Chunk, i.Question, i.Context, i.Options, i.Default, i.Deadline, i.Answer, i.AnsweredBy, i.Late})
		}
		return a.JSON(out)
	}
	if len(items) == 0 {
		a.Printf("Nothing waits for an answer.\n")
		return nil
	}
	for _, i := range items {
		about := i.AskedBy
		if i.Issue != "" {
			about += ", #" + i.Issue
		}
		a.Printf("%s  %s (%s, %s)\n", i.ID, render.Printable(i.Question), render.Printable(about), i.State(now))
		for n, o := range i.Options {
			mark := ""
			if o == i.Default {
				mark = " (default)"
			}
			a.Printf("    %d. %s%s\n", n+1, render.Printable(o), mark)
		}
		if i.Answered() {
			a.Printf("    -> %s, by %s\n", render.Printable(i.Answer), render.Printable(i.AnsweredBy))
		} else {
			a.Printf("    until %s: warp answer %s …\n", render.Seconds(i.Deadline), i.ID)
		}
	}
	return nil
}

// Answer makes warp answer.
func Answer(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "answer <id> <choice>",
		Short: "Answer a question of the inbox",
		Long: `Answer a question of the inbox: with an option, its number, or your own words. The
first answer wins, wherever it comes from; a second one is refused (exit 11), and
the refusal shows the first.

This is a person's decision: it is refused inside an agent's session while a drive
is active.`,
		Example: "  warp answer q7 2\n  warp answer q7 sqlite\n  warp answer q7 \"neither: keep it in memory\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			desk, err := Desk(a, d)
			if err != nil {
				return err
			}
			item, err := desk.Answer(args[0], strings.Join(args[1:], " "), "warp answer")
			if err != nil {
				return refused(a, err)
			}
			a.Printf("%s: %s\n", item.ID, render.Printable(item.Answer))
			if item.Late {
				a.Notes([]string{"it came after the deadline; it counts when the item is picked up again"})
			}
			return nil
		}),
	}
}

// refused maps errors that the user can fix to their exit codes.
func refused(a *app.App, err error) error {
	var faster *questions.AnsweredError
	var unknown *questions.UnknownError
	switch {
	case errors.As(err, &faster):
		a.Notes([]string{err.Error()})
		return &app.Silent{Code: app.Locked}
	case errors.As(err, &unknown):
		return &app.UsageError{Err: err}
	}
	return err
}
