//go:build unix

// Package postgres starts a PostgreSQL server for a test, where it is installed.
package postgres

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"warp/internal/testkit/need"
)

// Start starts a server of our own, in a folder of its own, and returns its
// address. It refuses to be root's, so another user runs it where we are.
func Start(t testing.TB) string {
	t.Helper()
	initdb, server := tool(t, "initdb"), tool(t, "postgres")
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attr := &syscall.SysProcAttr{Setpgid: true, Credential: another(t, dir)}
	data := filepath.Join(dir, "data")
	c := exec.Command(initdb, "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
	c.Dir, c.SysProcAttr = dir, attr
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := free(t)
	c = exec.Command(server, "-D", data, "-k", dir, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-F")
	var said strings.Builder
	c.Dir, c.SysProcAttr, c.Stderr = dir, attr, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = c.Wait()
	})
	address := fmt.Sprintf("postgres://tester:a-test-password@127.0.0.1:%d/postgres?sslmode=disable", port)
	await(t, address, &said)
	return address
}

// another is the user who runs it when we are root, and owns the folder then.
func another(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
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
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func await(t testing.TB, address string, said fmt.Stringer) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for end := time.Now().Add(time.Minute); db.Ping() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("PostgreSQL does not answer:\n%s", said)
		}
	}
}

func free(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// tool finds a program where distributions put it, which is not in PATH.
func tool(t testing.TB, name string) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is well-formed
	if len(found) > 0 {
		return slices.Max(found)
	}
	return need.Tool(t, name)
}
