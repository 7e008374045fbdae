package inboxcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/questions"
	"warp/internal/engine/agent"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

type askOptions struct {
	options []string
	def     string
	context string
	wait    time.Duration
}

// NewAsk returns warp ask.
func NewAsk(a *app.App) *cobra.Command {
	var o askOptions
	c := a.WithJSON("print id, state, answer and who gave it as JSON", &cobra.Command{
		Use:   "ask <question>",
		Short: "Ask a person for a decision, from inside an agent's session",
		Long: `Ask a person for a decision: the question goes into the project's inbox (warp
inbox), and to the bridge where remote mode is on (warp rdb). If an answer comes
within --wait, it is printed, and the exit code is 0.

Otherwise the question's id is printed ("pending q7") and the exit code is 13: continue
with other work. The session that asked sees the answer as soon as it comes, with
the next prompt, tool call or start. In a run that warp has started, the default is
taken instead, unless the setting unattended says otherwise.`,
		Example: `  warp ask "Which database?" --option sqlite --option postgres --default sqlite
  warp ask "Rename the flag?" --option yes --option no --wait 5s
  warp ask "What should the limit be?" --json | jq -r .answer`,
		Args: app.Exactly(1, "one question"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if err := o.check(args[0]); err != nil {
				return &app.UsageError{Err: err}
			}
			return runAsk(ctx, a, d, args[0], o)
		}),
	})
	f := c.Flags()
	f.StringArrayVar(&o.options, "option", nil, "an option to choose from; repeatable")
	f.StringVar(&o.def, "default", "", "your recommendation")
	f.StringVar(&o.context, "context", "", "what the person needs to know to decide")
	f.DurationVar(&o.wait, "wait", time.Minute, "how long to wait here, at most 10m")
	return c
}

func (o askOptions) check(question string) error {
	switch {
	case strings.TrimSpace(question) == "":
		return errors.New("the question is empty")
	case len(o.options) > questions.MaxOptions:
		return fmt.Errorf("a question has at most %d options", questions.MaxOptions)
	case o.def != "" && len(o.options) > 0 && !slices.Contains(o.options, o.def):
		return fmt.Errorf("--default %q is not one of the options", o.def)
	case o.wait < 0 || o.wait > 10*time.Minute:
		return fmt.Errorf("--wait %s: it must be at most 10m", o.wait)
	}
	return nil
}

func runAsk(ctx context.Context, a *app.App, d *turnstile.Drive, question string, o askOptions) error {
	desk, err := Desk(a, d)
	if err != nil {
		return err
	}
	settings, err := d.Project.Settings()
	if err != nil {
		return err
	}
	q := questions.Question{
		By: questions.Agent, Text: question, Context: o.context, Options: o.options, Default: o.def,
		Session: a.Getenv("CLAUDE_CODE_SESSION_ID"), Root: d.Root(), Work: a.Getenv(agent.WorkVariable),
	}
	if v, err := d.Read(); q.Work == "" && err == nil && v.State.Phase.Active() {
		q.Issue, q.Chunk, q.Criteria = v.State.Issue(), v.State.Chunk.Index, v.State.Chunk.Present()
	}
	item, answered, err := o.ask(ctx, desk, q, settings.Workflow, a.Getenv("WARP_ROLE") != "")
	if err != nil {
		return err
	}
	if item.AnsweredBy == questions.ByDefault {
		a.Note("%s had no answer in time, so the default was taken; a person can still change it", item.ID)
	}
	return tellAnswer(a, item, answered)
}

// ask waits as long as it may. An agent run that an engine started ends before a late answer comes,
// so it takes the default right after the wait. A session learns a late answer.
func (o askOptions) ask(ctx context.Context, desk *inbox.Inbox, q questions.Question, s config.Workflow, run bool) (questions.Item, bool, error) {
	if run && s.Unattended == questions.TakeDefault {
		return desk.Ask(ctx, q, inbox.Patience{Wait: o.wait, Seen: true, Unattended: s.Unattended})
	}
	item, err := desk.Put(q, max(o.wait, time.Duration(s.DecisionMinutes)*time.Minute))
	if err != nil {
		return item, false, err
	}
	waiting, cancel := context.WithTimeout(ctx, o.wait)
	defer cancel()
	item, answered, err := desk.Wait(waiting, item)
	if err == nil && answered {
		item, err = desk.Take(item.ID)
	}
	return item, answered, err
}

func tellAnswer(a *app.App, item questions.Item, answered bool) error {
	switch {
	case a.AsJSON:
		err := a.JSON(struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Answer string `json:"answer,omitempty"`
			By     string `json:"answered_by,omitempty"`
		}{item.ID, item.State(a.Env.Now()), item.Answer, item.AnsweredBy})
		if err != nil {
			return err
		}
	case answered:
		a.Printf("%s\n", render.Printable(item.Answer))
	default:
		a.Printf("pending %s\n", item.ID)
	}
	if !answered {
		return &app.Silent{Code: app.Human}
	}
	return nil
}
