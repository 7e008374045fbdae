package devconfig

import (
	"strings"
	"testing"
)

// Sections are written where their parts are found, and only there.
func TestSectionsAreFound(t *testing.T) {
	const node = `{"scripts": {"dev": "vite"}}`
	for name, c := range map[string]struct {
		files                                      map[string]string
		migrations, seed, runner, auth, users, how string
	}{
		"nothing": {map[string]string{"package.json": node}, "", "", "", "", "", ""},
		"SQL": {map[string]string{"migrations": "001.sql\n", "migrations/001.sql": "CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);"},
			"migrations", "seed", SQL, SQL, "seed/users.json", "INSERT INTO users (email, name) VALUES (:email, :name) ON CONFLICT DO NOTHING"},
		"SQL without users":      {map[string]string{"db/migrations": "001.sql", "db/migrations/001.sql": "CREATE TABLE things (id INTEGER);"}, "db/migrations", "seed", SQL, "", "", ""},
		"its own seeds":          {map[string]string{"migrations": "", "db/seeds": "1.sql\n2.sql"}, "migrations", "db/seeds", SQL, "", "", ""},
		"seeds in node":          {map[string]string{"package.json": node, "seeds": "README.md\nshops.mjs\n"}, "", "seeds", "node", "", "", ""},
		"seeds in python":        {map[string]string{"requirements.txt": "flask", "seed": "a.py"}, "", "seed", "python3", "", "", ""},
		"fixtures":               {map[string]string{"manage.py": "", "fixtures": "shops.json"}, "python3 manage.py migrate --noinput", "fixtures", "python3 manage.py loaddata", "", "", ""},
		"seeds of two kinds":     {map[string]string{"package.json": node, "seeds": "a.mjs\nb.py"}, "", "", "", "", "", ""},
		"SQL without a database": {map[string]string{"package.json": node, "seeds": "a.sql"}, "", "", "", "", "", ""},
		"provisioning":           {map[string]string{"package.json": node, "scripts/provision-users.mjs": "", "seed/users.json": "[]"}, "", "", "", "command", "seed/users.json", "node scripts/provision-users.mjs"},
		"knex":                   {map[string]string{"package.json": node, "knexfile.js": "", "migrations": "1.js"}, "npx knex migrate:latest", "", "", "", "", ""},
		"D1": {map[string]string{"package.json": node, "migrations": "1.sql", "wrangler.toml": "[[d1_databases]]\nbinding = \"DB\"\ndatabase_name = \"shop\"\n"},
			"npx wrangler d1 migrations apply shop --local", "", "", "", "", ""},
	} {
		got := Suggest(func(path string) ([]byte, bool) { text, ok := c.files[path]; return []byte(text), ok })
		text := got.Files[0].Text
		m, warnings, err := Parse([]byte(text))
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %v\n%s", name, err, warnings, text)
			continue
		}
		var migrations, seed, runner, auth, users, how string
		if m.Migrations != nil {
			migrations = m.Migrations.Command.String()
			if migrations == "" {
				migrations = m.Migrations.Directory
			}
		}
		if m.Seed != nil {
			seed, runner = m.Seed.Directory, m.Seed.Runner
		}
		if m.Auth != nil {
			auth, users, how = m.Auth.Adapter, m.Auth.Users, m.Auth.Provision
		}
		have := strings.Join([]string{migrations, seed, runner, auth, users, how}, "|")
		want := strings.Join([]string{c.migrations, c.seed, c.runner, c.auth, c.users, c.how}, "|")
		if have != want {
			t.Errorf("%s:\nhave %s\nwant %s\n%s", name, have, want, text)
		}
	}
}

// A template of seed data goes where the manifest looks for it, and nowhere else.
func TestTemplatesOfSeedData(t *testing.T) {
	files := func(there map[string]string) (list []string) {
		for _, f := range Suggest(func(path string) ([]byte, bool) { text, ok := there[path]; return []byte(text), ok }).Files {
			list = append(list, f.Path)
		}
		return list
	}
	for _, c := range []struct {
		there map[string]string
		want  string
	}{
		{map[string]string{"migrations": "1.sql"}, "dev.json seed/001_example.sql seed/users.json"},
		{map[string]string{"migrations": "1.sql", "db/seeds": "1.sql"}, "dev.json seed/users.json"},
		{map[string]string{"seed": "a.py", "seed/a.py": ""}, "dev.json"},
		{map[string]string{"seed": "a.py", "scripts/provision.py": ""}, "dev.json seed/users.json"},
		{nil, "dev.json seed/001_example.sql seed/users.json"},
	} {
		if have := strings.Join(files(c.there), " "); have != c.want {
			t.Errorf("%v: %s, want %s", c.there, have, c.want)
		}
	}
}
