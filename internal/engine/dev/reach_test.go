//go:build unix

package dev

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/devconfig"
	"warp/internal/engine/contain"
)

// place is the home folder of a user who has a project and databases.
func place(t *testing.T) (user string, p *plan) {
	t.Helper()
	// Not below TMPDIR: the name of a Unix socket may have 108 characters only.
	user, err := os.MkdirTemp("/tmp", "warp-dev-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(user) })
	for _, dir := range []string{"project", "data", "pg", "redis"} {
		if err := os.Mkdir(filepath.Join(user, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pg/.s.PGSQL.5432", "redis/redis.sock", ".s.PGSQL.1", "project/own.sock"} {
		l, err := net.Listen("unix", filepath.Join(user, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	return user, &plan{Config: &Config{Root: filepath.Join(user, "project"), Environ: []string{"HOME=" + user}}}
}

// What an address names is reached; what lies beside it is not, and neither is a
// folder that holds more than a database.
func TestWhatAnAddressReaches(t *testing.T) {
	user, p := place(t)
	for value, want := range map[string]string{
		"postgres://me@db.example/shop":                                        "",
		"postgres://me@/shop?host=" + user + "/pg":                             "~/pg",
		"postgres://me@" + strings.ReplaceAll(user, "/", "%2F") + "%2Fpg/":     "~/pg",
		"postgres://me@" + strings.ReplaceAll(user, "/", "%2F") + "%2Fpg/shop": "~/pg",
		"host=" + user + "/pg dbname=shop":                                     "~/pg",
		"host=" + user + " dbname=shop":                                        "~/.s.PGSQL.1",
		"unix://" + user + "/redis/redis.sock?db=1":                            "~/redis/redis.sock",
		"me:pw@unix(" + user + "/redis/redis.sock)/shop":                       "~/redis/redis.sock",
		user + "/redis":                          "",
		user + "/data":                           "",
		user:                                     "~/.s.PGSQL.1",
		"sqlite:" + user + "/data/shop.db":       "write ~/data",
		"sqlite://" + user + "/data/shop.db":     "write ~/data",
		"file:" + user + "/data/shop.db?mode=rw": "write ~/data",
		"sqlite:../data/shop.db":                 "write ~/data",
		"sqlite:../shop.db":                      "",
		"sqlite:///shop.db":                      "",
		"sqlite:shop.db":                         "",
		"sqlite:../none/shop.db":                 "",
	} {
		var o contain.Command
		if err := p.reach(&o, []string{"PORT=1", "DATABASE_URL=" + value}); err != nil {
			t.Errorf("%s: %v", value, err)
		}
		for i, dir := range o.Write {
			o.Write[i] = "write " + dir
		}
		if have := strings.ReplaceAll(strings.Join(slices.Concat(o.Read, o.Write), " "), user, "~"); have != want {
			t.Errorf("%s reaches %q, not %q", value, have, want)
		}
	}
}

// A database of dev.json's own is there for its commands, or up says why it is not.
func TestADatabaseOutsideHasAFolderOfItsOwn(t *testing.T) {
	user, p := place(t)
	for address, why := range map[string]string{"sqlite:../new/shop.db": "", "sqlite:../shop.db": "move it to a separate folder", "sqlite:/tmp/shop.db": "move it to a separate folder", "sqlite:/etc/x/shop.db": "move it"} {
		var o contain.Command
		p.Manifest = devconfig.Manifest{Seed: &devconfig.Seed{Database: address}}
		err := p.reach(&o, nil)
		if why != "" && (err == nil || !strings.Contains(err.Error(), why)) || why == "" && (err != nil || len(o.Write) != 1 || !contain.IsFolder(o.Write[0])) {
			t.Errorf("%s: %v, %v", address, o.Write, err)
		}
	}
	if contain.IsFolder(filepath.Join(user, "etc")) || contain.IsFolder("/etc/x") {
		t.Error("a folder was made")
	}
}
