package devconfig

import (
	"fmt"
	"slices"
	"strings"
)

// Bind replaces a statement's :names by numbered placeholders, and lists the names in that order.
// Quotes, comments and PostgreSQL's ::casts stay unchanged.
func Bind(statement, placeholder string) (sql string, names []string) {
	var b strings.Builder
	number := map[string]int{}
	for i := 0; i < len(statement); {
		skip := quoted(statement[i:])
		if skip == 0 && strings.HasPrefix(statement[i:], "::") {
			skip = 2
		}
		if skip > 0 {
			b.WriteString(statement[i : i+skip])
			i += skip
			continue
		}
		if name, _, ok := variable(statement[i+1:]); statement[i] == ':' && ok && !strings.HasPrefix(statement[i+1:], "{") {
			if number[name] == 0 {
				names = append(names, name)
				number[name] = len(names)
			}
			fmt.Fprintf(&b, "%s%d", placeholder, number[name])
			i += 1 + len(name)
			continue
		}
		b.WriteByte(statement[i])
		i++
	}
	return b.String(), names
}

// quoted returns the length of the quote or comment that a text begins with.
func quoted(text string) int {
	for _, q := range [...]struct{ from, to string }{{"'", "'"}, {`"`, `"`}, {"--", "\n"}, {"/*", "*/"}} {
		if rest, ok := strings.CutPrefix(text, q.from); ok {
			if end := strings.Index(rest, q.to); end >= 0 {
				return len(q.from) + end + len(q.to)
			}
			return len(text)
		}
	}
	return 0
}

// Variables returns the variables that dev.json names: in its commands, in database addresses and
// in the environment it sets. Its commands need these from the person's environment.
func (m Manifest) Variables() []string {
	var texts []string
	if s := m.Server; s != nil {
		texts = append(append(texts, s.Command.Line), s.Command.Argv...)
		for _, v := range s.Env {
			texts = append(texts, v.Value)
		}
	}
	if g := m.Migrations; g != nil {
		texts = append(append(texts, g.Database, g.Command.Line), g.Command.Argv...)
	}
	if s := m.Seed; s != nil {
		texts = append(texts, s.Database, s.Runner)
	}
	if a := m.Auth; a != nil {
		texts = append(texts, a.Database)
		if a.Adapter != SQL {
			texts = append(texts, a.Provision)
		}
	}
	var names []string
	for _, text := range texts {
		names = append(names, named(text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// named returns the names after the dollars of a text, in any shell form: $NAME, ${NAME},
// ${NAME:-default}, ${#NAME}.
func named(text string) (names []string) {
	for {
		_, rest, found := strings.Cut(text, "$")
		if !found {
			return names
		}
		text = rest
		if name, _, ok := variable(strings.TrimLeft(rest, "{#")); ok {
			names = append(names, name)
		}
	}
}

// Databases returns the database addresses in dev.json, as written.
func (m Manifest) Databases() (all []string) {
	if m.Migrations != nil {
		all = append(all, m.Migrations.Database)
	}
	if m.Seed != nil {
		all = append(all, m.Seed.Database)
	}
	if m.Auth != nil {
		all = append(all, m.Auth.Database)
	}
	return slices.DeleteFunc(all, func(address string) bool { return address == "" })
}
