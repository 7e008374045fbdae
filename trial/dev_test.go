//go:build linux

package trial

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/testkit/postgres"
)

// A drive brings the environment up before its work begins, sees after a chunk
// that it is broken, and heals it.
func TestABrokenEnvironmentIsHealed(t *testing.T) {
	t.Parallel()
	for name, c := range sample(t, map[string]struct {
		does        string
		says        string
		starts      int
		goods, jams int
	}{
		"nothing is broken":       {"true", "", 1, 1, 0},
		"the server is killed":    {killed, "the server is no longer supervised", 2, 1, 0},
		"the database is deleted": {"touch ../rm", "migration demo_migrations/001.sql was not run; seed demo_seed/goods.sql was not run; users users.json was not run", 1, 1, 0},
		"the schema grows": {`echo "CREATE TABLE jams (name TEXT);" > demo_migrations/002.sql; echo "INSERT INTO jams VALUES ('plum');" > demo_seed/jams.sql`,
			"migration demo_migrations/002.sql was not run; seed demo_seed/jams.sql was not run", 1, 1, 1},
		"a seed changes": {`echo "INSERT INTO goods VALUES ('tea'), ('milk') ON CONFLICT DO NOTHING;" > demo_seed/goods.sql`, "seed demo_seed/goods.sql was not run", 1, 2, 0},
	}, "the server is killed", "the schema grows") { // the database is lost in PostgreSQL
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := shopOf(t, atFirst(c.does))
			p.sh(fmt.Sprintf("warp config set test_command 'if [ -e %[1]s ]; then rm %[1]s %[2]s/shop.db; fi; sh test.sh'", p.beside("rm"), p.root)) // an agent's deletion would be taken back
			exit, said := p.drive()
			if _, up := p.warp("dev", "check"); up != "up\n" {
				t.Errorf("it is not up: %s", up)
			}
			if n := len(p.starts()); n != c.starts || strings.Contains(said, "is unhealthy") != (c.says != "") || !strings.Contains(said, c.says) {
				t.Errorf("%d starts\n%s", n, said)
			}
			if goods, users := p.count("goods"), p.count("users"); goods != c.goods || users != 2 {
				t.Errorf("%d goods, %d users\n%s", goods, users, said)
			}
			if c.jams > 0 && p.count("jams") != c.jams {
				t.Errorf("the new migration was not run, or not seeded\n%s", said)
			}
			if !strings.Contains(said, "dev: log in as ada") || strings.Contains(p.read("../starts"), ":0\n") {
				t.Errorf("nobody knows how to get in, or at which port: %s\n%s", p.read("../starts"), said)
			}
			p.sh("warp dev down && warp dev down")
			p.judge(exit, said, merged)
		})
	}
}

// The same with PostgreSQL: its tables are dropped under way, and made anew.
func TestABrokenPostgreSQLIsHealed(t *testing.T) {
	t.Parallel()
	address := postgres.Start(t)
	p := shopOf(t, atFirst(`touch ../here; while [ -e ../here ]; do sleep 0.05; done`))
	p.env = []string{"SHOP_DATABASE=" + address}
	p.write("shop.db", "") // only the server looks for it
	p.write("dev.json", strings.Replace(shopManifest, "sqlite:shop.db", "${SHOP_DATABASE}", 1))
	p.sh("git commit -q -m 'feat: PostgreSQL' dev.json && warp trust && warp config set max_idle_seconds 60")
	p.base = p.sh("git rev-parse main")
	dropped := make(chan error, 1)
	go func() {
		p.try("while [ ! -e ../here ]; do sleep 0.05; done")
		dropped <- drop(address)
		p.try("rm ../here")
	}()
	exit, said := p.drive()
	p.try("touch ../here") // where it never came so far
	if err := <-dropped; err != nil {
		t.Fatal(err)
	}
	if _, up := p.warp("dev", "check"); up != "up\n" || !strings.Contains(said, "users users.json was not run") || strings.Contains(said, "a-test-password") {
		t.Errorf("%s\n%s", up, said)
	}
	if goods, users := countIn(t, "pgx", address, "goods"), countIn(t, "pgx", address, "users"); goods != 1 || users != 2 || len(p.starts()) != 1 {
		t.Errorf("%d goods, %d users, %d starts\n%s", goods, users, len(p.starts()), said)
	}
	p.sh("warp dev down")
	p.judge(exit, said, merged)
}

// drop empties a PostgreSQL database.
func drop(address string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	return err
}

