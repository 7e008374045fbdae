package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// shown is what warp alone prints in a folder.
func shown(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	a := &app.App{Out: &out, Err: &out, Dir: dir, Getenv: func(string) string { return "" }, Env: turnstile.System(), Terminal: true}
	if err := showHome(a); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n > 10 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
	return out.String()
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func issue(t *testing.T, dir, number, labels string) {
	t.Helper()
	file := filepath.Join(dir, ".claude", "issues", number+".md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\ntitle: Count\nstate: open\nlabels: ["+labels+"]\n---\n\nText.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNextStep(t *testing.T) {
	dir := repository(t)
	for _, step := range []struct {
		change func()
		want   []string
	}{
		{func() {}, []string{"Next:      warp quickstart  ("}},
		{func() { issue(t, dir, "4", "req") }, []string{"Issues:    0 approved, 1 open", "Next:      warp issue approve 4  ("}},
		{func() { issue(t, dir, "5", "req, approved") }, []string{"Issues:    1 approved, 1 open", "Next:      warp drive  ("}},
		{func() { begin(t, dir) }, []string{"Now:       #5: prerequisites", "Next:      warp status --watch  ("}},
	} {
		step.change()
		have := shown(t, dir)
		for _, want := range step.want {
			if !strings.Contains(have, want) {
				t.Errorf("want %q in:\n%s", want, have)
			}
		}
	}
}

func begin(t *testing.T, dir string) {
	t.Helper()
	if _, err := turnstile.Open(dir, turnstile.System()).Init(t.Context(), turnstile.Start{Level: 3, Issue: "5", PID: os.Getpid(), GitHubUser: "me"}); err != nil {
		t.Fatal(err)
	}
}

func TestOutsideOfAProject(t *testing.T) {
	a := &app.App{Dir: t.TempDir(), Getenv: func(string) string { return "" }, Env: turnstile.System()}
	if err := showHome(a); !errors.Is(err, app.ErrNoProject) {
		t.Error(err)
	}
}

// A drive that has ended with its process is resumed within its limits.
func TestNextStepRepeatsLimits(t *testing.T) {
	st := &drivestate.State{}
	st.Session.Caps.Tokens = 500
	if command, _ := (homeScene{drives: []homeDrive{{state: st, stopped: true}}}).next(); command != "warp resume --max-tokens 500" {
		t.Error(command)
	}
}
