//go:build linux

package trial

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/testkit/need"
)

// shopManifest is a dev environment with all of its parts. What a drive may
// change of it is named as the trial wants what a drive changes to be named.
const shopManifest = `{
  "server": {"command": ["node", "server.js"], "health": {"path": "/healthz", "timeout_seconds": 20}, "restart": "never", "env": {"ORIGIN": "http://localhost:${PORT}"}},
  "migrations": {"directory": "demo_migrations", "database": "sqlite:shop.db"},
  "seed": {"directory": "demo_seed"},
  "auth": {"adapter": "sql", "users": "users.json", "provision": "INSERT INTO users (email) VALUES (:email) ON CONFLICT DO NOTHING"},
  "access": {"notes": "log in as ada"}
}
`

// shopServer needs its database, leaves children in sessions of their own, and
// does not start where it finds the file broken.
const shopServer = `const fs = require("fs"), http = require("http"), { spawn } = require("child_process");
fs.appendFileSync(process.env.TRIAL + "/../starts", process.env.ORIGIN + "\n");
if (fs.existsSync(process.env.TRIAL + "/../broken")) { console.error("the shop is broken"); process.exit(3); }
spawn("setsid", ["sh", "-c", "setsid sleep 1000 & sleep 1000; true"], { detached: true, stdio: "ignore" }).unref();
process.on("SIGTERM", () => { fs.writeFileSync(process.env.TRIAL + "/../ended", String(fs.existsSync("server.js"))); process.exit(0); });
http.createServer((q, a) => { a.statusCode = q.url === "/healthz" && fs.existsSync("shop.db") ? 200 : 500; a.end(); }).listen(process.env.PORT, "127.0.0.1");
`

// shopOf is a project with a shop as its dev environment, trusted, whose two
// criteria are two chunks.
func shopOf(t *testing.T, s script) *project {
	t.Helper()
	need.Tool(t, "node")
	p := driven(t, s)
	p.sh("mkdir demo_migrations demo_seed; warp config set max_acs_per_commit 1")
	for name, text := range map[string]string{
		"dev.json":                shopManifest,
		"server.js":               shopServer,
		"demo_migrations/001.sql": "CREATE TABLE goods (name TEXT PRIMARY KEY); CREATE TABLE users (email TEXT PRIMARY KEY);",
		"demo_seed/goods.sql":     "INSERT INTO goods VALUES ('tea') ON CONFLICT DO NOTHING;",
		"users.json":              `[{"email": "ada@example.com"}, {"email": "bob@example.com"}]`,
	} {
		p.write(name, text)
	}
	p.sh(`printf 'shop.db*\n' >> .gitignore && warp trust
		git add dev.json server.js demo_migrations demo_seed users.json .gitignore && git commit -q -m 'feat: a shop' dev.json server.js demo_migrations demo_seed users.json .gitignore`)
	p.base = p.sh("git rev-parse main")
	t.Cleanup(func() { proc.EndMarked(p.mark()) })
	return p
}

// atFirst does something while the first of two chunks is made.
func atFirst(does string) script {
	return script{after: "case $ids in *AC-01*) " + does + " ;; esac"}
}

// killed ends the server, and who watches over it, as a crash of the machine would.
const killed = `kill -9 $(sed -n 's/.*pid": \([0-9]*\),*/\1/p' .claude/state/dev.json)`

// count counts the rows of a table of the shop.
func (p *project) count(table string) (n int) {
	p.t.Helper()
	return countIn(p.t, "sqlite", filepath.Join(p.root, "shop.db"), table)
}

func countIn(t *testing.T, driver, address, table string) (n int) {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Errorf("%s: %v", table, err)
	}
	return n
}

// starts are the starts of the server, and what it was told of itself.
func (p *project) starts() []string {
	return strings.Fields(strings.Replace(p.read("../starts"), "open "+filepath.Join(p.root, "../starts")+": no such file or directory", "", 1))
}

// over waits until nothing of the project runs any more.
func (p *project) over() {
	p.t.Helper()
	for end := time.Now().Add(3 * time.Minute); len(p.alive()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("left behind: %q", p.alive())
		}
	}
}

// alive are the processes that the test has started.
func (p *project) alive() (list []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range procs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // another person's, or gone
		if slices.Contains(strings.Split(string(env), "\x00"), p.mark()) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			list = append(list, strconv.Quote(string(line)))
		}
	}
	return list
}
