package rdb_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/rdb"
	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	mock "warp/internal/testkit/telegram"
	"warp/internal/turnstile"
)

const (
	token = "123456:AAbbCCddEE"
	chat  = int64(4711)
)

type fixture struct {
	t   *testing.T
	app *app.App
	out *bytes.Buffer
	tg  *mock.Server
	env map[string]string
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, out: &bytes.Buffer{}, tg: mock.New(token, chat)}
	server := httptest.NewServer(f.tg)
	t.Cleanup(server.Close)
	f.env = map[string]string{"HOME": t.TempDir(), "TELEGRAM_BOT_TOKEN": token, "TELEGRAM_API_BASE": server.URL}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.app = &app.App{Out: f.out, Err: f.out, Dir: dir, Getenv: func(k string) string { return f.env[k] }, Env: turnstile.System()}
	return f
}

func (f *fixture) run(ctx context.Context, args ...string) error {
	c := rdb.New(f.app)
	c.SetArgs(args)
	c.SetOut(f.out)
	c.SetErr(f.out)
	c.SilenceErrors, c.SilenceUsage = true, true
	return c.ExecuteContext(ctx)
}

func TestATestArrives(t *testing.T) {
	f := newFixture(t)
	for _, args := range [][]string{{"on", "--chat", "4711"}, {"test"}, {"status"}} {
		if err := f.run(t.Context(), args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, f.out)
		}
	}
	if got := f.tg.Texts(chat); len(got) != 1 || !strings.HasPrefix(got[0], "[warp-drive] test: ") {
		t.Error(got)
	}
	if !strings.Contains(f.out.String(), "the message has arrived\n") || strings.Contains(f.out.String(), "AAbb") {
		t.Error(f.out)
	}
	_ = filepath.WalkDir(f.app.Dir, func(path string, d os.DirEntry, err error) error {
		if text, _ := os.ReadFile(path); bytes.Contains(text, []byte("AAbb")) {
			t.Errorf("%s has the token", path)
		}
		return err
	})
}

// A drive inside an agent's session is told of phase by phase, and the chat can
// ask how it is.
func TestRunTellsOfAnAgentsDrive(t *testing.T) {
	f := newFixture(t)
	if err := f.run(t.Context(), "on", "--chat", "4711"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	wants := func(level string) {
		err := turnstile.Open(f.app.Dir, f.app.Env).Project.EditSettings(func(text []byte) ([]byte, error) {
			return lossless.Set(text, lossless.NewString(level), "_workflow", "notify")
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wants("all")
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx, "run") }()
	f.until(ctx, "listening", func() bool { f.tg.Say(chat, "ann", "/status", 0); return len(f.tg.Texts(chat)) > 0 })

	d := turnstile.Open(f.app.Dir, f.app.Env)
	if _, err := d.Init(ctx, turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid(), ClaudeSession: "s1"}); err != nil {
		t.Fatal(err)
	}
	for _, on := range []drivestate.Event{drivestate.PrerequisitesOK, drivestate.WorkSelected} {
		if _, err := d.Fire(ctx, on, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"[warp-drive] prerequisites -- #42", "[warp-drive] discovering -- #42", "[warp-drive] planning -- #42"} {
		f.until(ctx, want, func() bool { return slices.Contains(f.tg.Texts(chat), want) })
	}
	wants("important") // a phase is not, the end is
	for _, on := range []drivestate.Event{drivestate.PlanReady, drivestate.Abort} {
		if _, err := d.Fire(ctx, on, ""); err != nil {
			t.Fatal(err)
		}
	}
	f.tg.Say(chat, "ann", "/status", 0)
	f.until(ctx, "the phase is reached", func() bool { return strings.Contains(strings.Join(f.tg.Texts(chat), "\n"), "Phase: aborted") })
	if text := strings.Join(f.tg.Texts(chat), "\n"); strings.Contains(text, "chunking -- #42") || strings.Contains(text, "aborted -- ") {
		t.Error(text)
	}
	if err := f.run(ctx, "off"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || ctx.Err() != nil {
		t.Error("it ends with remote mode", err)
	}
	cancel()
}

// until waits for what happens in another goroutine.
func (f *fixture) until(ctx context.Context, what string, is func() bool) {
	f.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			f.t.Fatalf("%s: never\n%s", what, strings.Join(f.tg.Texts(chat), "\n"))
		case <-tick.C:
		}
	}
}

// A project names the topic; whom the user's token is sent to, the user does.
func TestTheTokenOfNtfyGoesWhereItsUserSays(t *testing.T) {
	f := newFixture(t)
	var auth []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { auth = append(auth, r.Header.Get("Authorization")) }))
	t.Cleanup(server.Close)
	f.env["NTFY_TOKEN"] = "tk_mine"
	for _, f.env["NTFY_URL"] = range []string{"", server.URL + "/mine", server.URL + "/topic"} {
		for _, args := range [][]string{{"on", "--ntfy", server.URL + "/topic"}, {"test"}} {
			if err := f.run(t.Context(), args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{"", "", "Bearer tk_mine"}; !slices.Equal(auth, want) {
		t.Errorf("%q, want %q", auth, want)
	}
}

// A token that others on the machine can read is none.
func TestATokenThatOthersCanRead(t *testing.T) {
	f := newFixture(t)
	file := filepath.Join(f.env["HOME"], "token")
	f.env["TELEGRAM_BOT_TOKEN"], f.env["TELEGRAM_BOT_TOKEN_FILE"] = "", file
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode os.FileMode
		ok   bool
	}{{0o640, false}, {0o604, false}, {0o620, false}, {0o600, true}, {0o400, true}} {
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := f.run(t.Context(), "on", "--chat", "4711"); (err == nil) != c.ok && runtime.GOOS != "windows" {
			t.Errorf("%o: %v", c.mode, err)
		}
	}
}
