package judge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	for _, c := range []struct {
		line   string
		passed bool
		exit   int
		says   string
	}{
		{"echo $CI $MORE", true, 0, "1 yes\n"},
		{"echo out; exit 3", false, 3, "out\n"},
		{"echo err >&2; exit 3", false, 3, "err\n"},
		{"no-such-program-at-all", false, NotFound, "not found"},
		{"pwd", true, 0, filepath.Base(dir)},
	} {
		said, err := Site{Dir: dir}.Run(t.Context(), Command{Line: c.line, Environ: append(os.Environ(), "MORE=yes"), Log: log})
		if err != nil || said.Passed != c.passed || said.Exit != c.exit || !strings.Contains(said.Output, c.says) || said.TimedOut || said.Limit != CommandTime {
			t.Errorf("%s: %+v, %v", c.line, said, err)
		}
		if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), c.says) {
			t.Errorf("%s: the log has %q, %v", c.line, text, err)
		}
	}
}

func TestACommandThatDoesNotEnd(t *testing.T) {
	said, err := Site{Dir: t.TempDir()}.Run(t.Context(), Command{Line: "echo begun; sleep 1000", Environ: os.Environ(), Limit: 50 * time.Millisecond})
	if err != nil || said.Passed || !said.TimedOut {
		t.Fatalf("%+v, %v", said, err)
	}
	if have := said.Excerpt(); !strings.Contains(have, "did not end within 50ms") {
		t.Error(have)
	}
	if have := said.String(); !strings.Contains(have, "was stopped after 50ms") {
		t.Error(have)
	}
}

func TestACommandThatIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Site{Dir: t.TempDir()}).Run(ctx, Command{Line: "sleep 1000", Environ: os.Environ()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := (Site{Dir: "/no/such/folder"}).Run(t.Context(), Command{Line: "true", Environ: os.Environ()}); err == nil || !strings.Contains(err.Error(), `running "true"`) {
		t.Errorf("%v", err)
	}
}

func TestWithoutAShell(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (Site{Dir: t.TempDir()}).Run(t.Context(), Command{Line: "true"}); !errors.Is(err, ErrNoShell) {
		t.Errorf("%v", err)
	}
}

func TestWhatFailedIsTold(t *testing.T) {
	for _, c := range []struct {
		said CommandResult
		want string
	}{
		{CommandResult{Line: "make test", Exit: 2, Output: "FAIL: TestOne\n"}, "make test ended with 2:\nFAIL: TestOne"},
		{CommandResult{Line: "make test", Exit: 2}, "make test ended with 2"},
	} {
		if have := c.said.String(); have != c.want {
			t.Errorf("%q", have)
		}
	}
	long := CommandResult{Output: strings.Repeat("noise\n", 5000) + "FAIL: TestOne\n"}
	if have := long.Excerpt(); len(have) > maxExcerpt+100 || !strings.Contains(have, "FAIL: TestOne") {
		t.Errorf("%d bytes", len(have))
	}
}

// The silence of a verifier is a no, and so is a no among two verdicts.
func TestVerdicts(t *testing.T) {
	a := VerifierAnswer{Criteria: []Verdict{{"AC-02", true, "yes"}, {"AC-01", true, "yes"}, {"AC-01", false, "no"}, {"AC-01", true, "yes"}, {"AC-09", true, "not asked"}, {"AC-04", false, "no"}, {"AC-04", true, "yes"}}}
	want := []Verdict{{"AC-01", false, "no"}, {"AC-02", true, "yes"}, {"AC-03", false, "the verifier did not judge it"}, {"AC-04", false, "no"}}
	if have := a.Verdicts([]string{"AC-01", "AC-02", "AC-03", "AC-04"}); !slices.Equal(have, want) {
		t.Errorf("%v", have)
	}
}

// Tests print what they are given: a log keeps none of it.
func TestALogKeepsNoSecrets(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	hide := func(s string) string { return strings.ReplaceAll(s, "ghp_0123456789abcdef", "[redacted]") }
	said, err := Site{Dir: t.TempDir()}.Run(t.Context(), Command{Line: `echo "$DB_PASS $APP_DSN"; echo $SMTP_PWD >&2; printf %s%s ghp _0123456789abcdef; exit 1`, Log: log, Redact: hide,
		Environ: append(os.Environ(), "DB_PASS=hunter2-of-db", "APP_DSN=app:hunter2-of-dsn@tcp(db)/x", "SMTP_PWD=hunter2-of-smtp")})
	if err != nil || !strings.Contains(said.Output, "hunter2-of-db") {
		t.Fatalf("%+v %v", said, err)
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "ghp_") || strings.Count(string(text), "[redacted]") != 4 {
		t.Errorf("%s %v", text, err)
	}
}
