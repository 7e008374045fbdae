package agentcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/turnstile"
)

// checkPrompt checks that an agent works. It requires what the engines do: an answer in the form of
// its role.
const checkPrompt = `This is a check of the set-up. Use no tool and change nothing. Answer at once, with nothing but this JSON:
{"stop": true, "reason": "ready", "confidence": 1}`

// checkTime bounds the check; an answer takes seconds.
const checkTime = 3 * time.Minute

func check(a *app.App) *cobra.Command {
	return a.WithJSON("print events, then the result, as JSON lines", &cobra.Command{
		Use:     "check [agent]",
		Short:   "Ask an agent, by default the configured one, a trivial question and show its answer, cost and time",
		Example: "  warp agent check\n  warp agent check codex",
		Args:    cobra.MaximumNArgs(1),
		RunE: app.Run(func(ctx context.Context, args []string) error {
			s := &screen{app: a, json: a.AsJSON, silent: true}
			who := strings.Join(args, "")
			if who == "" {
				d, err := a.Project()
				if err != nil {
					return app.WrongUsage("outside a project, name the agent: warp agent check claude")
				}
				settings, err := d.Project.Settings()
				if err != nil {
					return err
				}
				who = settings.Agent
			}
			adapter, res, err := s.probe(ctx, a, who)
			if adapter == nil {
				return err
			}
			err = s.finish(ctx, adapter, res, err, true, 0)
			if silent, is := errors.AsType[*app.Silent](err); is && silent.Code != app.Interrupt && silent.Code != app.Human {
				silent.Code = app.Failed // it works, or not, or waits for a login
			}
			return err
		}),
	})
}

// Probe asks an agent a trivial question and returns why it does not work, or "".
func Probe(ctx context.Context, a *app.App, who string) (res agent.Result, why string, err error) {
	s := &screen{app: a, silent: true}
	adapter, res, err := s.probe(ctx, a, who)
	switch {
	case err != nil:
		return res, "", err
	case res.End == agent.NoAgent || res.End == agent.NoLogin:
		return res, cmp.Or(adapter.Check(ctx).Do(), res.Advice(), res.Why), nil
	case res.End != agent.Done:
		return res, cmp.Or(res.Why, res.Advice(), string(res.End)), nil
	case res.JSON == nil:
		return res, "its answer is not what was asked for: " + res.Invalid, nil
	}
	return res, "", nil
}

// probe asks the question; a nil adapter means that nothing was asked.
func (s *screen) probe(ctx context.Context, a *app.App, who string) (agent.Adapter, agent.Result, error) {
	k, err := find(who)
	if err != nil {
		return nil, agent.Result{}, err
	}
	d, done, err := checkFolder(a)
	if err != nil {
		return nil, agent.Result{}, err
	}
	defer done()
	w, err := configuredAgent(a)
	switch {
	case err != nil && k.name == "command":
		return nil, agent.Result{}, err
	case err != nil: // one argument: the agent's name
		a.Note("%v", err)
	}
	adapter, bad := k.make(w)
	if bad != nil {
		return nil, agent.Result{}, bad
	}
	s.unset = err != nil
	r, err := s.runner(a, d, []agent.Adapter{adapter})
	if err != nil {
		return nil, agent.Result{}, err
	}
	res, err := ask(ctx, r, s, agent.Task{Role: agent.Judge, Prompt: checkPrompt, Dir: d.Root(), ReadOnly: true, Idle: checkTime, Timeout: checkTime})
	return adapter, res, err
}

// checkFolder returns where the check runs: the project or, outside of any, a temporary folder.
func checkFolder(a *app.App) (*turnstile.Drive, func(), error) {
	if d, err := a.Project(); err == nil {
		return d, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "warp-check-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for the check: %w", err)
	}
	return turnstile.Open(dir, a.Env), func() { _ = durable.RemoveFolder(dir) }, nil
}
