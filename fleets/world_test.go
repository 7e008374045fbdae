//go:build unix

// Package fleets tries a whole fleet: a real Temporal server, workers as processes, real
// repositories, a tracker that they share, and everything that dies in a night.
package fleets

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/fleet/devserver"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
	"warp/internal/testkit/need"
	"warp/internal/testkit/programs"
)

var bin string

func TestMain(m *testing.M) {
	if os.Getenv("WARP_HOWTO_SERVE") != "" { // a server of the how-to, which needs no programs
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "fleets-")
	if err == nil {
		bin = filepath.Join(dir, "bin")
		err = programs.Build(bin)
	}
	if _, missing := os.Stat(filepath.Join(bin, "warp-fleet")); err == nil && missing != nil { // make run builds it once for all
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin+"/", "warp/cmd/warp-fleet")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		var out []byte
		if out, err = build.CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is a night: repositories on a shared tracker, a server behind a gate, workers.
type world struct {
	t       *testing.T
	dir     string
	env     []string
	hubs    map[string]*hub.Hub // by repository
	remote  string              // what the repositories' addresses begin with
	server  devserver.Server
	connect string // where people reach the server
	gate    *gate
	pid     chan int // of the server, each time it is started
	workers []*worker
}

// agentScript does its task and writes down when it began and ended, so that two at one
// requirement are seen whatever the fleet believes.
const agentScript = `cat > /dev/null
case $WARP_ROLE in
plan) exit ;;
verify) echo "{\"criteria\":[$(echo "$WARP_CRITERIA" | tr ', ' '\n\n' | sed '/^$/d; s/.*/{"id":"&","met":true,"reason":"it is there"}/' | paste -sd,)]}" > "$WARP_RESULT"; exit ;;
esac
env | grep -E '^(TEMPORAL|WARP_FLEET)_' | grep -v '^WARP_FLEET_WORK=' >> "$AGENT_LOG.secrets" # the mark names its own clone
name=$(basename "$(git remote get-url origin)" .git)
printf 'begin %s#%s %s %s\n' "$name" "$WARP_ISSUE" $$ "$(date +%s%N)" >> "$AGENT_LOG"
while [ -n "$AGENT_SLOW" ] && [ ! -e "$AGENT_SLOW" ]; do sleep 0.05; printf 'works %s#%s %s %s\n' "$name" "$WARP_ISSUE" $$ "$(date +%s%N)" >> "$AGENT_LOG"; done
echo "$WARP_CRITERIA" >> "issue$WARP_ISSUE.txt"
printf 'end %s#%s %s %s\n' "$name" "$WARP_ISSUE" $$ "$(date +%s%N)" >> "$AGENT_LOG"
echo '{"summary":"done"}' > "$WARP_RESULT"
`

// newWorld makes repositories with so many approved issues each, and a server.
func newWorld(t *testing.T, repos, issues int) *world {
	t.Helper()
	temporal := need.Temporal(t)
	w := newMachine(t)
	w.env = append(w.env, "WARP_GITHUB_API="+w.serveTracker(repos, issues))
	for name := range w.hubs {
		w.sow(name)
	}
	w.setUp(temporal)
	return w
}

// setUp has the agent ready, and a server.
func (w *world) setUp(temporal string) {
	w.t.Helper()
	w.write("agent.sh", agentScript)
	w.sh("cd seed && warp config set --user test_command 'sh test.sh' && warp config set --user agent command && warp config set --user agent_command sh " + w.dir + "/agent.sh")
	w.startServer(temporal)
}

// newMachine has a home, an empty log of agents and what repositories begin with.
func newMachine(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, hubs: map[string]*hub.Hub{}, remote: "git@github.com:octo/", pid: make(chan int, 100)}
	w.env = append(programs.Environ(filepath.Join(dir, "home"), filepath.Join(dir, "tools"), bin), "WARP_SANDBOX=off", "GITHUB_TOKEN="+hub.Token, "AGENT_LOG="+filepath.Join(dir, "agents.log"),
		"WARP_FLEET_HOME="+filepath.Join(dir, "fleet"), "TEMPORAL_CONFIG_FILE="+filepath.Join(dir, "none.toml"))
	w.write("agents.log", "")
	w.write("tools/ssh", "#!/bin/sh\ncd '"+dir+"' && eval \"$2\"\n")
	w.write("home/.gitconfig", "[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = ssh\n[advice]\n\tdetachedHead = false\n")
	w.write("seed/test.sh", "true\n")
	w.write("seed/.gitignore", ".claude/\n")
	w.sh("cd seed && git init -q && git add -A && git commit -q -m 'chore: begin'")
	return w
}

// sow makes a repository that begins with the seed.
func (w *world) sow(name string) {
	w.t.Helper()
	w.sh("git init -q --bare -b main octo/" + name + ".git && cd seed && git push -q ../octo/" + name + ".git main")
}

// serveTracker is one API for all repositories.
func (w *world) serveTracker(repos, issues int) string {
	var names []string
	for n := range repos {
		names = append(names, fmt.Sprintf("repo%d", n+1))
	}
	s := httptest.NewServer(w.tracker(names, issues))
	w.t.Cleanup(s.Close)
	return s.URL
}

// tracker answers for each repository from a hub of its own.
func (w *world) tracker(names []string, issues int) http.Handler {
	proxies := map[string]http.Handler{}
	for _, name := range names {
		h := hub.New()
		h.Name = name
		h.Lock()
		for i := range issues {
			h.Add(hub.Item{Title: fmt.Sprintf("Task %d", i+1), Body: fmt.Sprintf("- [ ] AC-01: file %d is there\n", i+1), Author: "ada", Labels: []string{"req", "approved"}})
		}
		h.Unlock()
		at, err := url.Parse(githubmock.Start(w.t, h).URL)
		if err != nil {
			w.t.Fatal(err)
		}
		w.hubs[h.Name] = h
		proxies[h.Name] = httputil.NewSingleHostReverseProxy(at)
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		for name, p := range proxies {
			if strings.Contains(r.URL.Path+"/", "/"+name+"/") || strings.Contains(string(body), `"name":"`+name+`"`) {
				p.ServeHTTP(rw, r)
				return
			}
		}
		proxies[names[0]].ServeHTTP(rw, r)
	})
}

// startServer starts the real server, and keeps it up when it is killed.
func (w *world) startServer(program string) {
	port := freePort(w.t)
	w.server = devserver.Server{Program: program, Folder: w.dir, Port: port}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- w.server.Run(ctx, func(pid int) { w.pid <- pid }, func(string) {})
	}()
	w.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	if err := w.server.Wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.connect = w.server.Address()
	w.gate = openGate(w.t, w.connect)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) sh(script string) string {
	w.t.Helper()
	out, code := w.run(script)
	if code != 0 {
		w.t.Fatalf("%s: exit %d\n%s", script, code, out)
	}
	return strings.TrimSpace(out)
}

func (w *world) run(script string) (string, int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.WaitDelay = 5 * time.Second // else what the shell has started is waited for
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// fleet runs warp-fleet directly at the server.
func (w *world) fleet(args string) (string, int) {
	name, rest, _ := strings.Cut(args, " ")
	return w.run("warp-fleet " + name + " --connect " + w.connect + " " + rest)
}
