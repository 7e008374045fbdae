package turnstile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/failure"
	"warp/internal/sys/proc"
)

// GateResult is what one gate said.
type GateResult struct {
	Issue   string      `json:"issue,omitempty"`
	Epoch   int64       `json:"epoch,omitempty"` // the session's
	Chunk   int         `json:"chunk,omitempty"`
	Event   drive.Event `json:"event"`
	Gate    string      `json:"gate"` // the semantic gate's name, or the command
	Passed  bool        `json:"passed"`
	Reason  string      `json:"reason,omitempty"`
	Excerpt string      `json:"excerpt,omitempty"` // of a command that refused: the failing part of its output
	Log     string      `json:"log,omitempty"`     // where its output is kept
	Seconds float64     `json:"seconds"`
	output  string
	broken  bool // the environment is: the gate could not be tried
	cause   error
}

// Gate is a check that an engine adds to those of an event. It runs after the
// others and refuses as they do; reason "" lets the event pass. An error says
// that it could not be tried, which costs nothing.
type Gate struct {
	Name  string
	First bool // it runs before the others
	Run   func(context.Context, *drive.State) (reason string, err error)
}

// GateError says that a gate refused an event.
type GateError struct {
	Event  drive.Event
	Result GateResult
}

const (
	quoted     = 40    // of the last lines of a gate's output, in a message
	maxExcerpt = 1_900 // of its failing part, in evidence
)

func (e *GateError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gate %q blocks %s: %s", e.Result.Gate, e.Event, e.Result.Reason)
	if e.Result.output != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(failure.LastLines(e.Result.output, quoted), "\n"))
	}
	if e.Result.Log != "" {
		fmt.Fprintf(&b, "\n(the whole output is in %s)", e.Result.Log)
	}
	return b.String()
}

// Broken tells whether the gate could not be tried at all: nothing was counted.
func (e *GateError) Broken() bool { return e.Result.broken }

// Unwrap returns why a gate could not be tried, where it was an engine's.
func (e *GateError) Unwrap() error { return e.Result.cause }

// signature is the text that tells this failure from others.
func (e *GateError) signature() string {
	return e.Result.Gate + "\n" + e.Result.Reason + "\n" + e.Result.output
}

// gateRun is what the gates of one event said, up to the first that refused.
type gateRun struct {
	event   drive.Event
	results []GateResult
	tree    string // the work tree's fingerprint, when a gate needed it
	seen    View   // the state that the gates looked at; empty when there are none
}

func (g gateRun) failure() *GateError {
	if n := len(g.results); n > 0 && !g.results[n-1].Passed {
		return &GateError{g.event, g.results[n-1]}
	}
	return nil
}

// Verify runs the gates of an event and changes nothing. More are an engine's own.
func (d *Drive) Verify(ctx context.Context, on drive.Event, more ...Gate) ([]GateResult, error) {
	cfg, err := d.Settings()
	if err != nil {
		return nil, err
	}
	now, err := d.Read()
	if err != nil {
		return nil, err
	}
	run, err := d.gates(ctx, now, cfg, on, more)
	if err != nil {
		return nil, err
	}
	if failed := run.failure(); failed != nil {
		return run.results, failed
	}
	return run.results, nil
}

