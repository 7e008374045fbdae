package demo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
	"warp/internal/testkit/need"
)

// The test binary plays warp: the agent itself, and the command with which the
// agent checks off criteria.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" && os.Args[2] == Command {
		dir, _ := os.Getwd()
		os.Exit(Main(context.Background(), World{In: os.Stdin, Out: os.Stdout, Stdout: os.Stdout, Dir: dir, Getenv: os.Getenv, Self: os.Args[0]}, os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "issue" {
		_ = os.WriteFile("issue-command.txt", []byte(strings.Join(os.Args[1:], " ")), 0o644)
		os.Exit(0)
	}
	for _, kv := range []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GORACE=atexit_sleep_ms=0", "WARP_DEMO="} {
		k, v, _ := strings.Cut(kv, "=")
		_ = os.Setenv(k, v)
	}
	os.Exit(m.Run())
}

const failing = "package scratch\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) {\n\tt.Fatal(\"it fails\")\n}\n"

// scratch is a repository with a Go module, two commits, a failing test, and
// things that git does not know.
func scratch(t testing.TB) string {
	t.Helper()
	need.Tool(t, "git")
	dir := t.TempDir()
	put(t, dir, "go.mod", "module scratch\n\ngo 1.26\n")
	put(t, dir, "README.md", "# scratch")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	put(t, dir, "fails_test.go", failing)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "two")
	put(t, dir, "notes.txt", "the user's own\n")
	put(t, dir, ".claude/issues/7.md", "# Seven\n\n- [ ] AC-01: one\n- [ ] AC-02: two\n- [ ] AC-03: three\n")
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// get is a file's text, "" where there is none.
func get(dir, name string) string {
	text, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	return string(text)
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), stamps...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// play runs the agent inside the test: for what needs no process.
func play(t testing.TB, dir string, role agent.Role, misbehave string, args ...string) (exit int, out string) {
	t.Helper()
	env := map[string]string{"WARP_ROLE": string(role), "WARP_ISSUE": "7", "WARP_CHUNK": "1", "WARP_CRITERIA": "AC-01,AC-02", "WARP_DEMO": misbehave}
	var b bytes.Buffer
	w := World{In: strings.NewReader("Do it"), Out: &b, Dir: dir, Getenv: func(k string) string { return env[k] }, Self: self(t),
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	exit = Main(t.Context(), w, args)
	return exit, b.String()
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runs is the runner with the agent as a process, and a clock that no test waits
// for.
type runs struct {
	agent.Runner
	now   time.Time
	waits []time.Time
	seen  []agent.Event
}

func newRuns(t testing.TB, dir, misbehave string) *runs {
	t.Helper()
	r := &runs{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	clock := func() time.Time { r.now = r.now.Add(time.Microsecond); return r.now }
	r.Runner = agent.Runner{
		Adapters: []agent.Adapter{New(Options{Path: self(t), Misbehave: misbehave, Now: clock})},
		Store:    durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: clock, PID: os.Getpid()}),
		Now:      clock, Started: proc.Started, PID: os.Getpid(), Environ: os.Environ(), Host: "here",
		Watch: func(_ string, e agent.Event) { r.seen = append(r.seen, e) },
		Wait: func(_ context.Context, until time.Time, _ string) error {
			r.waits, r.now = append(r.waits, until), until
			return nil
		},
	}
	return r
}

func (r *runs) ask(t testing.TB, dir string, role agent.Role, change ...func(*agent.Task)) agent.Result {
	t.Helper()
	task := agent.Task{Role: role, Prompt: "Do it", Dir: dir, Work: agent.Work{Issue: "7", Chunk: 1}, Criteria: []string{"AC-01", "AC-02"}, Timeout: time.Minute}
	for _, c := range change {
		c(&task)
	}
	res, err := r.Run(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func compact(v *lossless.Value) string {
	if v == nil {
		return ""
	}
	return string(lossless.AppendCompact(nil, v))
}
