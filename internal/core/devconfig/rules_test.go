package devconfig

import (
	"strings"
	"testing"
	"time"
)

func TestRestartIsBoundedAndSlowsDown(t *testing.T) {
	r := Restart{OnFailure, 3}
	var pauses []time.Duration
	failed := 0
	for {
		count, pause, again := r.Next(1, time.Second, failed)
		if !again {
			break
		}
		failed = count
		pauses = append(pauses, pause)
	}
	if len(pauses) != 3 || pauses[0] != 500*time.Millisecond || pauses[1] != time.Second || pauses[2] != 2*time.Second {
		t.Errorf("paused %v", pauses)
	}
	if count, _, again := r.Next(1, time.Hour, 3); !again || count != 1 {
		t.Errorf("a server that lasted counts as one that did not: %d, %v", count, again)
	}
	if _, pause, again := (Restart{Always, 1000}).Next(0, 0, 900); !again || pause != longestPause {
		t.Errorf("%v, %v", pause, again)
	}
	for _, c := range []struct {
		policy Policy
		exit   int
		again  bool
	}{{OnFailure, 0, false}, {OnFailure, 1, true}, {Always, 0, true}, {Never, 1, false}} {
		if _, _, again := (Restart{c.policy, 1}).Next(c.exit, 0, 0); again != c.again {
			t.Errorf("%s after %d: %v", c.policy, c.exit, again)
		}
	}
}

func TestHealthAccepts(t *testing.T) {
	for status, want := range map[int]bool{199: false, 200: true, 302: true, 399: true, 400: false, 500: false} {
		if (Health{}).Accepts(status) != want {
			t.Errorf("%d", status)
		}
	}
	if h := (Health{Status: []int{401}}); h.Accepts(200) || !h.Accepts(401) {
		t.Error("the expected status is not the one that counts")
	}
}

func TestAdvice(t *testing.T) {
	m, _, err := Parse([]byte(`{"migrations": {"directory": "db/changes", "database": "sqlite:x"}, "seed": {"directory": "db/data"}, "auth": {"users": "people.json", "provision": "x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for changed, want := range map[string]bool{
		"db/changes/004.sql":             true,
		"db/changes/004.sql db/data/x":   false,
		"db/changes/004.sql people.json": false,
		"prisma/schema.prisma":           true,
		"shop/models.py":                 true,
		"shop/migrations/0002_x.py":      true,
		"alembic/versions/a.py":          true,
		"api/versions/a.py":              false,
		"db/schema.rb prisma/seed.ts":    false,
		"main.go":                        false,
		"db/changeset.go":                false,
		"":                               false,
	} {
		if got := m.Advice(strings.Fields(changed)); (len(got) > 0) != want {
			t.Errorf("%q: %v", changed, got)
		}
	}
	got := m.Advice([]string{"db/changes/2.sql", "db/changes/1.sql"})
	if len(got) != 1 || !strings.Contains(got[0], "(db/changes/1.sql and 1 more), but nothing in db/data/ does") {
		t.Errorf("%v", got)
	}
}

func TestRecordRemembersTheLastContent(t *testing.T) {
	var r Record
	r.Note(Done{SeedData, "a", "1", ""})
	r.Note(Done{Migration, "a", "2", ""})
	r.Note(Done{SeedData, "a", "3", ""})
	if len(r.Done) != 2 || r.Was(SeedData, "a") != "3" || r.Was(Migration, "a") != "2" || r.Was(Users, "a") != "" {
		t.Errorf("%+v", r)
	}
}

// What stands in one part must not be mistaken for another.
func TestHashTellsPartsApart(t *testing.T) {
	if Hash([]byte("ab"), []byte("c")) == Hash([]byte("a"), []byte("bc")) {
		t.Error("the parts are run together")
	}
}

func TestTemplatesFitTheirStack(t *testing.T) {
	for _, c := range []struct {
		name                 string
		files                map[string]string
		stack, command, more string
	}{
		{"SvelteKit", map[string]string{"package.json": `{"scripts": {"dev": "vite"}, "devDependencies": {"@sveltejs/kit": "2", "vite": "5"}}`, "pnpm-lock.yaml": ""}, "sveltekit", "pnpm dev", `"port": 5173`},
		{"Next", map[string]string{"package.json": `{"scripts": {"dev": "next"}, "dependencies": {"next": "15"}}`, "prisma/schema.prisma": ""}, "next", "npm run dev", "npx prisma migrate deploy"},
		{"Vite", map[string]string{"package.json": `{"scripts": {"dev": "vite"}, "devDependencies": {"vite": "5"}}`, "yarn.lock": ""}, "vite", "yarn dev", `"port": 5173`},
		{"Node", map[string]string{"package.json": `{"scripts": {"start": "node ."}}`}, "node", "npm run start", `"port": 3000`},
		{"Rails", map[string]string{"Gemfile": `gem "rails"`}, "rails", "bin/rails server -p ${PORT}", "bin/rails db:prepare"},
		{"Django", map[string]string{"manage.py": ""}, "django", "python3 manage.py runserver ${PORT}", "manage.py migrate"},
		{"FastAPI", map[string]string{"requirements.txt": "FastAPI\n", "main.py": "", "alembic.ini": ""}, "fastapi", "uvicorn main:app --port ${PORT}", "alembic upgrade head"},
		{"Flask", map[string]string{"pyproject.toml": `dependencies = ["flask"]`}, "flask", "flask --app app run --port ${PORT}", `"port": 5000`},
		{"Go", map[string]string{"go.mod": "", "cmd/server": "", "migrations": ""}, "go", "go run ./cmd/server", `"seed"`},
		{"nothing", nil, "unknown", "echo 'put the command", `"server"`},
	} {
		got := Suggest(func(path string) ([]byte, bool) { text, ok := c.files[path]; return []byte(text), ok })
		text := got.Files[0].Text
		m, warnings, err := Parse([]byte(text))
		if got.Stack != c.stack || err != nil || len(warnings) > 0 || m.Server == nil || !strings.HasPrefix(m.Server.Command.Line, c.command) || !strings.Contains(text, c.more) {
			t.Errorf("%s: %s, %v, %v\n%s", c.name, got.Stack, err, warnings, text)
		}
	}
}
