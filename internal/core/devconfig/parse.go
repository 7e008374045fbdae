package devconfig

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

// The defaults of a manifest.
const (
	DefaultHealthTimeout = 60 * time.Second
	DefaultRestarts      = 5
)

// Parse reads a manifest. An unknown member is a warning; an invalid value is an error that names
// its place.
func Parse(text []byte) (m Manifest, warnings []string, err error) {
	doc, err := lossless.Parse(text)
	if err != nil {
		return m, nil, fmt.Errorf("%s is not valid JSON: %w", File, err)
	}
	r := &reader{}
	r.object("", doc, map[string]func(string, *lossless.Value){
		"server":     func(at string, v *lossless.Value) { m.Server = r.server(at, v) },
		"migrations": func(at string, v *lossless.Value) { m.Migrations = r.migrations(at, v) },
		"seed":       func(at string, v *lossless.Value) { m.Seed = r.seed(at, v) },
		"auth":       func(at string, v *lossless.Value) { m.Auth = r.auth(at, v) },
		"access":     func(at string, v *lossless.Value) { m.Access = r.access(at, v) },
		"$schema":    func(string, *lossless.Value) {},
	})
	r.databases(&m)
	return m, r.warnings, errors.Join(r.errs...)
}

type reader struct {
	warnings []string
	errs     []error
}

func (r *reader) wrong(at, wants string) {
	r.errs = append(r.errs, fmt.Errorf("%s: %s must be %s", File, at, wants))
}

// object passes each member to its function.
func (r *reader) object(at string, v *lossless.Value, take map[string]func(string, *lossless.Value)) {
	if v.Kind != lossless.Object {
		if at == "" {
			at = "the document"
		}
		r.wrong(at, "an object, not "+v.Kind.String())
		return
	}
	for _, m := range v.Members {
		way := strings.TrimPrefix(at+"."+m.Key, ".")
		if fn := take[m.Key]; fn != nil {
			fn(way, m.Value)
		} else {
			r.warnings = append(r.warnings, fmt.Sprintf("%s: %s is unknown to warp", File, way))
		}
	}
}

func (r *reader) text(into *string) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.String || strings.TrimSpace(v.Text()) == "" {
			r.wrong(at, "a text that is not empty")
			return
		}
		*into = v.Text()
	}
}

// place accepts a path within the project.
func (r *reader) place(into *string) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		r.text(into)(at, v)
		*into = path.Clean(strings.ReplaceAll(*into, `\`, "/"))
		if path.IsAbs(*into) || *into == ".." || strings.HasPrefix(*into, "../") {
			r.wrong(at, "a path within the project")
		}
	}
}

func (r *reader) number(into *int, least, greatest int) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		n, ok := v.Int()
		if !ok || n < int64(least) || n > int64(greatest) {
			r.wrong(at, fmt.Sprintf("a whole number from %d to %d", least, greatest))
			return
		}
		*into = int(n)
	}
}

func (r *reader) flag(into *bool) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.Bool {
			r.wrong(at, "true or false")
			return
		}
		*into = v.Raw == "true"
	}
}

func (r *reader) texts(into *[]string) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		if v.Kind != lossless.Array {
			r.wrong(at, "a list of texts")
			return
		}
		for i, e := range v.Elems {
			var s string
			r.text(&s)(fmt.Sprintf("%s[%d]", at, i), e)
			*into = append(*into, s)
		}
	}
}

func (r *reader) command(into *Command) func(string, *lossless.Value) {
	return func(at string, v *lossless.Value) {
		switch {
		case v.Kind == lossless.Array && len(v.Elems) > 0:
			r.texts(&into.Argv)(at, v)
		case v.Kind == lossless.String && strings.TrimSpace(v.Text()) != "":
			into.Line = v.Text()
		default:
			r.wrong(at, "a command line, or a list of a program and its arguments")
		}
	}
}

func (r *reader) access(at string, v *lossless.Value) (a Access) {
	r.object(at, v, map[string]func(string, *lossless.Value){"urls": r.texts(&a.URLs), "notes": r.text(&a.Notes)})
	return a
}

func (r *reader) migrations(at string, v *lossless.Value) *Migrations {
	m := &Migrations{}
	r.object(at, v, map[string]func(string, *lossless.Value){
		"directory": r.place(&m.Directory), "command": r.command(&m.Command), "database": r.text(&m.Database),
	})
	if m.Directory == "" && !m.Command.Set() {
		r.wrong(at, "an object with a directory of .sql files, or a command")
	}
	return m
}

func (r *reader) seed(at string, v *lossless.Value) *Seed {
	s := &Seed{Runner: SQL}
	r.object(at, v, map[string]func(string, *lossless.Value){
		"directory": r.place(&s.Directory), "runner": r.text(&s.Runner), "order": r.texts(&s.Order), "database": r.text(&s.Database),
	})
	if s.Directory == "" {
		r.wrong(at+".directory", "the folder that holds the seed data")
	}
	for i, name := range s.Order {
		if strings.Contains(name, "/") || slices.Contains(s.Order[:i], name) {
			r.wrong(fmt.Sprintf("%s.order[%d]", at, i), "the name of a file in the folder, once")
		}
	}
	return s
}

func (r *reader) auth(at string, v *lossless.Value) *Auth {
	a := &Auth{Adapter: "command"}
	r.object(at, v, map[string]func(string, *lossless.Value){
		"adapter": r.text(&a.Adapter), "users": r.place(&a.Users), "provision": r.text(&a.Provision), "database": r.text(&a.Database),
	})
	switch {
	case a.Adapter == "none":
		return nil
	case a.Adapter != SQL && a.Adapter != "command":
		r.wrong(at+".adapter", "one of command, sql, none")
	case a.Users == "":
		r.wrong(at+".users", "the file that lists the users")
	case a.Provision == "":
		r.wrong(at+".provision", "the command, or with the adapter sql the statement, that makes the users")
	}
	return a
}

// databases gives a part without a database that of the previous part, and requires one if warp
// itself runs SQL.
func (r *reader) databases(m *Manifest) {
	have := ""
	next := func(at string, db *string, wanted bool) {
		if *db == "" {
			*db = have
		}
		if have = *db; have == "" && wanted {
			r.wrong(at+".database", "the database: sqlite:path or postgres://…")
		}
		if *db != "" && !strings.Contains(*db, "$") && !known(*db) {
			r.wrong(at+".database", "sqlite:path or postgres://…")
		}
	}
	if m.Migrations != nil {
		next("migrations", &m.Migrations.Database, !m.Migrations.Command.Set())
	}
	if m.Seed != nil {
		next("seed", &m.Seed.Database, m.Seed.Runner == SQL)
	}
	if m.Auth != nil {
		next("auth", &m.Auth.Database, m.Auth.Adapter == SQL)
	}
}

func known(db string) bool {
	return slices.ContainsFunc([]string{"sqlite:", "postgres://", "postgresql://"}, func(scheme string) bool { return strings.HasPrefix(db, scheme) })
}
