package dev

import (
	"context"
	"fmt"
	"time"

	"warp/internal/core/dev"
	"warp/internal/core/failure"
	"warp/internal/sys/proc"
)

// task is something that is run once for each content: a migration, a file of
// seed data, the users.
type task struct {
	kind, name, hash string
	database         string // where it is remembered; "": in the record
	fixed            bool   // it must not change once it was run
	sql              string // to be run in the database
	command          []string
	statement        string // to be run for each user
	users            []map[string]any
}

// stepLimit bounds each command of the project.
const stepLimit = 15 * time.Minute

// pending are the tasks that were not run with the content that they have now.
func (e *Environment) pending(ctx context.Context, all []task) ([]task, error) {
	record, err := e.known()
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
				if seen[key], err = e.SQL.Applied(ctx, t.database, t.kind); err != nil {
					return nil, err
				}
			}
			was = seen[key][t.name]
		}
		switch {
		case was == t.hash && (!e.Again || t.fixed):
		case was != "" && t.fixed && was != t.hash:
			return nil, fmt.Errorf("%s %s was changed after it was run: write another one, or delete the database to begin anew", t.kind, t.name)
		default:
			open = append(open, t)
		}
	}
	return open, nil
}

// run runs the tasks that are due, in their order.
func (e *Environment) run(ctx context.Context, p plan, all []task, say func(string, ...any)) error {
	open, err := e.pending(ctx, all)
	if err != nil {
		return err
	}
	for i, t := range open {
		if i == 0 && len(open) < len(all) {
			say("%s: %d of %d were run before", t.kind, len(all)-len(open), len(all))
		}
		say("%s %s …", t.kind, t.name)
		if err := e.perform(ctx, p, t, say); err != nil {
			return fmt.Errorf("%s %s: %w", t.kind, t.name, err)
		}
	}
	if len(all) > 0 && len(open) == 0 {
		say("%s: nothing to do", all[0].kind)
	}
	return nil
}

func (e *Environment) perform(ctx context.Context, p plan, t task, say func(string, ...any)) error {
	note := dev.Done{Kind: t.kind, Name: t.name, Hash: t.hash, At: e.Now().UTC().Format(time.RFC3339)}
	switch {
	case t.command != nil:
		if err := e.command(ctx, p, t, say); err != nil {
			return err
		}
	case t.statement != "":
		return e.SQL.Insert(ctx, t.database, t.statement, t.users, note)
	}
	if t.database != "" {
		return e.SQL.Apply(ctx, t.database, t.sql, note)
	}
	return e.note("ran", func(r *dev.Record) error {
		r.Note(note)
		return nil
	})
}

// command runs a command of the project in its root.
func (e *Environment) command(ctx context.Context, p plan, t task, say func(string, ...any)) error {
	env, err := e.environ(p, e.port(p))
	if err != nil {
		return err
	}
	c := proc.Cmd{Argv: t.command, Dir: e.Root, Env: env, Timeout: stepLimit, Mark: "WARP_DEV_STEP=" + t.hash}
	if e.Verbose {
		c.Line = func(line []byte) { say("  %s", hide(string(line), t.users)) }
	}
	res, err := proc.Run(ctx, c)
	switch {
	case err != nil:
		return err
	case res.TimedOut:
		return fmt.Errorf("it did not end within %s and was killed", stepLimit)
	case res.Exit != 0:
		return fmt.Errorf("exit code %d\n%s", res.Exit, hide(failure.LastLines(string(res.Output), 20), t.users))
	}
	return nil
}
