package drivecmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/drivecmd"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/githubmock"
	"warp/internal/turnstile"
)

// Whose a session is comes from the token that the tracker has, not from gh: that may be
// missing, or logged in as another.
func TestTheUserComesFromTheToken(t *testing.T) {
	s := githubmock.Start(t, hub.New())
	env := map[string]string{"HOME": t.TempDir(), "GITHUB_TOKEN": hub.Token, "WARP_GITHUB_API": s.URL}
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "git@github.com:octo/widgets.git"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	var out bytes.Buffer
	a := &app.App{Out: &out, Err: &out, Dir: dir, Env: turnstile.System(), Getenv: func(k string) string { return env[k] }}
	if code := cli.Run(t.Context(), a, []string{"state", "init", ".", "--level", "3"}, cli.Command{Name: "state", Make: drivecmd.NewState}); code != app.Done {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	v, err := turnstile.Open(dir, a.Env).Read()
	if err != nil || v.State.Session.GitHubUser != "ada" || v.State.Session.PID != os.Getppid() {
		t.Errorf("%+v, %v", v.State, err)
	}
}
