package democmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	agent "warp/internal/adapter/agent/demo"
	"warp/internal/cli"
	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	issues "warp/internal/cli/issue"
	"warp/internal/cli/tracker"
	"warp/internal/sys/git"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// The test binary plays warp and warp-net in one for the agent that it starts: the
// list of warp-net's commands names the demo, so it cannot be taken from there.
func TestMain(m *testing.M) {
	net := []cli.Command{{Name: "agent", Make: agentcmd.New}, {Name: "issue", Make: issues.New}}
	if len(os.Args) > 1 && slices.ContainsFunc(net, func(c cli.Command) bool { return c.Name == os.Args[1] }) {
		os.Exit(cli.Main(os.Args[1:], net...))
	}
	for _, kv := range []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GORACE=atexit_sleep_ms=0", "WARP_DEMO="} {
		k, v, _ := strings.Cut(kv, "=")
		_ = os.Setenv(k, v)
	}
	os.Exit(m.Run())
}

// shown runs the demo in a folder, and returns what was printed.
func shown(t *testing.T, misbehave string) (a *app.App, root, out string, err error) {
	t.Helper()
	need.Tool(t, "git")
	root, err = filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	a = &app.App{In: strings.NewReader(""), Out: &b, Err: &b, Dir: root, Env: turnstile.System(), Getenv: os.Getenv}
	w, err := wayOf(misbehave)
	if err != nil {
		t.Fatal(err)
	}
	err = show(t.Context(), a, root, w)
	return a, root, b.String(), err
}

// Every agent that misbehaves is held, and what is said of it can be seen.
func TestEveryWayToMisbehaveIsHeld(t *testing.T) {
	seen := map[string]string{
		"liar": "The agent changed nothing for AC-01", "ticks": "The agent changed nothing for AC-01", "tamper": "the test file is deleted", "commit": "it was put back",
		"destroy": `"notes.txt"`, "overspend": "of $5.00", "limit": "usage limit: waiting until", "quotes": "merged", "loop": "a test of the contract that you do not see fails", "crash": "exit code 137",
		"garbage": "without a result", "hang": "was silent for too long", "orphan": "behind, which warp ended",
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			_, _, out, err := shown(t, w.name)
			if err != nil || !strings.Contains(out, "The agent "+w.did+".\nwarp "+w.held+".\n") || !strings.Contains(out, "Checked: ") || !strings.Contains(out, seen[w.name]) || seen[w.name] == "" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// What the demo agent can do, the demo can show.
func TestEverySwitchIsShown(t *testing.T) {
	for _, s := range agent.Switches {
		if _, err := wayOf(s.Name); err != nil && s.Name != usual.switches {
			t.Error(err)
		}
	}
}

// Whatever does not agree is noticed.
func TestDisagreementsAreNoticed(t *testing.T) {
	a, root, out, err := shown(t, "")
	if err != nil || !strings.Contains(out, "agree: 5 of 5 criteria, 2 commits, 2 reports.") {
		t.Fatalf("%v\n%s", err, out)
	}
	d := turnstile.Open(root, a.Env)
	wrong := func() string {
		t.Helper()
		r, err := feed.Read(d, a.Env)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := tracker.Open(t.Context(), a, d)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(disagreements(t.Context(), root, tr, r.Book.Account(issue)), "\n")
	}
	if w := wrong(); w != "" {
		t.Fatal(w)
	}
	change := func(name, old, new string) func() {
		path := filepath.Join(root, name)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%v: no %q in %s", err, old, text)
		}
		put(t, path, strings.ReplaceAll(string(text), old, new))
		return func() { put(t, path, string(text)) }
	}
	run := func(args ...string) {
		t.Helper()
		if _, err := (git.Repo{Dir: root}).Must(context.Background(), git.Call{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	made, err := commits(t.Context(), root, "main")
	if err != nil || len(made) != 2 {
		t.Fatal(made, err)
	}
	last := made[1]
	for _, c := range []struct {
		want string
		do   func() (undo func())
	}{
		{"the boxes of [AC-01 AC-02 AC-04 AC-05] are checked", func() func() { return change(".claude/issues/1.md", "[x] AC-03", "[ ] AC-03") }},
		{"the issue is open: true", func() func() { return change(".claude/issues/1.md", "state: closed", "state: open") }},
		{"does not name the commit", func() func() { return change(".claude/issues/1.md", last[:10], "0000000000") }},
		{"notes.txt is not as it was", func() func() { return change("notes.txt", "yours", "theirs") }},
		{"main has the commits", func() func() {
			run("update-ref", "refs/heads/main", "main~1")
			return func() { run("update-ref", "refs/heads/main", last) }
		}},
		{"the branches have the commits", func() func() {
			run("commit", "-q", "--allow-empty", "-m", "more")
			return func() { run("reset", "-q", "--soft", "HEAD~1") }
		}},
	} {
		undo := c.do()
		if w := wrong(); !strings.Contains(w, c.want) {
			t.Errorf("%q is missing in %q", c.want, w)
		}
		undo()
	}
	if w := wrong(); w != "" {
		t.Error(w)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
