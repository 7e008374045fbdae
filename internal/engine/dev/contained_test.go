//go:build unix

package dev_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warp/internal/engine/contain"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

// newContained is a project in the home folder of a user who has a key.
func newContained(t *testing.T, kind sandbox.Kind, manifest string, files map[string]string) (p *project, user string) {
	t.Helper()
	need.Linux(t)
	if kind == sandbox.Bwrap {
		need.Tool(t, "bwrap")
	}
	if _, _, err := sandbox.Open(sandbox.Options{Kind: kind}); err != nil {
		need.NotRun(t, err.Error())
	}
	p = newProject(t, manifest, files)
	user = filepath.Join(p.root, "..", "user")
	user = filepath.Clean(user)
	root := filepath.Join(user, "project")
	p.write("../user/.ssh/id", "PRIVATE")
	p.write(".git/config", "[core]\n")
	if err := os.Rename(p.root, root); err != nil {
		t.Fatal(err)
	}
	environ := append(p.Environ, boxEnv+"="+string(kind), userEnv+"="+user, "USER_HOME="+user, "NAMED=named", "SECRET=secret", "GITHUB_TOKEN=token")
	p.root, p.Environment = root, environment(root, environ)
	return p, user
}

// kinds runs a test in each sandbox that has a server of its own.
func kinds(t *testing.T, fn func(t *testing.T, kind sandbox.Kind)) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) { fn(t, kind) })
	}
}

const (
	contained = `{"server": {"command": "sh attack.sh server $USER_HOME; exec $SERVER", "health": "/healthz", "env": {"DEFINED": "${NAMED} twice", "GREETING": "hello"}},
	"migrations": {"command": "sh attack.sh migration $USER_HOME"}, "seed": {"directory": "seed", "runner": "sh attack.sh seed $USER_HOME"},
	"auth": {"users": "users.json", "provision": "sh attack.sh users $USER_HOME"}}`
	attack = `{ echo x > $2/planted; cat $2/.ssh/id; echo planted >> .git/config; echo x > .claude/planted-$1; } 2>/dev/null
echo "$NAMED, $DEFINED, $PORT, $SECRET, $GITHUB_TOKEN" > $1.env
cat $2/.ssh/id > $1.key 2>/dev/null
touch ~/kept; true`
)

// Nothing that dev.json starts reads the user's keys, changes the user's home folder,
// git's settings or warp's state, or sees variables that dev.json does not name; and
// it works all the same.
func TestCommandsAreContained(t *testing.T) {
	kinds(t, func(t *testing.T, kind sandbox.Kind) {
		p, user := newContained(t, kind, contained, map[string]string{"attack.sh": attack, "seed/a.txt": "", "users.json": "[]"})
		p.up()
		if err := p.Check(t.Context()); err != nil {
			t.Error(err)
		}
		port := p.running().Port
		for _, who := range []string{"migration", "seed", "server", "users"} {
			if text := p.read(who + ".env"); text != fmt.Sprintf("named, named twice, %d, , \n", port) {
				t.Errorf("%s sees %q", who, text)
			}
			if text := p.read(who + ".key"); text != "" {
				t.Errorf("%s reads %q", who, text)
			}
			if _, err := os.Stat(filepath.Join(p.root, ".claude", "planted-"+who)); err == nil && kind == sandbox.Bwrap {
				t.Errorf("%s changed warp's state", who)
			}
		}
		for _, name := range []string{"planted", "kept"} {
			if _, err := os.Stat(filepath.Join(user, name)); err == nil {
				t.Errorf("%s is in the user's home folder", name)
			}
		}
		// Landlock cannot except what is below a folder that is writable.
		if text := p.read(".git/config"); text != "[core]\n" && kind == sandbox.Bwrap {
			t.Errorf("git's settings are %q", text)
		}
		homes, err := filepath.Glob(filepath.Join(user, ".local", "state", "warp", "sandbox", "*", "*", "kept"))
		if err != nil || len(homes) != 1 || filepath.Base(filepath.Dir(homes[0])) != "dev" {
			t.Errorf("the home folders are %v, %v", homes, err)
		}
		if err := p.Down(t.Context()); err != nil {
			t.Error(err)
		}
		p.alone()
	})
}

