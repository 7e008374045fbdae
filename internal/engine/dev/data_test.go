//go:build unix

package dev_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/trustledger"
	"warp/internal/engine/dev"
)

const shop = `{
	"migrations": {"directory": "migrations", "database": "%DB%"},
	"seed": {"directory": "seed", "order": ["shops.sql"]},
	"auth": {"adapter": "sql", "users": "seed/users.json", "provision": "INSERT INTO users (email, age, note) VALUES (:email, :age, 'a:b')"}
}`

var shopFiles = map[string]string{
	"migrations/001_shops.sql":      "CREATE TABLE shops (name TEXT PRIMARY KEY);\nCREATE TABLE goods (shop TEXT REFERENCES shops (name), name TEXT);",
	"migrations/002_users.sql":      "CREATE TABLE users (email TEXT PRIMARY KEY, age INTEGER, note TEXT);",
	"migrations/002_users.down.sql": "DROP TABLE users;",
	"seed/goods.sql":                "INSERT INTO goods VALUES ('corner', 'tea');",
	"seed/shops.sql":                "INSERT INTO shops VALUES ('corner') ON CONFLICT DO NOTHING;",
	"seed/users.json":               `[{"email": "a@example.com", "age": 30}, {"email": "b'; DROP TABLE users; --", "role": ["x"]}]`,
	"seed/README.md":                "no SQL",
}

