package dev

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/devconfig"
	"warp/internal/core/redact"
	"warp/internal/durable"
)

// migrations returns the folder's files, or the one command, which is pending when a file of the
// folder changes.
func (p *plan) migrations() ([]task, error) {
	m := p.Migrations
	if m == nil {
		return nil, nil
	}
	db, err := p.database(m.Database)
	if err != nil {
		return nil, err
	}
	if !m.Command.Set() {
		names, err := p.list(m.Directory, func(name string) bool { // not those that take one back
			return strings.HasSuffix(name, ".sql") && !strings.HasSuffix(name, ".down.sql")
		})
		if err != nil {
			return nil, err
		}
		return p.scripts(devconfig.Migration, m.Directory, names, db, true)
	}
	parts := [][]byte{[]byte(m.Command.String())}
	if m.Directory != "" {
		err := fs.WalkDir(os.DirFS(p.Root), m.Directory, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := p.file(name)
			parts = append(parts, []byte(name), text)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading the migrations: %w", err)
		}
	}
	return []task{{kind: devconfig.Migration, name: m.Command.String(), hash: devconfig.Hash(parts...), database: db, command: shell(m.Command, false)}}, nil
}

func (p *plan) scripts(kind, dir string, names []string, db string, fixed bool) ([]task, error) {
	var all []task
	for _, n := range names {
		text, err := p.file(path.Join(dir, n))
		if err != nil {
			return nil, err
		}
		all = append(all, task{kind: kind, name: path.Join(dir, n), hash: devconfig.Hash(text), database: db, sql: string(text), fixed: fixed})
	}
	return all, nil
}

// seeds returns the folder's files: first those with a given order, then the others by name.
func (p *plan) seeds() ([]task, error) {
	s := p.Seed
	if s == nil {
		return nil, nil
	}
	db, err := p.database(s.Database)
	if err != nil {
		return nil, err
	}
	names, err := p.list(s.Directory, func(name string) bool {
		users := p.Auth != nil && path.Join(s.Directory, name) == p.Auth.Users
		return !users && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".md") && (s.Runner != devconfig.SQL || strings.HasSuffix(name, ".sql"))
	})
	if err != nil {
		return nil, err
	}
	for _, o := range s.Order {
		if !slices.Contains(names, o) {
			return nil, fmt.Errorf("%s: seed.order names %s, which is not in %s", devconfig.File, o, s.Directory)
		}
	}
	rest := slices.DeleteFunc(names, func(n string) bool { return slices.Contains(s.Order, n) })
	names = append(slices.Clone(s.Order), rest...)
	tasks, err := p.scripts(devconfig.SeedData, s.Directory, names, db, false)
	if err != nil || s.Runner == devconfig.SQL {
		return tasks, err
	}
	for i := range tasks {
		tasks[i].sql = ""
		tasks[i].command = append(shell(devconfig.Command{Line: s.Runner}, true), tasks[i].name)
	}
	return tasks, nil
}

// file reads a file of the project.
func (p *plan) file(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return durable.ReadPlain(filepath.Join(p.Root, filepath.FromSlash(name)))
}

func (p *plan) list(dir string, want func(string) bool) ([]string, error) {
	entries, err := fs.ReadDir(os.DirFS(p.Root), dir)
	if err != nil {
		return nil, fmt.Errorf("%s: reading the folder %s: %w", devconfig.File, dir, err)
	}
	var names []string
	for _, d := range entries {
		if d.Type().IsRegular() && want(d.Name()) {
			names = append(names, d.Name())
		}
	}
	return names, nil
}

func (p *plan) users() ([]task, error) {
	a := p.Auth
	if a == nil {
		return nil, nil
	}
	db, err := p.database(a.Database)
	if err != nil {
		return nil, err
	}
	text, err := p.file(a.Users)
	if err != nil {
		return nil, fmt.Errorf("%s: auth.users: %w", devconfig.File, err)
	}
	t := task{kind: devconfig.Users, name: a.Users, hash: devconfig.Hash(text, []byte(a.Provision)), database: db}
	t.users, err = readUsers(text)
	if a.Adapter == devconfig.SQL {
		if err != nil {
			return nil, fmt.Errorf("%s must be a JSON list of objects: %w", a.Users, err)
		}
		t.statement = a.Provision
	} else {
		t.command = append(shell(devconfig.Command{Line: a.Provision}, true), a.Users)
	}
	return []task{t}, nil
}

// readUsers reads a list of users; nested values become JSON.
func readUsers(text []byte) ([]map[string]any, error) {
	var users []map[string]any
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(&users); err != nil {
		return nil, err
	}
	for _, u := range users {
		for k, v := range u {
			u[k] = scalar(v)
		}
	}
	return users, nil
}

func scalar(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n
		}
		f, _ := x.Float64() // the decoder has checked it
		return f
	case map[string]any, []any:
		text, _ := json.Marshal(x) // it was JSON before
		return string(text)
	}
	return v
}

// hide removes users' secrets from a command's output.
func hide(text string, users []map[string]any) string {
	for _, u := range users {
		for k, v := range u {
			k = strings.ToLower(k)
			secret := strings.Contains(k, "pass") || strings.Contains(k, "secret") || strings.Contains(k, "token") || strings.HasSuffix(k, "key")
			if s, ok := v.(string); ok && secret && s != "" {
				text = strings.ReplaceAll(text, s, redact.Mark)
			}
		}
	}
	return text
}

// shell returns the program for a command. With more, arguments appended to it are passed to the
// command line.
func shell(c devconfig.Command, more bool) []string {
	switch {
	case c.Line == "":
		return c.Argv
	case more:
		return []string{"sh", "-c", c.Line + ` "$@"`, "sh"}
	}
	return []string{"sh", "-c", c.Line}
}
