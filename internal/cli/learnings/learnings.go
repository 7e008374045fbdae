// Package learnings is warp learnings: what workflows have learned.
package learnings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/workflow"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// file is where they stand, from the project's root.
const file = ".claude/" + workflow.LearningsFile

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "learnings",
		Short: "Show what workflows have learned, search it, forget some: list, search, forget",
		Long: `Show what workflows have learned in this project, .claude/learnings.jsonl.

Each iteration of a task may leave a lesson: a pattern to follow, an antipattern to
avoid, or an insight. Those that fit a later task, by its files and words, are put
before the agent that does it, in this workflow and in the next ones. What turned
out wrong is better forgotten.`,
		Example: "  warp learnings\n  warp learnings search jwt\n  warp learnings forget 3f9a2c",
		Args:    cobra.NoArgs,
		RunE:    listing(a, &asJSON),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	c.AddCommand(list(a), search(a), forget(a))
	return c
}

func listing(a *app.App, asJSON *bool) func(*cobra.Command, []string) error {
	return a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
		text, err := d.Project.Home().ReadFile(file)
		if err != nil {
			return err
		}
		all, bad := workflow.ReadLearnings(text)
		if bad > 0 {
			a.Notes([]string{fmt.Sprintf("lines of %s that are no learnings, and were passed over: %d", file, bad)})
		}
		return show(a, workflow.Search(all, strings.Join(args, " ")), len(args) > 0, *asJSON)
	})
}

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List them all, the newest first",
		Example: "  warp learnings list\n  warp learnings list --json | jq -r '.[] | select(.type == \"antipattern\") | .pattern'",
		Args:    cobra.NoArgs,
		RunE:    listing(a, &asJSON),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

func search(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "search <word>...",
		Short:   "List those that hold all of some words, or words that begin so",
		Example: "  warp learnings search jwt secret\n  warp learnings search src/auth/jwt.ts",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return &app.UsageError{Err: errors.New("expected words to look for; warp learnings lists all")}
			}
			return nil
		},
		RunE: listing(a, &asJSON),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

// shown is a learning as --json prints it.
type shown struct {
	ID        string   `json:"id"`
	Timestamp string   `json:"timestamp"`
	Task      string   `json:"task"`
	Iteration int      `json:"iteration"`
	Type      string   `json:"type"`
	Lesson    string   `json:"lesson"`
	Pattern   string   `json:"pattern"`
	Context   string   `json:"context"`
	Workflow  string   `json:"workflow,omitempty"`
	Files     []string `json:"files,omitempty"`
}

func show(a *app.App, found []workflow.Learning, searched, asJSON bool) error {
	out, rows := []shown{}, [][]string{{"ID", "TYPE", "TASK", "LESSON"}}
	for _, l := range found {
		out = append(out, shown{l.ID(), l.Timestamp, l.Task, l.Iteration, l.Type, l.Lesson, l.Pattern, l.Context, l.Workflow, l.Files})
		rows = append(rows, []string{l.ID(), l.Type, l.Task, said(l)})
	}
	switch {
	case asJSON:
		return a.JSON(out)
	case len(out) > 0:
		render.Table(a.Out, rows)
	case searched:
		a.Printf("No learning holds these words.\n")
	default:
		a.Printf("Nothing was learned yet.\n")
	}
	return nil
}

// said is a lesson in one line.
func said(l workflow.Learning) string {
	text := l.Lesson
	if text != "" && l.Pattern != "" {
		text += " -> "
	}
	return strings.Join(strings.Fields(text+l.Pattern), " ")
}

func forget(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "forget <id>",
		Short: "Forget a lesson, however often it was learned",
		Long: `Forget a lesson, however often it was learned: no later task is told it. The
beginning of its id is enough where no other begins so. Every other line of
.claude/learnings.jsonl stays as it is.`,
		Example: "  warp learnings forget 3f9a2c",
		Args:    app.Exactly(1, "a learning's id"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			text, err := d.Project.Home().ReadFile(file)
			if err != nil {
				return err
			}
			id, err := meant(text, args[0])
			if err != nil {
				return err
			}
			n := 0
			err = d.Project.Home().EditFile(file, func(text []byte) ([]byte, error) {
				text, n = without(text, id)
				return text, nil
			})
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.JSON(map[string]any{"id": id, "forgotten": n})
			}
			a.Printf("forgotten: %s, learned %s\n", id, times(n))
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the id, and how often it was learned, as JSON")
	return c
}

// meant is the whole id that its beginning stands for.
func meant(text []byte, id string) (string, error) {
	all, _ := workflow.ReadLearnings(text)
	id = strings.ToLower(strings.TrimSpace(id))
	var ids []string
	for _, l := range all {
		if id != "" && strings.HasPrefix(l.ID(), id) && !slices.Contains(ids, l.ID()) {
			ids = append(ids, l.ID())
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", &app.UsageError{Err: fmt.Errorf("there is no learning %q; warp learnings lists them", id)}
	}
	return "", &app.UsageError{Err: fmt.Errorf("%q begins the ids of %d learnings: %s", id, len(ids), strings.Join(ids, ", "))}
}

// without leaves out the lines of a learning. Lines that are none stay.
func without(text []byte, id string) (kept []byte, n int) {
	for line := range bytes.Lines(text) {
		one, _ := workflow.ReadLearnings(line)
		if _, gone := workflow.Forget(one, id); gone > 0 {
			n++
			continue
		}
		kept = append(kept, line...)
	}
	return kept, n
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
