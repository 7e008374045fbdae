package agentcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/ui/render"
)

// finish prints the result of a run and returns its exit code. strict requires a valid result.
func (s *screen) finish(ctx context.Context, adapter agent.Adapter, r agent.Result, err error, strict bool, bound int64) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		r.End = agent.Cancelled
	}
	do := r.Advice()
	if r.End == agent.NoAgent || r.End == agent.NoLogin {
		do = adapter.Check(ctx).Do()
	}
	if s.json {
		s.print(viewResult(r, do))
	} else {
		s.outcome(r, do, strict)
	}
	over := bound > 0 && r.Usage.MicroUSD > bound
	if over {
		s.app.Note("it cost %s, more than the limit of %s: the agent reported its cost only at the end", budget.Dollars(r.Usage.MicroUSD), budget.Dollars(bound))
	}
	if code := exitCode(r, strict, over); code != app.Done {
		return &app.Silent{Code: code}
	}
	return nil
}

func exitCode(r agent.Result, strict, over bool) int {
	if over {
		return app.Budget
	}
	switch r.End {
	case agent.Done:
		if strict && r.JSON == nil {
			return app.Failed
		}
		return app.Done
	case agent.Budgeted:
		return app.Budget
	case agent.Unpriced:
		return app.Usage
	case agent.NoLogin, agent.NoCredit, agent.NoModel:
		return app.Human
	case agent.Cancelled:
		return app.Interrupt
	}
	return app.Failed
}

// outcome prints the result for people: an answer to stdout, a failure as a message.
func (s *screen) outcome(r agent.Result, do string, strict bool) {
	s.line(string(r.End), fmt.Sprintf("%s in %s, %s", r.Agent, r.Duration.Round(10*time.Millisecond), formatUsage(r.Usage)))
	if text := strings.TrimSpace(r.Text); text != "" && (r.End == agent.Done || r.End == agent.Refused) {
		s.app.Printf("%s\n", render.Printable(text))
	}
	if r.JSON != nil {
		s.app.Printf("%s\n", render.Printable(string(lossless.AppendIndent(nil, r.JSON))))
	}
	var notes []string
	add := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(r.End != agent.Done, "%s did not finish (%s): %s", cmp.Or(r.Agent, "-"), r.End, cmp.Or(r.Why, "-"))
	add(r.End == agent.Cancelled || r.End == agent.Budgeted, "what it did so far is still in the work tree")
	add(r.End == agent.Done && r.JSON == nil && strict, "its answer is not a valid result for the requested role: %s", r.Invalid)
	add(do != "" && !strings.Contains(r.Why, do), "%s", do)
	for _, d := range r.Denials {
		add(true, "permission was denied for: %s", d)
	}
	add(r.End == agent.Done && r.Why != "", "%s", r.Why)
	add(r.Orphans > 0, "it left %s running, which warp ended", text.Count(r.Orphans, "process"))
	add(r.End != agent.Done && r.End != agent.NoAgent && r.Log != "", "its output is in %s", r.Log)
	s.app.Notes(notes)
}