// A server in a sandbox is found by its port, started again when it dies, and ended in
// order; what it started is ended, too, whatever that did to leave.
func TestContainedServerIsWatchedOver(t *testing.T) {
	kinds(t, func(t *testing.T, kind sandbox.Kind) {
		left := fmt.Sprintf("1000.%d", os.Getpid())
		manifest := `{"server": {"command": "trap 'touch ended; exit' TERM; env -i setsid sleep ` + left + ` & $SERVER & wait $!; exit", "port": %d, "health": "/healthz"}}`
		port := freePort(t)
		p, _ := newContained(t, kind, fmt.Sprintf(manifest, port), nil)
		p.up()
		before := p.running()
		other := newProject(t, fmt.Sprintf(`{"server": {"command": "true", "port": %d}}`, port), nil)
		if _, err := other.tryUp(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is in use by process ", port)) {
			t.Errorf("up beside it: %v", err)
		}
		p.get("/exit")
		p.eventually("another start", func() bool { r := p.running(); return r.Starts == 2 && r.PID != before.PID })
		p.eventually("health", func() bool { return p.Check(t.Context()) == nil })
		if n := runs(t, left); n != 1 {
			t.Errorf("%d that left are there", n)
		}
		if err := p.Down(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(p.root, "ended")); err != nil {
			t.Errorf("it was not ended in order: %v", err)
		}
		p.alone()
		if n := runs(t, left); n != 0 {
			t.Errorf("%d that left are there", n)
		}
	})
}

// A server in a sandbox may put things in order, whatever shells are around it.
func TestContainedServerEndsInOrder(t *testing.T) {
	kinds(t, func(t *testing.T, kind sandbox.Kind) {
		for _, line := range []string{"sh serve.sh", "true; sh serve.sh", "true && sh serve.sh; touch after"} {
			p, _ := newContained(t, kind, `{"server": {"command": "`+line+`", "health": "/healthz", "env": {"SERVER": "${SERVER}"}}}`,
				map[string]string{"serve.sh": "trap 'sleep 0.1; touch ended; exit' TERM; $SERVER & wait"})
			p.up()
			if err := p.Down(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(p.root, "ended")); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if _, err := os.Stat(filepath.Join(p.root, "after")); err == nil {
				t.Errorf("%s went on", line)
			}
			p.alone()
			if err := os.RemoveAll(p.root); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Without its supervisor, or its folder, nothing of a server in a sandbox is left.
func TestContainedServerEndsWithItsSupervisor(t *testing.T) {
	kinds(t, func(t *testing.T, kind sandbox.Kind) {
		left := fmt.Sprintf("2000.%d", os.Getpid())
		p, _ := newContained(t, kind, `{"server": {"command": "env -i setsid sleep `+left+` & exec $SERVER", "health": "/healthz"}}`, nil)
		gone := func() bool { return runs(t, left) == 0 }
		for _, lose := range []func(pid int) error{
			func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
			func(int) error { return os.RemoveAll(p.root) },
		} {
			p.up()
			r := p.running()
			p.eventually("what leaves", func() bool { return runs(t, left) == 1 })
			if err := lose(r.Supervisor); err != nil {
				t.Fatal(err)
			}
			p.eventually("its end", func() bool { return !takedown.Alive(proc.Started, r.PID, r.PIDStamp) })
			p.eventually("the end of what it started", gone)
		}
		p.alone()
	})
}

// A sandbox that cannot be made is told by up, and nothing is run without it.
func TestNothingIsRunWithoutItsSandbox(t *testing.T) {
	for _, manifest := range []string{`{"server": {"command": "touch ran"}}`, `{"migrations": {"command": "touch ran"}}`} {
		p := newProject(t, manifest, nil)
		p.Confine = func(c proc.Cmd, _ contain.Command) (proc.Cmd, func() error, error) {
			return c, nil, fmt.Errorf("there is no sandbox today")
		}
		if _, err := p.tryUp(); err == nil || !strings.Contains(err.Error(), "there is no sandbox today") {
			t.Errorf("up: %v", err)
		}
		if _, err := os.Stat(filepath.Join(p.root, "ran")); err == nil {
			t.Error("it was run")
		}
		p.alone()
	}
}

// A database is reached where dev.json says that it is: by its socket, or its file.
func TestDatabasesAreReachedFromInside(t *testing.T) {
	kinds(t, func(t *testing.T, kind sandbox.Kind) {
		p, user := newContained(t, kind, `{"server": {"command": "exec $SERVER", "health": "/healthz", "env": {"DB": "host=${USER_HOME}/sockets user=me"}},
			"migrations": {"command": "$DIAL $USER_HOME/sockets/.s.PGSQL.5432; echo more >> $USER_HOME/data/shop.db"}, "seed": {"directory": "seed", "database": "sqlite:../data/shop.db", "runner": "true"}}`,
			map[string]string{"seed/README.md": ""})
		p.write("../data/other", "other")
		if err := os.Mkdir(filepath.Join(user, "sockets"), 0o755); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", filepath.Join(user, "sockets", ".s.PGSQL.5432"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		p.up()
		if text := p.read("../data/shop.db"); text != "more\n" {
			t.Errorf("the file has %q", text)
		}
		if err := p.Down(t.Context()); err != nil {
			t.Error(err)
		}
		p.alone()
	})
}

func (p *project) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(name)))
	if err != nil {
		p.Error(err)
	}
	return string(text)
}

// runs counts the processes of a sleep by what it was told.
func runs(t *testing.T, word string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && string(text) == "sleep\x00"+word+"\x00" {
			n++
		}
	}
	return n
}
