package devconfig

import (
	"encoding/json"
	"strings"

	"warp/internal/core/lossless"
)

// Template is a dev.json to start from, for the detected stack.
type Template struct {
	Stack string
	Why   string
	Files []TemplateFile
}

// TemplateFile is one file to write unless it exists.
type TemplateFile struct{ Path, Text string }

// stack describes one kind of project.
type stack struct {
	name, why  string
	command    string
	port       int64
	health     string
	migrations []lossless.Member
}

// Suggest detects a project's stack. It calls has with the files of the root; for a folder it gets
// the names in it.
func Suggest(has asked) Template {
	s := stack{name: "unknown", why: "no server was found in the root", command: "echo 'put the command of the dev server into dev.json'; exit 1", port: 8080, health: "/"}
	for _, find := range []func(asked) (stack, bool){byNode, byRails, byDjango, byPython, byGo} {
		if found, ok := find(has); ok {
			s = found
			break
		}
	}
	if s.migrations == nil {
		s.migrations = migrationsOf(has)
	}
	found := lossless.NewObject(s.migrations...)
	database := found.Get("database") != nil
	dir, runner := seedOf(has, database)
	auth := authOf(has, found.Get("directory").Text(), database)
	doc := lossless.NewObject(member("server", lossless.NewObject(member("command", s.command), member("port", s.port),
		member("health", s.health), member("restart", OnFailure), member("env", lossless.NewObject()))))
	if s.migrations != nil {
		doc = doc.With("migrations", found)
	}
	if dir != "" {
		doc = doc.With("seed", lossless.NewObject(member("directory", dir), member("runner", runner)))
	}
	if auth != nil {
		doc = doc.With("auth", lossless.NewObject(auth...))
	}
	doc = doc.With("access", lossless.NewObject(member("urls", []string{"http://localhost:${PORT}"})))
	files := []TemplateFile{{File, string(lossless.AppendIndent(nil, doc)) + "\n"}}
	if dir == "" || dir == seedFolder && len(listing(has, dir)) == 0 {
		files = append(files, TemplateFile{seedFolder + "/001_example.sql", "-- Seed data: run once, and again whenever this file changes. Write it so that it can be\n-- run again, for example INSERT … ON CONFLICT DO NOTHING.\n"})
	}
	if runner == "" || runner == SQL || auth != nil { // another runner would take the users file for seed data
		files = append(files, TemplateFile{usersFile(has), "[\n  {\"email\": \"admin@example.com\", \"name\": \"Admin\", \"role\": \"admin\"},\n  {\"email\": \"user@example.com\", \"name\": \"User\", \"role\": \"user\"}\n]\n"})
	}
	return Template{s.name, s.why, files}
}

// member is one setting of the template.
var member = lossless.NewMember

func byNode(has asked) (stack, bool) {
	content, ok := has("package.json")
	if !ok {
		return stack{}, false
	}
	var manifest struct {
		Scripts                       map[string]string
		Dependencies, DevDependencies map[string]any
	}
	if json.Unmarshal(content, &manifest) != nil {
		return stack{}, false
	}
	script := "dev"
	if manifest.Scripts["dev"] == "" {
		script = "start"
	}
	if manifest.Scripts[script] == "" {
		return stack{}, false
	}
	run := "npm run "
	for _, m := range [...]struct{ lock, run string }{{"pnpm-lock.yaml", "pnpm "}, {"yarn.lock", "yarn "}, {"bun.lockb", "bun run "}, {"bun.lock", "bun run "}} {
		if _, ok := has(m.lock); ok {
			run = m.run
			break
		}
	}
	s := stack{name: "node", why: "package.json has a script " + script, command: run + script, port: 3000, health: "/"}
	for _, f := range [...]struct {
		name, module string
		port         int64
	}{{"sveltekit", "@sveltejs/kit", 5173}, {"next", "next", 3000}, {"vite", "vite", 5173}} {
		if manifest.Dependencies[f.module] != nil || manifest.DevDependencies[f.module] != nil {
			s.name, s.port, s.why = f.name, f.port, "package.json names "+f.module
			break
		}
	}
	return s, true
}

func byRails(has asked) (stack, bool) {
	gems, ok := has("Gemfile")
	if !ok || !strings.Contains(string(gems), "rails") {
		return stack{}, false
	}
	return stack{"rails", "Gemfile names rails", "bin/rails server -p ${PORT}", 3000, "/up", []lossless.Member{member("command", "bin/rails db:prepare"), member("directory", "db")}}, true
}

func byDjango(has asked) (stack, bool) {
	if _, ok := has("manage.py"); !ok {
		return stack{}, false
	}
	return stack{"django", "there is a manage.py", "python3 manage.py runserver ${PORT}", 8000, "/", []lossless.Member{member("command", "python3 manage.py migrate --noinput")}}, true
}

func byPython(has asked) (stack, bool) {
	var said string
	for _, file := range []string{"requirements.txt", "pyproject.toml"} {
		content, _ := has(file)
		said += strings.ToLower(string(content))
	}
	module := "app"
	if _, ok := has("main.py"); ok {
		module = "main"
	}
	switch {
	case strings.Contains(said, "fastapi"):
		return stack{"fastapi", "fastapi is required", "uvicorn " + module + ":app --port ${PORT}", 8000, "/docs", nil}, true
	case strings.Contains(said, "flask"):
		return stack{"flask", "flask is required", "flask --app " + module + " run --port ${PORT}", 5000, "/", nil}, true
	}
	return stack{}, false
}

func byGo(has asked) (stack, bool) {
	if _, ok := has("go.mod"); !ok {
		return stack{}, false
	}
	target := "."
	if _, ok := has("main.go"); !ok {
		for _, dir := range []string{"cmd/server", "cmd/web", "cmd/api"} {
			if _, ok := has(dir); ok {
				target = "./" + dir
				break
			}
		}
	}
	return stack{"go", "there is a go.mod", "go run " + target, 8080, "tcp", nil}, true
}
