// Package learnings is warp learnings: what workflows, sessions and drives have learned.
package learnings

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/learning"
	"warp/internal/engine/lessons"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := a.WithJSON("print them as JSON", &cobra.Command{
		Use:   "learnings",
		Short: "Show what agents learned, search it, forget some: list, search, forget",
		Long: `Show what agents learned in this project (.claude/learnings.jsonl): in workflows,
sessions and drives.

Each iteration may leave a lesson: a pattern to follow, an antipattern to avoid, or
an insight. A repeated lesson is confirmed, not stored twice. Workflows show an agent
the lessons that fit its task, by files and words; a session's progress file begins
with the newest and the most often confirmed. Forget those that turned out wrong.`,
		Example: "  warp learnings\n  warp learnings search jwt\n  warp learnings forget 3f9a2c",
		RunE:    listing(a),
	})
	c.AddCommand(list(a), search(a), forget(a))
	return c
}

func listing(a *app.App) func(*cobra.Command, []string) error {
	return a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
		store := lessons.Open(d.Project.Home())
		book, err := store.Read()
		if err != nil {
			return err
		}
		if bad := book.Bad(); bad > 0 {
			a.Note("skipped lines of %s that are not learnings: %d", store.Path(), bad)
		}
		return show(a, learning.Search(book.Lessons(), strings.Join(args, " ")), len(args) > 0)
	})
}

func list(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use:     "list",
		Short:   "List them all, the newest first",
		Example: "  warp learnings list\n  warp learnings list --json | jq -r '.[] | select(.type == \"antipattern\") | .pattern'",
		RunE:    listing(a),
	})
}

func search(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use:     "search <word>...",
		Short:   "List learnings that contain all given words, or words that begin with them",
		Example: "  warp learnings search jwt secret\n  warp learnings search src/auth/jwt.ts",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return app.WrongUsage("expected words to look for; warp learnings lists all")
			}
			return nil
		},
		RunE: listing(a),
	})
}

type learningJSON struct {
	ID        string   `json:"id"`
	Timestamp string   `json:"timestamp"`
	Task      string   `json:"task"`
	Iteration int      `json:"iteration"`
	Type      string   `json:"type"`
	Lesson    string   `json:"lesson"`
	Pattern   string   `json:"pattern"`
	Context   string   `json:"context"`
	From      string   `json:"from"`
	Confirmed int      `json:"confirmed"`
	Workflow  string   `json:"workflow,omitempty"`
	Session   string   `json:"session,omitempty"`
	Stage     string   `json:"stage,omitempty"`
	Issue     string   `json:"issue,omitempty"`
	Files     []string `json:"files,omitempty"`
}

func show(a *app.App, found []learning.Learning, searched bool) error {
	out, rows := []learningJSON{}, [][]string{{"ID", "TYPE", "FROM", "CONFIRMED", "LESSON"}}
	for _, l := range found {
		out = append(out, learningJSON{l.ID(), l.Timestamp, l.Task, l.Iteration, l.Type, l.Lesson, l.Pattern, l.Context, l.LearnedBy(), l.Confirmed,
			l.Workflow, l.Session, l.Stage, l.Issue, l.Files})
		rows = append(rows, []string{l.ID(), l.Type, l.LearnedBy(), strconv.Itoa(l.Confirmed), l.Text()})
	}
	nothing := "No learnings yet."
	if searched {
		nothing = "No learning contains these words."
	}
	return app.ShowList(a, out, rows, nothing)
}

func forget(a *app.App) *cobra.Command {
	return a.WithJSON("print the id, and how often it was learned, as JSON", &cobra.Command{
		Use:   "forget <id>",
		Short: "Forget a lesson, however often it was learned",
		Long: `Forget a lesson, however often it was learned: later tasks do not see it, it
is removed from the progress files of new and resumed sessions, and an agent that
read it in an old one does not bring it back. A unique beginning of its id is enough.
No other line of .claude/learnings.jsonl changes.`,
		Example: "  warp learnings forget 3f9a2c",
		Args:    app.Exactly(1, "a learning's id"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			store := lessons.Open(d.Project.Home())
			book, err := store.Read()
			if err != nil {
				return err
			}
			id, err := completeID(book, args[0])
			if err != nil {
				return err
			}
			n, err := store.Forget(id)
			switch {
			case err != nil:
				return err
			case a.AsJSON:
				return a.JSON(map[string]any{"id": id, "forgotten": n})
			}
			a.Printf("forgotten: %s, learned %s\n", id, times(n))
			return nil
		}),
	})
}

// completeID returns the full ID for its beginning.
func completeID(book *learning.Book, id string) (string, error) {
	ids := book.Match(id)
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", app.WrongUsage("there is no learning %q; warp learnings lists them", strings.TrimSpace(id))
	}
	slices.Sort(ids)
	return "", app.WrongUsage("%q matches the ids of %d learnings: %s", id, len(ids), strings.Join(ids, ", "))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
