package turnstile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// gateRunner runs the gates of an event and journals their results. It does not change the drive.
type gateRunner struct {
	project *Project
	tree    *WorkTree
}

// run runs the gates of an event, what costs least first, and stops at the first that refuses.
func (g *gateRunner) run(ctx context.Context, seen View, cfg config.Settings, on drivestate.Event, more []Gate) (gateRun, error) {
	run, s := gateRun{event: on, seen: seen}, seen.State
	if err := g.askEngine(ctx, &run, more, First); err != nil || run.failure() != nil {
		return run, errors.Join(err, g.journal(&run))
	}
	check := drivestate.Semantic.Get(on)
	switch {
	case slices.ContainsFunc(more, func(m Gate) bool { return check != "" && m.Replaces == check }):
	case check == drivestate.DiffRelevance:
		r := GateResult{Gate: drivestate.DiffRelevance}
		var err error
		if g.project.env.inputs == nil {
			err = errors.New("hooks do not examine the work tree: fire the event with warp state transition")
		} else {
			run.tree, r.Reason, err = g.project.env.inputs.diff(g.tree, s)
		}
		if err != nil {
			r.Reason, r.Untried = fmt.Sprintf("the diff cannot be computed: %v", err), true
		}
		r.Passed = r.Reason == ""
		run.results = append(run.results, r)
	case check == drivestate.ACCount:
		gap := s.CriteriaGap()
		run.results = append(run.results, GateResult{Gate: drivestate.ACCount, Passed: gap == "", Reason: gap})
	}
	if len(cfg.Gates[on]) > 0 && cfg.Refused != nil {
		return run, cfg.Refused
	}
	if err := g.askEngine(ctx, &run, more, Early); err != nil {
		return run, err
	}
	for i, c := range cfg.Gates[on] {
		if run.failure() != nil {
			break
		}
		r, err := g.runCommand(ctx, s, on, i, c)
		if err != nil {
			return run, err
		}
		run.results = append(run.results, r)
	}
	if err := g.askEngine(ctx, &run, more, Last); err != nil {
		return run, err
	}
	return run, g.journal(&run)
}

// askEngine runs those of an engine's gates that run then.
func (g *gateRunner) askEngine(ctx context.Context, run *gateRun, gates []Gate, when When) error {
	for _, one := range gates {
		if one.When != when || run.failure() != nil {
			continue
		}
		r, err := g.askGate(ctx, one, run.seen.State)
		if err != nil {
			return err
		}
		run.results = append(run.results, r)
	}
	return nil
}

// askGate runs one gate of an engine.
func (g *gateRunner) askGate(ctx context.Context, one Gate, s *drivestate.State) (GateResult, error) {
	began := g.project.env.Now()
	reason, err := one.Run(ctx, s)
	r := GateResult{Gate: one.Name, Passed: reason == "" && err == nil, Reason: reason, Seconds: g.project.env.Now().Sub(began).Seconds()}
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("gate %q: %w", one.Name, ctx.Err())
	case err != nil:
		r.Reason, r.Untried, r.cause = err.Error(), true, err
	case reason != "" && one.Output != nil:
		r.output, r.Excerpt = *one.Output, g.excerpt(g.hide(*one.Output))
	}
	r.cycle = one.Cycle
	return r, nil
}

// journal records the gates' results as evidence of the transition. A hook does not: it has no key,
// and a row of proof without a signature looks like an agent's forgery.
func (g *gateRunner) journal(run *gateRun) error {
	if len(run.results) == 0 || g.project.env.inputs == nil {
		return nil
	}
	rows := make([]any, len(run.results))
	for i := range run.results {
		run.results[i].Event = run.event
		run.results[i].Issue, run.results[i].Chunk = run.seen.State.Issue(), run.seen.State.Chunk.Index
		run.results[i].Epoch = run.seen.State.Session.StartedAtEpoch
		rows[i] = run.results[i]
	}
	if err := g.project.store.AppendSynced(event.Gate, rows...); err != nil {
		return fmt.Errorf("recording the gate results: %w", err)
	}
	return nil
}

// GateCommand is the command of a gate and its inputs.
type GateCommand struct {
	Root  string // the project's folder
	Line  string
	Limit time.Duration
	Log   string
	// Tree is the work tree without the state folder, Base the tree when the work began. Both are
	// "" without a repository.
	Tree, Base string
	Target     string   // the branch to merge into
	Asked      []string // the criteria, as written in the issue
}

func (g *gateRunner) runCommand(ctx context.Context, s *drivestate.State, on drivestate.Event, i int, c config.Command) (GateResult, error) {
	file, log := g.project.NewLogFile("gates", fmt.Sprintf("%s-%d", on, i+1), s)
	limit := time.Duration(c.TimeoutSeconds) * time.Second
	res, err := g.try(ctx, s, GateCommand{Root: g.project.root, Line: c.Run, Limit: limit, Log: file})
	r := GateResult{Gate: c.Run, Log: log, Seconds: res.Duration.Seconds(), output: string(res.Output)}
	switch {
	case errors.Is(err, context.Canceled):
		return r, fmt.Errorf("gate %q: %w", c.Run, err)
	case err != nil:
		r.Reason, r.Untried = fmt.Sprintf("it could not be run: %v", err), true // a gate that cannot run does not pass
	case res.TimedOut:
		r.Reason = fmt.Sprintf("it did not end within %s and was killed", limit)
	case res.Exit != 0:
		r.Reason = fmt.Sprintf("exit code %d", res.Exit)
	default:
		r.Passed = true
		return r, nil
	}
	r.Excerpt = g.excerpt(g.hide(r.output))
	return r, nil
}

// try runs the command of a gate, outside the project's folder if possible.
func (g *gateRunner) try(ctx context.Context, s *drivestate.State, c GateCommand) (res proc.Result, err error) {
	env := g.project.env
	if env.RunGate == nil || env.inputs == nil {
		return proc.Run(ctx, proc.Cmd{Argv: []string{"sh", "-c", c.Line}, Dir: c.Root, Timeout: c.Limit, Log: c.Log, Clean: env.Hide, Env: g.environ()})
	}
	if c.Tree, err = env.inputs.fingerprint(g.tree); err != nil {
		return res, err
	}
	c.Base, c.Target = s.Chunk.Base, s.MergeTarget
	for _, id := range s.Chunk.Present() {
		c.Asked = append(c.Asked, s.CriterionText(id))
	}
	return env.RunGate(ctx, c)
}

func (g *gateRunner) environ() []string {
	if g.project.env.Environ == nil {
		return nil
	}
	return g.project.env.Environ()
}

// hide removes secrets from a gate's output.
func (g *gateRunner) hide(output string) string {
	if g.project.env.Hide == nil {
		return output
	}
	return string(g.project.env.Hide([]byte(output)))
}

// excerpt returns the part of a gate's output worth keeping: the failing part or, in a hook, the
// end.
func (g *gateRunner) excerpt(output string) string {
	if g.project.env.inputs == nil {
		return text.LastLines(output, quoted)
	}
	return g.project.env.inputs.excerpt(output, maxExcerpt)
}
