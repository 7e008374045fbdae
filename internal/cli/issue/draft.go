package issue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/prompt"
	"warp/internal/turnstile"
)

// Bounds of a draft, since an agent may return anything.
const (
	maxTitle    = 100
	maxCriteria = 20
	maxWish     = 20_000
	draftTime   = 10 * time.Minute
	draftIdle   = 5 * time.Minute
)

func draft(a *app.App) *cobra.Command {
	var who string
	c := a.WithJSON("print the issue as JSON", &cobra.Command{
		Use:   "draft <description | ->",
		Short: "Have an agent write an issue with acceptance criteria, for you to approve",
		Long: `Have an agent write an issue: it reads the project, changes nothing, and writes title,
description and acceptance criteria. warp files it with the labels req and draft, and
shows it with what warp issue lint finds. Nothing is driven before you approve it.
With - the description is read from stdin.`,
		Example: "  warp issue draft \"the export should also do CSV\"\n  warp issue draft - < mail.txt",
		Args:    app.Exactly(1, "one description (in quotes), or - to read it from stdin"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			wish, err := readWish(a, args[0])
			if err != nil {
				return err
			}
			t, err := tracker.Open(ctx, a, d)
			if err != nil {
				return err
			}
			i, err := Draft(ctx, a, d, t, who, wish)
			if err != nil {
				return err
			}
			if a.AsJSON {
				return a.JSON(i)
			}
			Show(a, i)
			a.Printf("\n")
			if _, err := Check(ctx, a, t, i); err != nil {
				return err
			}
			a.Printf("\nNext: warp issue approve %d, or change it first: warp issue edit %d\n", i.Number, i.Number)
			return nil
		}),
	})
	c.Flags().StringVar(&who, "agent", "", "the agent; default: as configured")
	return c
}

func readWish(a *app.App, wish string) (_ string, err error) {
	if wish == "-" {
		if wish, err = readText(a, "-"); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(wish) == "" {
		return "", app.WrongUsage("the description is empty: say in a sentence what is wanted")
	}
	return wish, nil
}

// Draft lets an agent write an issue, and files it unapproved.
func Draft(ctx context.Context, a *app.App, d *turnstile.Drive, t forge.Tracker, who, wish string) (forge.Issue, error) {
	a.Note("an agent writes the issue; this takes a minute or so")
	r, err := agentcmd.AskReadOnly(ctx, a, d, who, agent.Task{Role: agent.Plan, Prompt: draftPrompt(wish), Idle: draftIdle, Timeout: draftTime})
	if err != nil {
		return forge.Issue{}, err
	}
	n, err := readDraft(r)
	if err != nil {
		return forge.Issue{}, err
	}
	return t.Create(ctx, n)
}

// readDraft turns an agent's answer into an issue.
func readDraft(r agent.Result) (forge.NewIssue, error) {
	const nothing = "nothing was filed: "
	switch {
	case r.End != agent.Done:
		return forge.NewIssue{}, fmt.Errorf(nothing+"%s did not finish (%s): %s; %s", r.Agent, r.End, r.Why, r.Advice())
	case r.JSON == nil:
		return forge.NewIssue{}, fmt.Errorf(nothing+"the answer of %s cannot be read: %s; try again, or write it with warp issue new", r.Agent, r.Invalid)
	}
	title, about := r.JSON.Get("title").Text(), strings.TrimSpace(r.JSON.Get("description").Text())
	var body strings.Builder
	if about != "" {
		body.WriteString(about + "\n\n")
	}
	body.WriteString("## Acceptance criteria\n\n")
	count := 0
	if list := r.JSON.Get("criteria"); list != nil {
		for _, e := range list.Elems {
			if words := strings.TrimPrefix(text.OneLine(e.Text()), "- [ ] "); words != "" && count < maxCriteria {
				count++
				fmt.Fprintf(&body, "- [ ] %s\n", words)
			}
		}
	}
	if title = text.ClipRunes(text.OneLine(title), maxTitle); title == "" || count == 0 {
		return forge.NewIssue{}, fmt.Errorf(nothing+"the draft of %s has no title or no criteria; describe it in more words, or write it with warp issue new", r.Agent)
	}
	return forge.NewIssue{Title: title, Body: body.String(), Labels: []string{requirement, draftLabel}}, nil
}

func draftPrompt(wish string) string {
	return prompt.Render("draft", map[string]any{"Wish": text.Clip(wish, maxWish)})
}
