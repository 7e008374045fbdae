package devconfig

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const whole = `{
	"server": {"command": "npm run dev", "directory": "web", "port": 5173, "health": {"path": "/healthz", "status": [200, 204], "timeout_seconds": 5},
		"restart": {"policy": "always", "max": 2}, "env": {"A": "b ${C}", "N": 3, "B": true}, "first": true},
	"migrations": {"directory": "migrations/", "database": "${DATABASE_URL}"},
	"seed": {"directory": "seed", "runner": "node", "order": ["a.js"]},
	"auth": {"adapter": "sql", "users": "seed/users.json", "provision": "INSERT …"},
	"access": {"urls": ["http://localhost:5173"], "notes": "log in as admin"}
}`

func TestParseReadsEverything(t *testing.T) {
	got, warnings, err := Parse([]byte(whole))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := Manifest{
		Server: &Server{Command: Command{Line: "npm run dev"}, Directory: "web", Port: 5173, First: true,
			Health:  Health{"/healthz", []int{200, 204}, 5 * time.Second},
			Restart: Restart{Always, 2}, Env: []Variable{{"A", "b ${C}"}, {"N", "3"}, {"B", "true"}}},
		Migrations: &Migrations{Directory: "migrations", Database: "${DATABASE_URL}"},
		Seed:       &Seed{Directory: "seed", Runner: "node", Order: []string{"a.js"}, Database: "${DATABASE_URL}"},
		Auth:       &Auth{Adapter: "sql", Users: "seed/users.json", Provision: "INSERT …", Database: "${DATABASE_URL}"},
		Access:     Access{[]string{"http://localhost:5173"}, "log in as admin"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseNamesThePlaceOfWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                            "the document must be an object",
		`{`:                             "dev.json is not valid JSON",
		`{"server": 3}`:                 "server must be an object",
		`{"server": {}}`:                "server.command must be the command line",
		`{"server": {"command": ""}}`:   "server.command must be a command line",
		`{"server": {"command": [""]}}`: "server.command[0] must be a text",
		`{"server": {"command": "x", "port": 70000}}`:                          "server.port must be a whole number from 0 to 65535",
		`{"server": {"command": "x", "port": "80"}}`:                           "server.port must be a whole number",
		`{"server": {"command": "x", "health": "healthz"}}`:                    `server.health must be "tcp", or a path`,
		`{"server": {"command": "x", "health": {"status": 99}}}`:               "server.health.status must be a whole number from 100 to 599",
		`{"server": {"command": "x", "restart": "often"}}`:                     "server.restart must be one of on-failure, always, never",
		`{"server": {"command": "x", "env": {"A B": "c"}}}`:                    "server.env.A B must be named by letters",
		`{"server": {"command": "x", "env": {"A": []}}}`:                       "server.env.A must be a text",
		`{"server": {"command": "x", "directory": "../out"}}`:                  "server.directory must be a path within the project",
		`{"migrations": {}}`:                                                   "migrations must be an object with a directory",
		`{"migrations": {"directory": "m"}}`:                                   "migrations.database must be the database",
		`{"migrations": {"directory": "/m", "command": "x"}}`:                  "migrations.directory must be a path within the project",
		`{"migrations": {"directory": "m", "database": "mysql:x"}}`:            "migrations.database must be sqlite:path or postgres",
		`{"seed": {"database": "sqlite:x"}}`:                                   "seed.directory must be the folder",
		`{"seed": {"directory": "s", "runner": "x", "order": [1]}}`:            "seed.order[0] must be a text",
		`{"seed": {"directory": "s", "runner": "x", "order": ["a", "a"]}}`:     "seed.order[1] must be the name of a file in the folder, once",
		`{"auth": {"adapter": "magic", "users": "u", "provision": "p"}}`:       "auth.adapter must be one of command, sql, none",
		`{"auth": {"provision": "p"}}`:                                         "auth.users must be the file",
		`{"auth": {"users": "u"}}`:                                             "auth.provision must be the command",
		`{"auth": {"adapter": "sql", "users": "u", "provision": "INSERT"}}`:    "auth.database must be the database",
		`{"access": {"urls": "http://x"}}`:                                     "access.urls must be a list",
		`{"server": {"command": "x", "first": "yes"}}`:                         "server.first must be true or false",
		`{"server": {"command": "x", "health": {"timeout_seconds": 1000000}}}`: "server.health.timeout_seconds must be",
	} {
		if _, _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestParseWarnsOfWhatItDoesNotKnow(t *testing.T) {
	_, warnings, err := Parse([]byte(`{"server": {"command": "x", "prot": 3}, "sever": {}}`))
	want := []string{"dev.json: server.prot is unknown to warp", "dev.json: sever is unknown to warp"}
	if diff := cmp.Diff(want, warnings); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestNoAdapterMeansNoUsers(t *testing.T) {
	m, _, err := Parse([]byte(`{"auth": {"adapter": "none"}}`))
	if err != nil || !m.Empty() {
		t.Errorf("%+v, %v", m, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"server": {"command": ["x"], "health": "tcp", "restart": false}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := Parse(text)
		if err == nil && m.Server != nil && !m.Server.Command.Set() {
			t.Errorf("%s: a server without a command", text)
		}
	})
}

func TestExpand(t *testing.T) {
	vars := map[string]string{"A": "1", "B_2": "two", "EMPTY": ""}
	find := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for text, want := range map[string]string{
		"":                       "",
		"$A-${B_2}":              "1-two",
		"a$":                     "a$",
		"$ {A} $1 ${":            "$ {A} $1 ${",
		"${NONE:-x}${EMPTY:-y}z": "xyz",
		"$A$A":                   "11",
	} {
		if got, err := Expand(text, find); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"$NONE", "${EMPTY}"} {
		if got, err := Expand(text, find); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestBind(t *testing.T) {
	got, names := Bind(`INSERT INTO u VALUES (:a, :b_1, :a, 'x:no', "c:no", 1::text, :a::text) -- :no`+"\n/* :no */ RETURNING :b_1 ':", "$")
	want := `INSERT INTO u VALUES ($1, $2, $1, 'x:no', "c:no", 1::text, $1::text) -- :no` + "\n/* :no */ RETURNING $2 ':"
	if got != want || !cmp.Equal(names, []string{"a", "b_1"}) {
		t.Errorf("%s\n%v", got, names)
	}
}
