package workflowcmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// project makes a repository with a workflow and one checkpoint, and a change
// since.
func project(t *testing.T) (*app.App, *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x"}} {
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var out bytes.Buffer
	a := &app.App{In: strings.NewReader(""), Out: &out, Err: &out, Dir: dir, Getenv: func(string) string { return "" }, Env: turnstile.System(), Terminal: true, Screen: true}
	d := turnstile.Open(dir, a.Env)
	doc := durable.Open(d.Store(), workflowstate.File, durable.Kind[workflowstate.State]{Name: workflowstate.Name, Validate: workflowstate.Validate})
	k, err := keeper(t.Context(), a, d)
	if err != nil {
		t.Fatal(err)
	}
	update := func(_ string, fn func(*workflowstate.State) error) error {
		_, err := doc.Update(func(tx *durable.Tx[workflowstate.State]) error {
			if tx.Doc == nil {
				tx.Doc = workflowstate.Begin(workflowstate.Plan{ID: "w1", TaskDoc: "/t.md", Phases: 1, Tasks: []workflowstate.Planned{{Task: "1.1"}}}, a.Env.Now())
			}
			return fn(tx.Doc)
		})
		return err
	}
	if _, err := k.Make(t.Context(), update, 0, "1.1"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "odd.txt"), []byte("\x1b[2J\tcleared\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return a, &out
}

func runCheckpoint(a *app.App, args ...string) error {
	c := NewCheckpoint(a)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	return c.Execute()
}

// On a terminal it asks; what is no clear yes is a no.
func TestRestoreAsks(t *testing.T) {
	a, out := project(t)
	there := func() bool { _, err := os.Stat(filepath.Join(a.Dir, "odd.txt")); return err == nil }
	for _, answer := range []string{"", "\n", "no\n", "yesterday\n"} {
		a.In = strings.NewReader(answer)
		if err := runCheckpoint(a, "restore", "1"); err != nil || !there() || !strings.Contains(out.String(), "Nothing was changed.") {
			t.Errorf("%q: %v\n%s", answer, err, out)
		}
		out.Reset()
	}
	if err := runCheckpoint(a, "restore", "1", "--json"); app.Code(err) != app.Human || !there() {
		t.Errorf("asked in the middle of JSON: %v\n%s", err, out)
	}
	a.In = strings.NewReader("Y\n")
	if err := runCheckpoint(a, "restore", "1"); err != nil || there() || !strings.Contains(out.String(), "Restored checkpoint 1: 1 file changed, main is at ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What a file holds is shown on a terminal, not obeyed; elsewhere a patch is a
// patch.
func TestDiffOnATerminal(t *testing.T) {
	a, out := project(t)
	if err := runCheckpoint(a, "diff", "1"); err != nil || !strings.Contains(out.String(), "+\\u001b[2J\tcleared") {
		t.Errorf("%v\n%q", err, out)
	}
	out.Reset()
	a.Screen = false
	if err := runCheckpoint(a, "diff", "1"); err != nil || !strings.Contains(out.String(), "+\x1b[2J\tcleared") {
		t.Errorf("%v\n%q", err, out)
	}
}
