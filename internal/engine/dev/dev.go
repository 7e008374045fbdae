// Package dev starts, checks and stops a project's dev environment: everything in the order of
// dev.json, each part only if needed, so that it can be called at any time. A separate process
// supervises the server; stopping leaves no process behind. Only a trusted dev.json is run.
// core/devconfig defines what dev.json may say; an adapter runs SQL.
package dev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/engine/contain"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
)

// Database runs SQL, and remembers in the database what was run.
type Database interface {
	// Applied returns the hashes of what was run, by name; it creates nothing.
	Applied(ctx context.Context, address, kind string) (map[string]string, error)
	// Apply runs a script and records it, both or neither.
	Apply(ctx context.Context, address, script string, note devconfig.Done) error
	// Insert runs a statement for each user and records it, all or nothing.
	Insert(ctx context.Context, address, statement string, users []map[string]any, note devconfig.Done) error
}

// Config is what an environment needs from outside.
type Config struct {
	Root  string         // the work tree
	Home  string         // the main work tree, whose dev.json is trusted; "": Root
	Store *durable.Store // of the work tree
	SQL   Database
	Trust func(path string, content []byte) error
	// Confine puts one of dev.json's commands into its sandbox; done cleans up after it. Nil: they
	// run unconfined.
	Confine func(c proc.Cmd, o contain.Command) (confined proc.Cmd, done func() error, err error)
	Environ []string
	Now     func() time.Time
	Started durable.Started
	PID     int
	Self    []string      // the supervisor's command line, without its flags
	Verbose bool          // show the commands' output as progress
	Again   bool          // repeat what need not be run again
	Wait    time.Duration // how long to wait for another process that starts or stops it
}

// Environment is the dev environment of one work tree.
type Environment struct {
	Config
}

// New returns an environment. It reads nothing yet.
func New(c Config) *Environment {
	if c.Home == "" {
		c.Home = c.Root
	}
	return &Environment{c}
}

// Present reports whether the project has a dev environment.
func (e *Environment) Present() bool {
	info, err := os.Stat(filepath.Join(e.Root, devconfig.File))
	return err == nil && info.Mode().IsRegular()
}

// Up starts the environment, except for what is up already.
func (e *Environment) Up(ctx context.Context, progress func(string)) error {
	p, err := load(&e.Config)
	if err != nil {
		return err
	}
	release, err := e.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	p.say = func(format string, args ...any) { progress(p.redact.String(fmt.Sprintf(format, args...))) }
	for _, w := range p.warnings {
		p.say("%s", w)
	}
	if p.Server != nil && p.serverPort() == 0 {
		if p.port, err = freePort(); err != nil { // commands that run before the server may name it
			return err
		}
	}
	serve := server{p}.serve
	steps := []func(context.Context) error{p.runStep(p.migrations), p.runStep(p.seeds), serve, p.runStep(p.users)}
	if p.Server != nil && p.Server.First {
		steps = []func(context.Context) error{serve, p.runStep(p.migrations), p.runStep(p.seeds), p.runStep(p.users)}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return p.clean(err)
		}
	}
	for _, u := range p.Access.URLs {
		if u, err := p.expand(u); err == nil {
			p.say("%s", u)
		}
	}
	if p.Access.Notes != "" {
		p.say("%s", p.Access.Notes)
	}
	return nil
}

// NotUp lists what an environment is missing.
type NotUp struct{ Why []string }

func (e *NotUp) Error() string {
	return "the dev environment is not up: " + strings.Join(e.Why, "; ") + "; run warp dev up"
}

// Check checks whether the environment is up; a *NotUp says what is missing. It runs and changes
// nothing.
func (e *Environment) Check(ctx context.Context) error {
	p, err := load(&e.Config)
	if err != nil {
		return err
	}
	var why []string
	if p.Server != nil {
		if err := (server{p}).serving(ctx); err != nil {
			why = append(why, err.Error())
		}
	}
	for _, list := range []func() ([]task, error){p.migrations, p.seeds, p.users} {
		tasks, err := list()
		if err == nil {
			tasks, err = tasker{p}.pending(ctx, tasks)
		}
		if err != nil && !slices.Contains(why, err.Error()) {
			why = append(why, err.Error())
		}
		for _, t := range tasks {
			why = append(why, fmt.Sprintf("%s %s was not run", t.kind, t.name))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(why) > 0 {
		return p.clean(&NotUp{why})
	}
	return nil
}

// Down ends the server and everything it started, if it runs.
func (e *Environment) Down(ctx context.Context) error {
	release, err := e.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return takedown.Server(ctx, e.Store, e.Root, e.Started)
}

// SeedAdvice returns what a change of these files lacks; nil without a readable dev.json.
func (e *Environment) SeedAdvice(changed []string) []string {
	m, ok := e.manifest()
	if !ok {
		return nil
	}
	return m.Advice(changed)
}

// hold keeps others from starting or stopping the same environment meanwhile. It waits for a
// process that is doing so, since it leaves what is wanted.
func (e *Environment) hold(ctx context.Context) (release func(), err error) {
	me := durable.Process{PID: e.PID}
	me.Stamp, _ = e.Started(e.PID)
	limit, cancel := context.WithTimeout(ctx, e.Wait)
	defer cancel()
	for {
		lease, _, err := e.Store.Acquire("dev-environment", me, e.Started)
		if err == nil {
			return func() { _ = lease.Release() }, nil
		}
		busy := (*durable.LockedError)(nil)
		if !errors.As(err, &busy) {
			return nil, err
		}
		if !takedown.Pause(limit, firstPause) {
			return nil, fmt.Errorf("process %d is starting or stopping the dev environment: %w", busy.PID, err)
		}
	}
}
