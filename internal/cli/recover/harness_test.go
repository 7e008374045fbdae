package recover_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/internal/cli"
	"warp/internal/cli/netcommands"
	"warp/internal/hook"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
	"warp/internal/testkit/programs"
	"warp/internal/turnstile"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"warp":     func() { os.Exit(cli.Main(os.Args[1:])) },
		"warp-net": func() { os.Exit(cli.Main(os.Args[1:], netcommands.Commands...)) },
		"warp-hook": func() {
			os.Exit(hook.Run(os.Args[1:], hook.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Parent: os.Getppid(), System: turnstile.Bare(),
				Dir: func() string { dir, _ := os.Getwd(); return dir }}))
		},
	})
}

// tests are run with the programs that make has built, if it has: they start in a third of
// the time of this one.
type tests struct{ *testing.M }

func (m tests) Run() int {
	if dir := programs.Built(); dir != "" {
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	dir, err := os.MkdirTemp("", "warp-recover-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	moments.dir = dir
	return m.M.Run()
}

// world is a remote, a tracker, and machines that come and go.
type world struct {
	t   *testing.T
	dir string
	hub *hub.Hub
	env []string
	at  string // the machine
}

const title = "Seven things"

// newWorld makes a remote with a project and a tracker with a requirement of
// seven criteria, which are three chunks.
func newWorld(t *testing.T, boxes string) *world {
	t.Helper()
	h := hub.New()
	h.Lock()
	h.Add(hub.Item{Title: title, Body: boxes, Author: "ada", Labels: []string{"req", "approved"}})
	h.Unlock()
	m := momentOf("beginning", func(w *world) {
		w.write("home/.gitconfig", "[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n[ssh]\n\tvariant = simple\n[core]\n\tsshCommand = ssh\n[advice]\n\tdetachedHead = false\n")
		w.write("seed/check.sh", "true\n")
		w.write("seed/.gitignore", ".claude/\n")
		w.sh(`git init -q --bare -b main octo/widgets.git && cd seed && git init -q && git add -A && git commit -q -m 'chore: begin' && git push -q ../octo/widgets.git main`)
	}, func() *world { return emptyWorld(t, h) })
	return m.again(t, h)
}

// emptyWorld has a tracker, and nothing else yet.
func emptyWorld(t *testing.T, h *hub.Hub) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, hub: h, at: dir}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "GIT") && !strings.HasPrefix(name, "GH_") && !strings.HasPrefix(name, "WARP_") && name != "PATH" && name != "HOME" {
			w.env = append(w.env, kv)
		}
	}
	w.env = append(w.env, "PATH="+dir+"/tools:"+os.Getenv("PATH"), "HOME="+dir+"/home", "GIT_CONFIG_NOSYSTEM=1", "WARP_SANDBOX=off", "GORACE=atexit_sleep_ms=0",
		"GITHUB_TOKEN="+hub.Token, "WARP_GITHUB_API="+githubmock.Start(t, h).URL)
	return w
}

// settings are those of each machine.
const settings = `{"_workflow": {"test_command": "sh check.sh", "agent": "demo", "level": 3, "checks": "off", "max_acs_per_commit": 3}}`

// machine is a clone with warp set up.
func (w *world) machine(name string) *world {
	w.t.Helper()
	m := *w
	m.at = filepath.Join(w.dir, name)
	w.sh("git clone -q git@github.com:octo/widgets.git " + name)
	m.write(".claude/settings.local.json", settings)
	return &m
}

// run runs a script, with variables besides; the exit code is -1 when it was
// killed.
func (w *world) run(script string, env ...string) (out string, exit int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script)
	cmd.Dir, cmd.Env = w.at, append(w.env[:len(w.env):len(w.env)], env...)
	text, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		w.t.Fatal(err)
	}
	if ctx.Err() != nil {
		w.t.Fatalf("%s did not end\n%s", script, text)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func (w *world) sh(script string, env ...string) string {
	w.t.Helper()
	out, exit := w.run(script, env...)
	if exit != 0 {
		w.t.Fatalf("%s: exit %d\n%s", script, exit, out)
	}
	return strings.TrimSpace(out)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.at, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// crash drives until a point, where the process is killed.
func (w *world) crash(point, drive string) {
	w.t.Helper()
	if out, exit := w.run(drive, "WARP_CRASH_AT="+point); exit != 137 && exit != -1 {
		w.t.Fatalf("%s: exit %d, not killed at %s\n%s", drive, exit, point, out)
	}
}

var (
	session = regexp.MustCompile(`(session|#1|#1\.\d|summary) \d{13}`)
	date    = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
)

// account is what must be the same however a drive came to its end: the tree and
// the commits of the merge target, and what the tracker has.
func (w *world) account() string {
	w.t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, w.sh("git -C "+w.dir+"/octo/widgets.git log --format='%s%n%b%T' main"))
	w.hub.Lock()
	defer w.hub.Unlock()
	var markers []string
	for _, i := range w.hub.Items {
		fmt.Fprintf(&b, "#%d %s open=%t %v\n", i.Number, i.Title, i.Open, i.Labels)
		if i.Number == 1 {
			fmt.Fprintln(&b, i.Body)
		}
		texts := []string{i.Body}
		for _, c := range i.Comments {
			texts = append(texts, c.Body)
		}
		for _, text := range texts {
			for _, line := range strings.Split(text, "\n") {
				if strings.HasPrefix(line, "<!-- warp-drive") {
					if slices.Contains(markers, line) {
						w.t.Errorf("filed twice: %s", line)
					}
					markers = append(markers, line)
					fmt.Fprintln(&b, line)
				}
			}
		}
	}
	return date.ReplaceAllString(session.ReplaceAllString(b.String(), "$1"), "DATE")
}
