package dev

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/devconfig"
	"warp/internal/core/lossless"
	"warp/internal/core/redact"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
)

// ErrNone reports that a project has no dev environment.
var ErrNone = errors.New("there is no " + devconfig.File + " here: warp dev init writes one")

// plan is a trusted manifest, with the environment of its commands.
type plan struct {
	*Config
	devconfig.Manifest
	record
	redact   *redact.Redactor
	say      func(format string, args ...any)
	warnings []string
	server   string // the hash of its server section
	port     int    // for the server, if neither dev.json nor the record has one
}

// load reads the manifest, which must be trusted: exactly what was read is run.
func load(c *Config) (*plan, error) {
	text, err := c.Store.ReadFile(devconfig.File)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", devconfig.File, err)
	}
	if len(text) == 0 {
		return nil, ErrNone
	}
	if err := c.trusted(text); err != nil {
		return nil, err
	}
	m, warnings, err := devconfig.Parse(text)
	if err != nil {
		return nil, err
	}
	p := &plan{Config: c, Manifest: m, record: record{takedown.Record(c.Store)}, redact: redact.New(append(secretsOf(m), c.Environ...)), warnings: warnings}
	if doc, err := lossless.Parse(text); err == nil && m.Server != nil {
		p.server = devconfig.Hash(lossless.AppendCompact(nil, doc.Get("server")))
	}
	return p, nil
}

// trusted returns why a manifest may not be run. A linked work tree has the main one's trust; a
// manifest that exists only there can be trusted at its own path.
func (c *Config) trusted(text []byte) error {
	err := c.Trust(filepath.Join(c.Home, devconfig.File), text)
	if err == nil || c.Root == c.Home {
		return err
	}
	return c.Trust(filepath.Join(c.Root, devconfig.File), text)
}

// manifest returns dev.json's content, trusted or not; false if it is missing or unreadable.
func (c *Config) manifest() (devconfig.Manifest, bool) {
	text, err := c.Store.ReadFile(devconfig.File)
	if err != nil || len(text) == 0 {
		return devconfig.Manifest{}, false
	}
	m, _, err := devconfig.Parse(text)
	return m, err == nil
}

// environ returns the environment of the project's commands: ours, what dev.json adds, and the
// port.
func (p *plan) environ(port int) ([]string, error) {
	own, err := p.ownVariables(port)
	return slices.Concat(p.Environ, own), err
}

// ownVariables returns what dev.json adds to the environment, and the port.
func (p *plan) ownVariables(port int) (own []string, err error) {
	if p.Server == nil {
		return nil, nil
	}
	own = []string{"PORT=" + strconv.Itoa(port)} // 0 before the first start, when nothing runs
	for _, v := range p.Server.Env {
		value, err := devconfig.Expand(v.Value, lookup(slices.Concat(p.Environ, own)))
		if err != nil {
			return nil, fmt.Errorf("%s: server.env.%s: %w", devconfig.File, v.Name, err)
		}
		own = append(own, v.Name+"="+value)
	}
	return own, nil
}

// lookup returns a function that finds a variable's value, the last one if there are several.
func lookup(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// serverPort returns the server's port: from dev.json, the record, or the one it will get.
func (p *plan) serverPort() int {
	switch {
	case p.Server == nil:
		return 0
	case p.Server.Port > 0:
		return p.Server.Port
	}
	if r, err := p.known(); err == nil && r.Server != nil {
		return r.Server.Port
	}
	return p.port
}

// expand replaces variables in a text, as the project's commands see them.
func (p *plan) expand(text string) (string, error) {
	env, err := p.environ(p.serverPort())
	if err != nil {
		return "", err
	}
	return devconfig.Expand(text, lookup(env))
}

// database returns a database's address with variables expanded.
func (p *plan) database(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	full, err := p.expand(address)
	if err != nil {
		return "", fmt.Errorf("%s: the database: %w", devconfig.File, err)
	}
	return full, nil
}

// secretsOf returns the possible secrets in dev.json itself, as an environment.
func secretsOf(m devconfig.Manifest) []string {
	var all []string
	if m.Server != nil {
		for _, v := range m.Server.Env {
			all = append(all, v.Name+"="+v.Value)
		}
	}
	if m.Migrations != nil {
		all = append(all, "DATABASE="+m.Migrations.Database)
	}
	if m.Seed != nil {
		all = append(all, "DATABASE="+m.Seed.Database)
	}
	if m.Auth != nil {
		all = append(all, "DATABASE="+m.Auth.Database)
	}
	return all
}

// clean removes secrets from an error's text.
func (p *plan) clean(err error) error {
	if text := p.redact.String(err.Error()); text != err.Error() {
		return &cleaned{text, err}
	}
	return err
}

type cleaned struct {
	text string
	err  error
}

func (c *cleaned) Error() string { return c.text }
func (c *cleaned) Unwrap() error { return c.err }

// record is what is known of a work tree's environment.
type record struct {
	doc *durable.Doc[devconfig.Record]
}

// known returns the record; an empty one if there is none.
func (r record) known() (devconfig.Record, error) {
	v, err := r.doc.Read()
	if durable.IsMissing(err) {
		return devconfig.Record{Version: devconfig.Version}, nil
	}
	if err != nil {
		return devconfig.Record{}, err
	}
	return *v.Doc, nil
}

// note changes the record.
func (r record) note(what string, fn func(*devconfig.Record) error) error {
	_, err := r.doc.Update(func(tx *durable.Tx[devconfig.Record]) error {
		if tx.Doc == nil {
			tx.Doc = &devconfig.Record{Version: devconfig.Version}
		}
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}
