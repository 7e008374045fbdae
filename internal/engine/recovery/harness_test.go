package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/forge/local"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// A machine is a clone of a remote, with a tracker beside them that has the
// requirement #1: seven criteria, in three chunks.
type machine struct {
	t       *testing.T
	dir     string // of the remote, the tracker and the clones
	at      string // the main work tree
	tracker forge.Tracker
	clock   time.Time
	alive   map[int]bool // processes that live, besides this one
}

const feature = "feature/issue-1-seven-things"

var began = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// TestMain gives every git the same surroundings, whatever those of the tests
// are: its settings, its clock, and no gh that would ask the network.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "recovery")
	if err != nil {
		panic(err)
	}
	if err := errors.Join(os.WriteFile(home+"/.gitconfig", []byte("[user]\n\tname = u\n\temail = u@example.invalid\n[init]\n\tdefaultBranch = main\n"), 0o644),
		os.WriteFile(home+"/gh", []byte("#!/bin/sh\nexit 1\n"), 0o755)); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	at := began.Add(time.Hour).Format(time.RFC3339)
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": home + "/.gitconfig",
		"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": at, "PATH": home + ":" + os.Getenv("PATH")} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: dir, at: filepath.Join(dir, "a"), clock: began.Add(time.Hour), alive: map[int]bool{}}
	m.git("init", "-q", "--bare", "-b", "main", dir+"/remote.git")
	m.git("init", "-q")
	m.git("remote", "add", "origin", dir+"/remote.git")
	m.write(".gitignore", ".claude/\n")
	m.commit("chore: begin")
	m.git("push", "-q", "-u", "origin", "main")
	m.tracker = local.New(local.Config{Store: durable.New(durable.Config{Dir: dir + "/tracker/.claude", Now: m.now}), User: "u", Now: m.now})
	body := ""
	for k := range 7 {
		body += fmt.Sprintf("- [ ] AC-%02d: thing %d\n", k+1, k+1)
	}
	m.file(forge.NewIssue{Title: "Seven things", Body: body})
	return m
}

// another is a machine with a clone of the same remote, and nothing else.
func (m *machine) another() *machine {
	m.t.Helper()
	other := *m
	other.at = filepath.Join(m.dir, "b")
	m.git("clone", "-q", m.dir+"/remote.git", other.at)
	return &other
}

func (m *machine) now() time.Time { return m.clock }

func (m *machine) ok(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) env() turnstile.Env {
	env := turnstile.System()
	env.Now = m.now
	env.Started = func(pid int) (string, bool) { return "", pid == env.PID || m.alive[pid] }
	return env
}

func (m *machine) driveIn(root string) *turnstile.Drive { return turnstile.Open(root, m.env()) }

func (m *machine) open() *Recovery {
	m.t.Helper()
	r, err := Open(context.Background(), m.driveIn(m.at), m.tracker, m.env(), "here")
	m.ok(err)
	return r
}

// apart is where drives of #1 have a work tree of their own.
func (m *machine) apart() string { return filepath.Join(m.at, ".claude", "worktrees", "issue-1") }

func (m *machine) gitIn(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (m *machine) git(args ...string) string {
	m.t.Helper()
	m.ok(os.MkdirAll(m.at, 0o755))
	out, err := m.gitIn(m.at, args...)
	if err != nil {
		m.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.at, filepath.FromSlash(name))
	m.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	m.ok(os.WriteFile(path, []byte(text), 0o755))
}

func (m *machine) lose(path string) { m.t.Helper(); m.ok(os.RemoveAll(path)) }

func (m *machine) commit(message string) string {
	m.t.Helper()
	m.git("add", "-A")
	m.git("commit", "-q", "-m", message)
	return m.git("rev-parse", "HEAD")
}

// file files something, and says which number it has.
func (m *machine) file(n forge.NewIssue) int {
	m.t.Helper()
	i, err := m.tracker.Create(context.Background(), n)
	m.ok(err)
	return i.Number
}

// everything is all that must stay as it is where nothing may be changed.
func (m *machine) everything() string {
	m.t.Helper()
	text := m.git("for-each-ref") + "\n" + m.git("status", "--porcelain", "--branch") + "\n" + m.git("worktree", "list")
	states, err := filepath.Glob(filepath.Join(m.at, ".claude", turnstile.StateFile+"*"))
	m.ok(err)
	apart, err := filepath.Glob(filepath.Join(m.at, ".claude", "worktrees", "*", ".claude", turnstile.StateFile+"*"))
	m.ok(err)
	for _, name := range slices.Concat(states, apart) {
		state, err := os.ReadFile(name)
		m.ok(err)
		text += "\n" + name + "\n" + string(state)
	}
	return text
}
