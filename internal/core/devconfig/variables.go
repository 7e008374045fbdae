package devconfig

import (
	"slices"
	"strings"
)

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
// ${NAME:-otherwise}, ${#NAME}.
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