// gates runs the gates of an event in order, the semantic one first, and stops
// at the first that refuses.
func (d *Drive) gates(ctx context.Context, seen View, cfg config.Settings, on drive.Event, more []Gate) (gateRun, error) {
	run, s := gateRun{event: on, seen: seen}, seen.State
	if err := d.ask(ctx, &run, more, true); err != nil || run.failure() != nil {
		return run, errors.Join(err, d.journal(&run))
	}
	switch drive.Semantic[on] {
	case drive.DiffRelevance:
		r := GateResult{Gate: drive.DiffRelevance}
		var err error
		if d.env.eyes == nil {
			err = errors.New("a hook does not look into the work tree: fire the event with warp state transition")
		} else {
			run.tree, r.Reason, err = d.env.eyes.diff(d, s)
		}
		if err != nil {
			r.Reason, r.broken = fmt.Sprintf("the diff cannot be told: %v", err), true
		}
		r.Passed = r.Reason == ""
		run.results = append(run.results, r)
	case drive.ACCount:
		gap := s.CriteriaGap()
		run.results = append(run.results, GateResult{Gate: drive.ACCount, Passed: gap == "", Reason: gap})
	}
	if len(cfg.Gates[on]) > 0 && cfg.Refused != nil {
		return run, cfg.Refused
	}
	for i, c := range cfg.Gates[on] {
		if run.failure() != nil {
			break
		}
		r, err := d.command(ctx, s, on, i, c)
		if err != nil {
			return run, err
		}
		run.results = append(run.results, r)
	}
	if err := d.ask(ctx, &run, more, false); err != nil {
		return run, err
	}
	return run, d.journal(&run)
}

// ask tries an engine's gates, those that run first or the others.
func (d *Drive) ask(ctx context.Context, run *gateRun, gates []Gate, first bool) error {
	for _, g := range gates {
		if g.First != first || run.failure() != nil {
			continue
		}
		r, err := d.asked(ctx, g, run.seen.State)
		if err != nil {
			return err
		}
		run.results = append(run.results, r)
	}
	return nil
}

// asked tries a gate of an engine.
func (d *Drive) asked(ctx context.Context, g Gate, s *drive.State) (GateResult, error) {
	began := d.env.Now()
	reason, err := g.Run(ctx, s)
	r := GateResult{Gate: g.Name, Passed: reason == "" && err == nil, Reason: reason, Seconds: d.env.Now().Sub(began).Seconds()}
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("gate %q: %w", g.Name, ctx.Err())
	case err != nil:
		r.Reason, r.broken, r.cause = err.Error(), true, err
	}
	return r, nil
}

// journal keeps what the gates said: it is the evidence of the transition.
func (d *Drive) journal(run *gateRun) error {
	if len(run.results) == 0 {
		return nil
	}
	rows := make([]any, len(run.results))
	for i := range run.results {
		run.results[i].Event = run.event
		run.results[i].Issue, run.results[i].Chunk = run.seen.State.Issue(), run.seen.State.Chunk.Index
		run.results[i].Epoch = run.seen.State.Session.StartedAtEpoch
		rows[i] = run.results[i]
	}
	if err := d.store.AppendSynced(event.Gate, rows...); err != nil {
		return fmt.Errorf("journalling what the gates said: %w", err)
	}
	return nil
}

// command runs one verification gate in the project's root.
func (d *Drive) command(ctx context.Context, s *drive.State, on drive.Event, i int, c config.Command) (GateResult, error) {
	file, log := d.Log("gates", fmt.Sprintf("%s-%d", on, i+1), s)
	limit := time.Duration(c.TimeoutSeconds) * time.Second
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: []string{"sh", "-c", c.Run}, Dir: d.root, Timeout: limit,
		Log: file,
	})
	r := GateResult{Gate: c.Run, Log: log, Seconds: res.Duration.Seconds(), output: string(res.Output)}
	switch {
	case errors.Is(err, context.Canceled):
		return r, fmt.Errorf("gate %q: %w", c.Run, err)
	case err != nil:
		r.Reason, r.broken = fmt.Sprintf("it could not be run: %v", err), true // what cannot run does not pass
	case res.TimedOut:
		r.Reason = fmt.Sprintf("it did not end within %s and was killed", limit)
	case res.Exit != 0:
		r.Reason = fmt.Sprintf("exit code %d", res.Exit)
	default:
		r.Passed = true
		return r, nil
	}
	r.Excerpt = d.excerpt(r.output)
	return r, nil
}

// excerpt is what a gate said, as far as it is worth keeping: its failing part,
// or, for a hook, its end.
func (d *Drive) excerpt(output string) string {
	if d.env.eyes == nil {
		return failure.LastLines(output, quoted)
	}
	return d.env.eyes.excerpt(output, maxExcerpt)
}
