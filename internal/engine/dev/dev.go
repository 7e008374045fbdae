// Package dev brings a project's dev environment up, looks whether it is, and
// takes it down: everything in the order that dev.json asks for, each part only
// if it is needed, so that it can be asked for at any time. The server is
// watched over by a process of its own; what was taken down leaves none behind.
// Nothing of a dev.json that nobody trusts is run. What dev.json may say is
// core/dev's; SQL is an adapter's.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/dev"
	"warp/internal/core/lossless"
	"warp/internal/core/redact"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
)

// Database runs SQL, and remembers in the database what was run.
type Database interface {
	// Applied tells which contents were run, by their names; it makes nothing.
	Applied(ctx context.Context, address, kind string) (map[string]string, error)
	// Apply runs a script and notes it, both or neither.
	Apply(ctx context.Context, address, script string, note dev.Done) error
	// Insert runs a statement for each user and notes it, all or nothing.
	Insert(ctx context.Context, address, statement string, users []map[string]any, note dev.Done) error
}

// Config is what an environment needs from outside.
type Config struct {
	Root    string         // the work tree
	Home    string         // the main work tree, whose dev.json is trusted; "": Root
	Store   *durable.Store // of the work tree
	SQL     Database
	Trust   func(path string, content []byte) error
	Environ []string
	Now     func() time.Time
	Started durable.Started
	PID     int
	Self    []string      // the command line of the supervisor, without its flags
	Verbose bool          // the output of commands is progress, too
	Again   bool          // what need not be run again is
	Wait    time.Duration // how long another one who is at it is waited for
}

// Environment is the dev environment of one work tree.
type Environment struct {
	Config
	record *durable.Doc[dev.Record]
	redact *redact.Redactor
}

// New names an environment. Nothing is read yet.
func New(c Config) *Environment {
	if c.Home == "" {
		c.Home = c.Root
	}
	return &Environment{
		Config: c, redact: redact.New(c.Environ),
		record: takedown.Record(c.Store),
	}
}

// ErrNone says that a project has no dev environment.
var ErrNone = errors.New("there is no " + dev.File + " here: warp dev init writes one")

// Present tells whether the project has a dev environment.
func (e *Environment) Present() bool {
	info, err := os.Stat(filepath.Join(e.Root, dev.File))
	return err == nil && info.Mode().IsRegular()
}

// plan is a manifest that may be run.
type plan struct {
	dev.Manifest
	warnings []string
	server   string // the hash of what it says of the server
	port     int    // what the server is to have, where neither dev.json nor the record say
}

// load reads the manifest, which must be trusted: what was read is what is run.
func (e *Environment) load() (plan, error) {
	text, err := e.Store.ReadFile(dev.File)
	if err != nil {
		return plan{}, fmt.Errorf("reading %s: %w", dev.File, err)
	}
	if len(text) == 0 {
		return plan{}, ErrNone
	}
	if err := e.trusted(text); err != nil {
		return plan{}, err
	}
	m, warnings, err := dev.Parse(text)
	if err != nil {
		return plan{}, err
	}
	e.redact = redact.New(append(secretsOf(m), e.Environ...))
	p := plan{Manifest: m, warnings: warnings}
	if doc, err := lossless.Parse(text); err == nil && m.Server != nil {
		p.server = dev.Hash(lossless.AppendCompact(nil, doc.Get("server")))
	}
	return p, nil
}

// trusted says why a manifest may not be run. A linked work tree has the trust of
// the main one; what stands there alone can be trusted at its own place.
func (e *Environment) trusted(text []byte) error {
	err := e.Trust(filepath.Join(e.Home, dev.File), text)
	if err == nil || e.Root == e.Home {
		return err
	}
	return e.Trust(filepath.Join(e.Root, dev.File), text)
}

// Up brings the environment up; what is up already is left alone.
func (e *Environment) Up(ctx context.Context, progress func(string)) error {
	p, err := e.load()
	if err != nil {
		return err
	}
	release, err := e.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	say := func(format string, args ...any) { progress(e.redact.String(fmt.Sprintf(format, args...))) }
	for _, w := range p.warnings {
		say("%s", w)
	}
	if p.Server != nil && e.port(p) == 0 {
		if p.port, err = free(); err != nil { // commands that are run before the server may name it
			return err
		}
	}
	steps := []func(context.Context, plan, func(string, ...any)) error{e.migrate, e.seed, e.serve, e.provision}
	if p.Server != nil && p.Server.First {
		steps = []func(context.Context, plan, func(string, ...any)) error{e.serve, e.migrate, e.seed, e.provision}
	}
	for _, step := range steps {
		if err := step(ctx, p, say); err != nil {
			return e.clean(err)
		}
	}
	for _, u := range e.urls(p) {
		say("%s", u)
	}
	if p.Access.Notes != "" {
		say("%s", p.Access.Notes)
	}
	return nil
}

// NotUp says what of an environment is missing.
type NotUp struct{ Why []string }

func (e *NotUp) Error() string {
	return "the dev environment is not up: " + strings.Join(e.Why, "; ") + "; warp dev up brings it up"
}

// Check tells whether the environment is up: a *NotUp says what is missing. It
// runs nothing and changes nothing.
func (e *Environment) Check(ctx context.Context) error {
	p, err := e.load()
	if err != nil {
		return err
	}
	var why []string
	if p.Server != nil {
		if err := e.serving(ctx, p); err != nil {
			why = append(why, err.Error())
		}
	}
	for _, list := range []func(plan) ([]task, error){e.migrations, e.seeds, e.users} {
		tasks, err := list(p)
		if err == nil {
			tasks, err = e.pending(ctx, tasks)
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
		return e.clean(&NotUp{why})
	}
	return nil
}

// SeedAdvice says what a change lacks, of which these files are part; nothing
// where dev.json is not there or says nothing that can be read.
func (e *Environment) SeedAdvice(changed []string) []string {
	text, err := e.Store.ReadFile(dev.File)
	if err != nil || len(text) == 0 {
		return nil
	}
	m, _, err := dev.Parse(text)
	if err != nil {
		return nil
	}
	return m.Advice(changed)
}

// urls are the ways in, once the environment is up.
func (e *Environment) urls(p plan) []string {
	lookup, err := e.lookup(p)
	if err != nil {
		return nil
	}
	var all []string
	for _, u := range p.Access.URLs {
		if u, err := dev.Expand(u, lookup); err == nil {
			all = append(all, u)
		}
	}
	return all
}

// file reads a file of the project.
func (e *Environment) file(name string) ([]byte, error) {
	return fs.ReadFile(os.DirFS(e.Root), name)
}