// What cannot be healed in two attempts waits for a person, with the server's
// last words; fixed, the drive goes on.
func TestAnEnvironmentThatCannotBeHealed(t *testing.T) {
	t.Parallel()
	p := shopOf(t, atFirst("touch ../broken; "+killed))
	exit, said := p.drive()
	o := p.evidence().Outcome
	if exit != 13 || o.Result != evidence.Person || !strings.Contains(o.Why, "did not start in 2 attempts") || !strings.Contains(o.Why, "the shop is broken") || !strings.Contains(o.Do, "warp resume") {
		t.Fatalf("exit %d, %+v\n%s", exit, o, said)
	}
	if n := len(p.starts()); n != 3 {
		t.Errorf("two attempts and the first start are three, not %d\n%s", n, said)
	}
	if !strings.Contains(p.read(".claude/.warp-drive-state.json"), `"chunk_complete"`) {
		t.Error("it does not wait where it broke")
	}
	p.sh("rm ../broken")
	exit, said = p.warp("resume")
	p.sh("warp dev down")
	p.judge(exit, said, merged)
}

// One that cannot be brought up at all leaves nothing begun.
func TestAnEnvironmentThatNeverComesUp(t *testing.T) {
	t.Parallel()
	p := shopOf(t, script{before: "touch ../worked"})
	p.sh("touch ../broken")
	exit, said := p.drive()
	if o := p.evidence().Outcome; exit != 13 || !strings.Contains(o.Why, "the shop is broken") || p.try("test -e ../worked") {
		t.Fatalf("exit %d, %+v\n%s", exit, o, said)
	}
	p.sh("rm ../broken")
	exit, said = p.warp("resume")
	p.sh("warp dev down")
	p.judge(exit, said, merged)
}

// Both parts can be turned off.
func TestTheEnvironmentIsLeftAlone(t *testing.T) {
	t.Parallel()
	const grows = `echo "CREATE TABLE jams (name TEXT);" > demo_migrations/002.sql`
	const advice = "seed data: the schema changes (demo_migrations/002.sql), but nothing in demo_seed/ does"
	for name, c := range sample(t, map[string]struct {
		off           string
		does          string
		up, unadvised bool
	}{
		"neither is off":           {"", grows, true, false},
		"with seeds":               {"", grows + `; echo "INSERT INTO jams VALUES ('plum');" > demo_seed/jams.sql`, true, true},
		"health is not looked at":  {"dev_health_check", grows + "; touch ../broken", false, false},
		"seeds are not looked for": {"dev_seed_check", grows, true, true},
	}, "health is not looked at", "seeds are not looked for") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := shopOf(t, atFirst(c.does))
			if c.off != "" {
				p.sh("warp config set " + c.off + " false")
			}
			exit, said := p.drive()
			if up := len(p.starts()) > 0; up != c.up {
				t.Errorf("it was brought up: %t\n%s", up, said)
			}
			if advised := strings.Contains(said, advice); advised == c.unadvised {
				t.Errorf("it was advised on seed data: %t\n%s", advised, said)
			}
			p.sh("warp dev down")
			p.judge(exit, said, merged)
		})
	}
}

// A server ends with its work tree, no matter who removes it.
func TestAServerEndsWithItsWorkTree(t *testing.T) {
	t.Parallel()
	const tree = ".claude/worktrees/issue-1"
	t.Run("by warp clean", func(t *testing.T) {
		t.Parallel()
		if !whole() {
			t.Skip("make trial has a drive leave the work tree")
		}
		p := shopOf(t, atFirst("touch ../../../left"))
		p.sh(`echo "[ ! -e $PWD/left ] || echo left > $PWD/` + tree + `/left.txt" >> test.sh && git commit -q -m 'test: leaves something behind' test.sh`)
		exit, said := p.drive("--worktree")
		if exit != 0 || !p.try("cd "+tree+" && warp dev up && rm -f left.txt") {
			t.Fatalf("exit %d\n%s", exit, said)
		}
		p.sh("warp clean --yes")
		if p.try("test -e " + tree) {
			t.Error("it was not removed")
		}
		p.over()
	})
	t.Run("by someone else", func(t *testing.T) {
		t.Parallel()
		p := shopOf(t, script{})
		p.sh("git worktree add -q ../elsewhere && cd ../elsewhere && warp dev up && warp dev check && rm -rf ../elsewhere")
		p.over()
		if p.try("test -e ../elsewhere") {
			t.Error("what was removed is there again")
		}
	})
}