func TestSQLiteIsMigratedSeededAndPeopled(t *testing.T) {
	p := newProject(t, strings.Replace(shop, "%DB%", "sqlite:data/dev.db", 1), shopFiles)
	path := filepath.Join(p.root, "data", "dev.db")
	walkThrough(t, p, func() *sql.DB {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		return db
	})
	// A database that was lost is made anew, with everything in it.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var down *dev.NotUp
	if err := p.Check(t.Context()); !errors.As(err, &down) || len(down.Why) != 7 {
		t.Errorf("check without the file: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a look made the database")
	}
	p.up()
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// walkThrough brings an environment with a database up, and shows that each part
// is run once for its content.
func walkThrough(t *testing.T, p *project, open func() *sql.DB) {
	t.Helper()
	count := func(table string) (n int) {
		t.Helper()
		db := open()
		defer db.Close()
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	said := p.up()
	order := []string{"migrations/001_shops.sql", "migrations/002_users.sql", "seed/shops.sql", "seed/goods.sql", "seed/users.json"}
	rest := said
	for _, name := range order {
		_, after, ok := strings.Cut(rest, name)
		if !ok {
			t.Fatalf("%s was not run, or not in its order:\n%s", name, said)
		}
		rest = after
	}
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if said := p.up(); strings.Contains(said, "…") {
		t.Errorf("the second time something was run:\n%s", said)
	}
	if goods, users := count("goods"), count("users"); goods != 1 || users != 2 {
		t.Errorf("%d goods, %d users", goods, users)
	}

	// A changed seed is run again, and a new one for the first time.
	p.write("seed/goods.sql", "INSERT INTO goods VALUES ('corner', 'tea'), ('corner', 'milk');")
	p.write("seed/more.sql", "INSERT INTO goods VALUES ('corner', 'jam');")
	if err := p.Check(t.Context()); err == nil || strings.Count(err.Error(), "was not run") != 2 {
		t.Errorf("check: %v", err)
	}
	p.up()
	if n := count("goods"); n != 4 {
		t.Errorf("%d goods", n)
	}

	// One that fails leaves nothing of itself behind, and is tried again.
	p.write("seed/more.sql", "INSERT INTO goods VALUES ('corner', 'salt'); INSERT INTO nowhere VALUES (1);")
	if _, err := p.tryUp(); err == nil || !strings.Contains(err.Error(), "seed seed/more.sql: ") {
		t.Errorf("up: %v", err)
	}
	if n := count("goods"); n != 4 {
		t.Errorf("%d goods: half a script was run", n)
	}
	p.write("seed/more.sql", "INSERT INTO goods VALUES ('corner', 'salt');")
	p.up()
	if n := count("goods"); n != 5 {
		t.Errorf("%d goods", n)
	}

	// A migration is never run twice.
	p.write("migrations/002_users.sql", "CREATE TABLE people (email TEXT);")
	if _, err := p.tryUp(); err == nil || !strings.Contains(err.Error(), "migrations/002_users.sql was changed after it was run") {
		t.Errorf("up: %v", err)
	}
	p.write("migrations/002_users.sql", shopFiles["migrations/002_users.sql"])
	p.write("migrations/003_more.sql", "CREATE TABLE prices (goods TEXT, price INTEGER);")
	p.up()
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCommandsAreRunOncePerContent(t *testing.T) {
	p := newProject(t, `{
		"migrations": {"command": "echo migrate >> ran", "directory": "migrations"},
		"seed": {"directory": "seed", "runner": "cat >> ran"},
		"auth": {"users": "seed/users.json", "provision": "test -s"}
	}`, map[string]string{"migrations/a.sql": "1", "seed/b.txt": "two\n", "seed/a.txt": "one\n", "seed/users.json": `[{"email": "a"}]`})
	ran := func() string {
		text, _ := os.ReadFile(filepath.Join(p.root, "ran"))
		return string(text)
	}
	p.up()
	p.up()
	if got := ran(); got != "migrate\none\ntwo\n" {
		t.Errorf("ran %q", got)
	}
	p.write("migrations/b.sql", "2")
	p.write("seed/b.txt", "three\n")
	p.up()
	if got := ran(); got != "migrate\none\ntwo\nmigrate\nthree\n" {
		t.Errorf("then ran %q", got)
	}
	p.Again = true
	p.up()
	if got := ran(); !strings.HasSuffix(got, "three\nmigrate\none\nthree\n") {
		t.Errorf("again: %q", got)
	}
}

// A migration is not run again, even when everything else is; users are made anew
// when the statement changes that makes them.
func TestWhatIsRunAgain(t *testing.T) {
	const users = `{"migrations": {"directory": "m", "database": "sqlite:x.db"}, "auth": {"adapter": "sql", "users": "users.json", "provision": "INSERT INTO %s (email) VALUES (:email)"}}`
	p := newProject(t, fmt.Sprintf(users, "old"), map[string]string{"m/1.sql": "CREATE TABLE old (email TEXT); CREATE TABLE new (email TEXT);", "users.json": `[{"email": "a"}]`})
	p.up()
	p.Again = true
	p.up()
	p.Again = false
	p.write("dev.json", fmt.Sprintf(users, "new"))
	p.up()
	p.up()
	db, err := sql.Open("sqlite", filepath.Join(p.root, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var old, made int
	if err := db.QueryRow("SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM new)").Scan(&old, &made); err != nil || old != 2 || made != 1 {
		t.Errorf("%d, %d, %v", old, made, err)
	}
}

// A server that makes the database comes first.
func TestServerThatComesFirst(t *testing.T) {
	p := newProject(t, `{"server": {"command": "touch made; exec $SERVER", "health": "/healthz", "first": true}, "migrations": {"command": "test -e made"}}`, nil)
	p.up()
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	p.alone()
}

func TestFailingCommandTellsNoSecrets(t *testing.T) {
	p := newProject(t, `{"auth": {"users": "users.json", "provision": "echo $TOKEN; cat users.json; exit 3; echo"}}`, map[string]string{"users.json": `[{"email": "a@example.com", "password": "hunter2"}]`})
	p.Environ = append(p.Environ, "TOKEN=abcdefghijkl")
	_, err := p.tryUp()
	if err == nil || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(err.Error(), "a@example.com") {
		t.Fatalf("up: %v", err)
	}
	if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "abcdefghijkl") {
		t.Errorf("told: %v", err)
	}
}

func TestUnsetVariableIsNoEmptyDatabase(t *testing.T) {
	p := newProject(t, `{"migrations": {"directory": "m", "database": "${NO_SUCH_DATABASE}"}}`, map[string]string{"m/1.sql": ""})
	if _, err := p.tryUp(); err == nil || !strings.Contains(err.Error(), "the variable NO_SUCH_DATABASE is not set") {
		t.Errorf("up: %v", err)
	}
}

// Whatever would run something asks first; taking down what runs does not.
func TestNothingOfAnUntrustedManifestIsRun(t *testing.T) {
	p := newProject(t, `{"server": {"command": "touch ran"}, "migrations": {"command": "touch ran"}, "seed": {"directory": ".", "runner": "touch ran"},
		"auth": {"users": "dev.json", "provision": "touch ran"}}`, nil)
	asked := ""
	refusal := &trustledger.Untrusted{Path: "dev.json"}
	p.Trust = func(path string, content []byte) error {
		asked = path + " " + string(content)
		return refusal
	}
	for name, run := range map[string]func() error{
		"up":        func() error { _, err := p.tryUp(); return err },
		"check":     func() error { return p.Check(t.Context()) },
		"supervise": func() error { return p.Supervise(t.Context(), 1, io.Discard, func() error { return nil }) },
	} {
		if err := run(); !errors.Is(err, refusal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.HasPrefix(asked, filepath.Join(p.root, "dev.json")+" {") {
		t.Errorf("asked for %s", asked)
	}
	if err := p.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.root, "ran")); err == nil {
		t.Error("something was run")
	}
}
