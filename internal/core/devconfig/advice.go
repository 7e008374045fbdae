package devconfig

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Advice returns what a change lacks: one that touches the schema or adds migrations should bring
// seed data for the new parts. It is only advice.
func (m Manifest) Advice(changed []string) []string {
	var schema []string
	for _, p := range changed {
		p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if m.seeds(p) {
			return nil
		}
		if m.schema(p) {
			schema = append(schema, p)
		}
	}
	if len(schema) == 0 {
		return nil
	}
	slices.Sort(schema)
	schema = slices.Compact(schema)
	where := "seed data"
	if m.Seed != nil {
		where = m.Seed.Directory + "/"
	}
	return []string{fmt.Sprintf("the schema changes (%s), but nothing in %s does: add data for every new entity and state, so that it can be tested", text.List(schema, 1), where)}
}

func (m Manifest) seeds(p string) bool {
	if m.Seed != nil && within(p, m.Seed.Directory) || m.Auth != nil && p == m.Auth.Users {
		return true
	}
	dir, base := path.Split(p)
	for part := range strings.SplitSeq(dir, "/") {
		if part == "seed" || part == "seeds" || part == "fixtures" {
			return true
		}
	}
	name, _, _ := strings.Cut(base, ".")
	return name == "seed" || name == "seeds"
}

// schema reports whether common tools keep their schema at this path.
func (m Manifest) schema(p string) bool {
	if m.Migrations != nil && m.Migrations.Directory != "" && within(p, m.Migrations.Directory) {
		return true
	}
	if base := path.Base(p); slices.Contains([]string{"schema.prisma", "schema.rb", "structure.sql", "schema.sql", "models.py"}, base) {
		return true
	}
	parts := strings.Split(path.Dir(p), "/")
	for i, part := range parts {
		switch part {
		case "migrations", "migrate", "drizzle":
			return true
		case "versions":
			return i > 0 && parts[i-1] == "alembic"
		}
	}
	return false
}

func within(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}
