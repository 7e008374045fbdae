package dev

import (
	"context"
	"fmt"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// task is something that runs once per content: a migration, a seed file, the users.
type task struct {
	kind, name, hash string
	database         string // where it is recorded; "": in the record
	fixed            bool   // it must not change once it has run
	sql              string // to run in the database
	command          []string
	statement        string // to run for each user
	users            []map[string]any
}

// stepLimit bounds each command of the project.
const stepLimit = 15 * time.Minute

// tasker runs the pending tasks of a plan.
type tasker struct{ *plan }

// runStep returns a step of starting an environment: the tasks of a list.
func (p *plan) runStep(list func() ([]task, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		tasks, err := list()
		if err != nil {
			return err
		}
		return tasker{p}.run(ctx, tasks)
	}
}

// pending returns the tasks that have not run with their present content.
func (p tasker) pending(ctx context.Context, all []task) ([]task, error) {
	record, err := p.known()
	if err != nil {
		return nil, err
	}
	seen := map[string]map[string]string{}
	var open []task
	for _, t := range all {
		was := record.Was(t.kind, t.name)
		if t.database != "" {
			key := t.kind + " " + t.database
			if seen[key] == nil {
				if seen[key], err = p.SQL.Applied(ctx, t.database, t.kind); err != nil {
					return nil, err
				}
			}
			was = seen[key][t.name]
		}
		switch {
		case was == t.hash && (!p.Again || t.fixed):
		case was != "" && t.fixed && was != t.hash:
			return nil, fmt.Errorf("%s %s was changed after it was run: write a new one, or delete the database to start over", t.kind, t.name)
		default:
			open = append(open, t)
		}
	}
	return open, nil
}

// run runs the pending tasks, in order.
func (p tasker) run(ctx context.Context, all []task) error {
	open, err := p.pending(ctx, all)
	if err != nil {
		return err
	}
	for i, t := range open {
		if i == 0 && len(open) < len(all) {
			p.say("%s: %d of %d have already run", t.kind, len(all)-len(open), len(all))
		}
		p.say("%s %s …", t.kind, t.name)
		if err := p.perform(ctx, t); err != nil {
			return fmt.Errorf("%s %s: %w", t.kind, t.name, err)
		}
	}
	if len(all) > 0 && len(open) == 0 {
		p.say("%s: nothing to do", all[0].kind)
	}
	return nil
}

func (p tasker) perform(ctx context.Context, t task) error {
	note := devconfig.Done{Kind: t.kind, Name: t.name, Hash: t.hash, At: p.Now().UTC().Format(time.RFC3339)}
	switch {
	case t.command != nil:
		if err := p.command(ctx, t); err != nil {
			return err
		}
	case t.statement != "":
		return p.SQL.Insert(ctx, t.database, t.statement, t.users, note)
	}
	if t.database != "" {
		return p.SQL.Apply(ctx, t.database, t.sql, note)
	}
	return p.note("ran", func(r *devconfig.Record) error {
		r.Note(note)
		return nil
	})
}

// command runs a command of the project in its root.
func (p tasker) command(ctx context.Context, t task) error {
	port := p.serverPort()
	env, err := p.environ(port)
	if err != nil {
		return err
	}
	c := proc.Cmd{Argv: t.command, Dir: p.Root, Env: env, Timeout: stepLimit, Mark: "WARP_DEV_STEP=" + t.hash}
	if p.Verbose {
		c.Line = func(line []byte) { p.say("  %s", hide(string(line), t.users)) }
	}
	res, err := p.runConfined(ctx, c, port)
	switch {
	case err != nil:
		return err
	case res.TimedOut:
		return fmt.Errorf("it did not end within %s and was killed", stepLimit)
	case res.Exit != 0:
		return fmt.Errorf("exit code %d\n%s", res.Exit, hide(text.LastLines(string(res.Output), 20), t.users))
	}
	return nil
}
