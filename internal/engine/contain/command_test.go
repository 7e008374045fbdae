package contain

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

func (w world) command(t *testing.T, script string, o Command) (string, int) {
	t.Helper()
	o.Top = w.Root
	r, err := w.ConfineCommand(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: w.Root, Env: w.Environ, Timeout: time.Minute}, o)
	must(t, err)
	res, err := r.Run(t.Context())
	must(t, err)
	must(t, r.Close())
	return strings.TrimSpace(string(res.Output)), res.Exit
}

// A test sees its checkout and nothing of an agent's: neither its home folder, nor its
// configuration, its variables or its way to the engine.
func TestWhatACommandGets(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t, kind, "AGENT_KEY=k", "AGENT_MODE=fast", "DATABASE_URL=x", "TELEGRAM_BOT_TOKEN=t")
			w.Settings.Env = []string{"GITHUB_TOKEN", "TELEGRAM_*", "MY_FLAG"}
			w.run(t, "echo planted > ~/.bashrc; echo planted > ~/planted")
			out, code := w.command(t, `echo "$MY_FLAG:$DATABASE_URL:$GITHUB_TOKEN:$TELEGRAM_BOT_TOKEN:$AGENT_KEY:$AGENT_MODE:$WARP_HOOK_SOCKET:$HTTPS_PROXY:"
ls -A ~; cat `+w.user+`/.ssh/id `+w.user+`/.agent/login.json 2>/dev/null; echo made > made.txt; test -w $TMPDIR && basename $HOME`, Command{Env: []string{"DATABASE_*"}})
			if want := "yes:x:::::::\ntmp\ntests"; out != want || code != 0 {
				t.Errorf("%d, %q, not %q", code, out, want)
			}
			if text, err := os.ReadFile(filepath.Join(w.Root, "made.txt")); err != nil || string(text) != "made\n" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// The home folder of a clean room is its own, and what is named besides is visible.
func TestAnotherHome(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	objects, home := filepath.Join(w.user, "objects"), filepath.Join(w.user, "cache", "home")
	write(t, filepath.Join(objects, "pack"), "objects")
	write(t, filepath.Join(w.Root, ".git"), "gitdir")
	out, code := w.command(t, `cat `+objects+`/pack; echo; echo x > ~/kept; (echo x > `+objects+`/pack) 2>/dev/null || echo objects; (echo x > .git) 2>/dev/null || echo git`,
		Command{Home: home, Read: []string{objects}, Frozen: []string{filepath.Join(w.Root, ".git")}})
	if want := "objects\nobjects\ngit"; out != want || code != 0 {
		t.Errorf("%d, %q", code, out)
	}
	if text, err := os.ReadFile(filepath.Join(home, "kept")); err != nil || string(text) != "x\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A command reaches its own loopback, the hosts of the settings and the ports it is
// given, and nothing else.
func TestWhatACommandReaches(t *testing.T) {
	need.Tool(t, "curl")
	need.Tool(t, "python3")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "outside") }))
	defer server.Close()
	_, text, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	port, err := strconv.Atoi(text)
	must(t, err)
	w := newWorld(t, sandbox.Bwrap)
	ask := "curl -sS -m 5 " + server.URL + " 2>/dev/null || echo no"
	local := `python3 -c "
import socket, threading
s = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=lambda: s.accept()[0].sendall(b'own'), daemon=True).start()
print(socket.create_connection(s.getsockname()).recv(9).decode())"; `
	if out, _ := w.command(t, local+ask, Command{}); out != "own\nno" {
		t.Errorf("%q", out)
	}
	if out, _ := w.command(t, ask, Command{Ports: []int{port, port}}); out != "outside" {
		t.Errorf("a named port: %q", out)
	}
	if out, _ := w.command(t, ask, Command{Network: sandbox.OpenNet}); out != "outside" {
		t.Errorf("an open network: %q", out)
	}
	var refused []string
	w.Settings.Hosts = []string{"registry.test"}
	if out, _ := w.command(t, "curl -sS -m 5 https://elsewhere.invalid 2>/dev/null || echo no", Command{Refused: func(host string) { refused = append(refused, host) }}); out != "no" || strings.Join(refused, " ") != "elsewhere.invalid" {
		t.Errorf("%q, %q", out, refused)
	}
	if out, _ := w.command(t, ask, Command{Network: sandbox.NoNet, Ports: []int{port}}); out != "no" {
		t.Errorf("no network: %q", out)
	}
}

// Without a sandbox a command is as it was, and its limits hold.
func TestACommandWithoutASandbox(t *testing.T) {
	w := newWorld(t, sandbox.Off)
	w.Settings.Limits = sandbox.Limits{OutputMB: 1}
	r, err := w.ConfineCommand(proc.Cmd{Argv: []string{"sh", "-c", "echo $HOME; head -c 3000000 /dev/zero; sleep 1000"}, Dir: w.Root, Env: w.Environ}, Command{Top: w.Root})
	must(t, err)
	var over sandbox.OverLimit
	if _, err := r.Run(t.Context()); !errors.As(err, &over) || !strings.Contains(over.Why, "sandbox_output_mb") {
		t.Errorf("%v", err)
	}
	must(t, r.Close())
}

// A server of the project has a home folder of its own, variables as they are set, and
// git's folder without the logins in its settings, also where agents have a private one.
func TestWhatAServerGets(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	w.Settings.PrivateGit = true
	write(t, filepath.Join(w.Root, ".git", "config"), "[remote \"o\"]\n\turl = https://me:login@example.invalid/x\n")
	git := filepath.Join(w.Root, ".git")
	out, code := w.command(t, `basename $HOME; echo "$GITHUB_TOKEN $TMPDIR"; cat .git/config; echo x 2>/dev/null > .git/config || echo kept`,
		Command{Name: "dev", Set: []string{"GITHUB_TOKEN=set", "TMPDIR=/var/tmp"}, Git: git, Frozen: []string{git}})
	if want := "dev\nset /var/tmp\n[remote \"o\"]\n\turl = https://example.invalid/x\nkept"; out != want || code != 0 {
		t.Errorf("%d, %q", code, out)
	}
}

// No list shows warp's own state.
func TestWarpsStateIsOnNoList(t *testing.T) {
	w := newWorld(t, sandbox.Landlock)
	for _, o := range []Command{{Read: []string{w.State}}, {Write: []string{filepath.Dir(w.State)}}} {
		if _, err := w.ConfineCommand(proc.Cmd{Argv: []string{"true"}, Dir: w.Root, Env: w.Environ}, o); err == nil || !strings.Contains(err.Error(), "contains warp's state") {
			t.Errorf("%v: %v", o, err)
		}
	}
}
