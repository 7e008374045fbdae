package devconfig

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// asked returns what is at a path of the project: the text of a file, or the names in a folder, one
// per line.
type asked = func(path string) ([]byte, bool)

func listing(has asked, dir string) (names []string) {
	text, _ := has(dir)
	for name := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' }) {
		if !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
	}
	return names
}

// migrationTools are recognised by their files.
var migrationTools = []struct{ file, directory, command string }{
	{"prisma/schema.prisma", "prisma", "npx prisma migrate deploy"},
	{"drizzle.config.ts", "drizzle", "npx drizzle-kit migrate"},
	{"drizzle.config.js", "drizzle", "npx drizzle-kit migrate"},
	{"knexfile.js", "migrations", "npx knex migrate:latest"},
	{"knexfile.ts", "migrations", "npx knex migrate:latest"},
	{".sequelizerc", "migrations", "npx sequelize-cli db:migrate"},
	{"alembic.ini", "alembic", "alembic upgrade head"},
}

// migrationsOf returns the migrations found; nil if none.
func migrationsOf(has asked) []lossless.Member {
	for _, m := range migrationTools {
		if _, ok := has(m.file); !ok {
			continue
		}
		list := []lossless.Member{member("command", m.command)}
		if _, ok := has(m.directory); ok || m.directory == path.Dir(m.file) {
			list = append(list, member("directory", m.directory))
		}
		return list
	}
	for _, dir := range []string{"migrations", "db/migrations"} {
		if _, ok := has(dir); !ok {
			continue
		}
		if name := workersDatabase(has); name != "" {
			return []lossless.Member{member("command", "npx wrangler d1 migrations apply "+name+" --local"), member("directory", dir)}
		}
		return []lossless.Member{member("directory", dir), member("database", "sqlite:dev.db")}
	}
	return nil
}

// workersDatabase returns the D1 database of a Cloudflare project; "" if it has none.
func workersDatabase(has asked) string {
	text, _ := has("wrangler.toml")
	_, section, found := strings.Cut(string(text), "[[d1_databases]]")
	for line := range strings.Lines(section) {
		key, value, _ := strings.Cut(line, "=")
		name := strings.Trim(strings.TrimSpace(value), `"'`)
		if strings.TrimSpace(key) == "database_name" && found && !strings.ContainsFunc(name, odd) {
			return name
		}
	}
	return ""
}

// odd reports whether a character is not allowed in a name used in a command or statement.
func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// runners run files by extension; SQL needs a database.
var runners = map[string]string{".sql": SQL, ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "npx tsx", ".py": "python3", ".rb": "bin/rails runner", ".sh": "sh"}

const seedFolder = "seed"

// seedOf returns the folder of seed data and its runner; "" if there is none. Files of two kinds
// have no common runner.
func seedOf(has asked, database bool) (dir, runner string) {
	for _, dir := range []string{seedFolder, "seeds", "db/seeds", "db/seed"} {
		kinds := map[string]bool{}
		for _, name := range listing(has, dir) {
			if path.Ext(name) != ".json" { // the users
				kinds[runners[path.Ext(name)]] = true
			}
		}
		for kind := range kinds {
			if len(kinds) == 1 && kind != "" && (kind != SQL || database) {
				return dir, kind
			}
		}
	}
	if _, django := has("manage.py"); django && len(listing(has, "fixtures")) > 0 {
		return "fixtures", "python3 manage.py loaddata"
	}
	if database {
		return seedFolder, SQL
	}
	return "", ""
}

// provisioners are programs that create users from a file.
var provisioners = []string{"scripts/provision-users", "scripts/provision", "scripts/create-users", "scripts/seed-users", "bin/provision-users"}

// authOf returns how to create users: by a program, or in a table of users.
func authOf(has asked, migrations string, database bool) []lossless.Member {
	users := member("users", usersFile(has))
	for _, p := range provisioners {
		for _, ext := range []string{".mjs", ".js", ".ts", ".py", ".rb", ".sh"} {
			if _, ok := has(p + ext); ok {
				return []lossless.Member{member("adapter", "command"), users, member("provision", runners[ext]+" "+p+ext)}
			}
		}
	}
	if columns := userColumns(has, migrations); database && slices.Contains(columns, "email") {
		provision := "INSERT INTO users (" + strings.Join(columns, ", ") + ") VALUES (:" + strings.Join(columns, ", :") + ") ON CONFLICT DO NOTHING"
		return []lossless.Member{member("adapter", SQL), users, member("provision", provision)}
	}
	return nil
}

const usersTemplate = seedFolder + "/users.json"

func usersFile(has asked) string {
	for _, file := range []string{usersTemplate, "seeds/users.json", "db/users.json", "db/seeds/users.json"} {
		if _, ok := has(file); ok {
			return file
		}
	}
	return usersTemplate
}

// userColumns returns the members of the users template that are columns of the users table, as a
// migration creates it.
func userColumns(has asked, migrations string) (columns []string) {
	for _, name := range listing(has, migrations) {
		text, _ := has(path.Join(migrations, name))
		words := strings.Join(strings.Fields(strings.NewReplacer(`"`, "", "`", "", "(", " ( ", ")", " ) ", ",", " , ").Replace(strings.ToLower(string(text)))), " ")
		_, table, found := strings.Cut(strings.ReplaceAll(words, "if not exists ", ""), "create table users ( ")
		if table, _, _ = strings.Cut(table, ";"); !found {
			continue
		}
		for _, column := range []string{"email", "name", "role"} {
			if strings.HasPrefix(table, column+" ") || strings.Contains(table, ", "+column+" ") {
				columns = append(columns, column)
			}
		}
		return columns
	}
	return nil
}
