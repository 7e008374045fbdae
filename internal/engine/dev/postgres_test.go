//go:build unix

package dev_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"warp/internal/testkit/need"
)

func TestPostgreSQLIsMigratedSeededAndPeopled(t *testing.T) {
	address := postgres(t)
	p := newProject(t, strings.Replace(shop, "%DB%", "${DATABASE_URL}", 1), shopFiles)
	p.Environ = append(p.Environ, "DATABASE_URL="+address)
	open := func() *sql.DB {
		db, err := sql.Open("pgx", address)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	walkThrough(t, p, open)
	db := open()
	defer db.Close()
	for _, q := range []string{"DROP SCHEMA public CASCADE", "CREATE SCHEMA public"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Check(t.Context()); err == nil {
		t.Error("an empty database counts as up")
	}
	p.up()
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestUnreachablePostgreSQLTellsNoPassword(t *testing.T) {
	p := newProject(t, `{"migrations": {"directory": "m", "database": "postgres://me:correct-horse@127.0.0.1:1/x"}}`, map[string]string{"m/1.sql": ""})
	said, err := p.tryUp()
	if err == nil || strings.Contains(said+err.Error(), "correct-horse") {
		t.Errorf("up: %v\n%s", err, said)
	}
}

// postgres starts a server of our own, in a folder of its own, and returns its
// address. It refuses to be root's, so another user runs it where we are.
func postgres(t *testing.T) string {
	t.Helper()
	initdb := postgresTool(t, "initdb")
	server := postgresTool(t, "postgres")
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	as := func(c *exec.Cmd) *exec.Cmd {
		c.Dir = dir
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if os.Geteuid() != 0 {
			return c
		}
		nobody, err := user.Lookup("nobody")
		if err != nil {
			need.NotRun(t, "PostgreSQL does not run as root, and there is no user nobody")
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return c
	}
	if out, err := as(exec.Command(initdb, "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")).CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := freePort(t)
	c := as(exec.Command(server, "-D", data, "-k", dir, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-F"))
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = c.Wait()
	})
	address := fmt.Sprintf("postgres://tester:a-test-password@127.0.0.1:%d/postgres?sslmode=disable", port)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	(&project{T: t}).eventually("PostgreSQL", func() bool { return db.Ping() == nil })
	return address
}

// postgresTool finds a program where distributions put it, which is not in PATH.
func postgresTool(t *testing.T, name string) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is well-formed
	if len(found) > 0 {
		sort.Strings(found)
		return found[len(found)-1]
	}
	return need.Tool(t, name)
}
