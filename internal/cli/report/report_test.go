package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/cli/app"
	"warp/internal/cli/report"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// project is a folder with a journal that is written by hand, on the evening of
// 14 November; it is read the next morning.
type project struct {
	t   *testing.T
	dir string
	env turnstile.Env
	now time.Time
}

func folder(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, ".claude"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, dir: dir, env: turnstile.System(), now: time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)}
	p.env.Now = func() time.Time { return p.now }
	return p
}

func (p *project) wrote(kind string, row any) {
	p.t.Helper()
	p.now = p.now.Add(time.Minute)
	if err := turnstile.Open(p.dir, p.env).Store().Append(kind, row); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) warp(code int, args ...string) (stdout, message string) {
	p.t.Helper()
	p.now = time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	var out, notes bytes.Buffer
	a := &app.App{Out: &out, Err: &notes, Dir: p.dir, Env: p.env, Getenv: func(string) string { return "" }}
	c := report.New(a)
	c.SetArgs(args)
	c.SilenceUsage, c.SilenceErrors = true, true
	err := c.ExecuteContext(p.t.Context())
	if got := app.Code(err); got != code {
		p.t.Fatalf("warp report %v: exit %d: %v\n%s%s", args, got, err, &out, &notes)
	}
	if err != nil {
		return out.String(), app.Message(err)
	}
	return out.String(), notes.String()
}

func night(t *testing.T) *project {
	p := folder(t)
	p.wrote(event.Run, evidence.Run{Issue: "42", Chunk: 1, Criteria: []string{"AC-01"}, MicroUSD: 750_000, Input: 9000, Seconds: 61})
	p.wrote(event.Commit, evidence.Commit{Issue: "42", Chunk: 1, Hash: "0123456789abcdef", Subject: "feat: greet", Criteria: []string{"AC-01"}})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "42", Title: "Greet", Result: evidence.Merged, Commit: "0123456789abcdef"})
	p.wrote(event.Run, evidence.Run{Issue: "43", Chunk: 1, Criteria: []string{"AC-01"}, Unpriced: true})
	p.wrote(event.Intervened, evidence.Intervened{Issue: "43", What: "ticks", Text: "boxes were ticked by the agent"})
	p.wrote(event.Filed, evidence.Filed{Issue: "43", What: "todo", Number: 50, Title: "todo: which database?"})
	p.wrote(event.Skipped, evidence.Skipped{Issue: "43", Chunk: 1, Criteria: []string{"AC-01"}, Why: "a decision is needed"})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "43", Title: "Store", Result: evidence.Failed, Why: "1 of 1 chunks could not be done, because nobody was there to say which of the two databases is meant", Do: "see #50"})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "44", Title: "Colours", Result: evidence.Pull, Pull: "https://tracker.invalid/a/b/pulls/3"})
	p.wrote(event.Gate, evidence.Gate{Issue: "45", Event: "code_complete", Gate: "make", Passed: true})
	return p
}

func TestTheMorningAccount(t *testing.T) {
	out, _ := night(t).warp(0)
	contains(t, out, "Since 2026-11-14 00:00 UTC: 2 done, 2 not done, 2 waiting for a person.\n(2 of those that wait also count as done or not done.)\n")
	done, rest, _ := strings.Cut(out, "NOT DONE")
	open, rest, _ := strings.Cut(rest, "WAITING FOR A PERSON")
	waiting, rest, _ := strings.Cut(rest, "UNDONE")
	contains(t, done, "#42 Greet\n    merged, 1 of 1 criteria, 0123456789, $0.75\n", "#44 Colours\n    pull request open,")
	contains(t, open, "#43 Store\n    failed, 0 of 1 criteria, cost unknown\n", "why: chunk 1: a decision is needed", "do:  see #50", "#45\n    not ended", "warp evidence 45")
	contains(t, waiting, "a pull request for #44: Colours https://tracker.invalid/a/b/pulls/3\n    do: review and merge it", "a decision for #43: #50 todo: which database?\n    do: decide it in issue 43, then warp drive 43")
	contains(t, rest, "#43 ticks: boxes were ticked", "at least $0.75 (1 of 2 runs with an unknown price)")
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// The account knows sessions too, and what waits of them.
func TestALoopIsPartOfTheAccount(t *testing.T) {
	p := night(t)
	_, err := documents.OpenSession(turnstile.Open(p.dir, p.env).Store(), "auth").Update(func(tx *durable.Tx[sessionstate.State]) (err error) {
		tx.Doc, err = sessionstate.Begin(sessionstate.Beginning{Session: "auth"}, p.now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.wrote(event.Run, evidence.Run{Work: "session auth", MicroUSD: 500_000})
	out, _ := p.warp(0)
	contains(t, out, ": 2 done, 3 not done, 3 waiting for a person.", "  auth loop\n    interrupted, iteration 1, $0.50\n", "  a loop auth: its process has ended\n    do: warp resume auth\n", "at least $1.25 (1 of 3 runs")
}

func TestTheAccountAsJSON(t *testing.T) {
	out, _ := night(t).warp(0, "--json")
	var d evidence.Digest
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Done) != 2 || d.Done[0].Issue != "42" || d.Done[0].Cost.MicroUSD != 750_000 || len(d.NotDone) != 2 || len(d.Waiting) != 2 || d.Cost.Unpriced != 1 {
		t.Errorf("%s", out)
	}
}

func TestSince(t *testing.T) {
	p := night(t)
	for _, since := range []string{"yesterday", "24h", "1d", "2026-11-14", "2026-11-14 20:00", "2026-11-14T20:00:00Z", "2026-11-14T21:00:00+01:00"} {
		if out, _ := p.warp(0, "--since", since); !strings.Contains(out, "#42 Greet") {
			t.Errorf("%s: %s", since, out)
		}
	}
	for since, when := range map[string]string{"today": "2026-11-15 00:00 UTC", "1h": "2026-11-15 07:00 UTC", "2026-11-14T20:30:00Z": "2026-11-14 20:30 UTC"} {
		if out, _ := p.warp(0, "--since", since); out != "Nothing has happened since "+when+".\n" {
			t.Errorf("%s: %s", since, out)
		}
	}
	for _, since := range []string{"", "soon", "-3h", "-1d", "d", "2026-13-14", "2026-11-16", "99999999d"} {
		if _, message := p.warp(2, "--since", since); !strings.Contains(message, "yesterday") || !strings.Contains(message, "2026-11-14") {
			t.Errorf("%s: %s", since, message)
		}
	}
}

// Days begin where the user is.
func TestYesterdayIsTheUsers(t *testing.T) {
	p := night(t)
	p.env.Now = func() time.Time { return p.now.In(time.FixedZone("EAST", 9*3600)) }
	contains(t, first(p.warp(0)), "Since 2026-11-14 00:00 EAST", "#42 Greet")
	contains(t, first(p.warp(0, "--since", "today")), "Since 2026-11-15 00:00 EAST", "#42 Greet")
}

func first(a, _ string) string { return a }

func TestDrivesThatWait(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(*turnstile.Drive) error
		want []string
	}{
		"paused": {func(d *turnstile.Drive) error { _, err := d.Pause(); return err }, []string{"a drive for #7: paused: checking what it needs", "do: warp continue 7"}},
		"budget": {func(d *turnstile.Drive) error { _, err := d.ExceedBudget("cost_exceeded"); return err }, []string{"its money is spent, while checking what it needs", "do: warp stop; nothing was coded yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := folder(t)
			d := turnstile.Open(p.dir, p.env)
			if _, err := d.Init(t.Context(), turnstile.Start{Level: 2, Issue: "7", PID: os.Getpid()}); err != nil {
				t.Fatal(err)
			}
			if out, _ := p.warp(0, "--since", "1h"); !strings.HasPrefix(out, "Nothing has happened") {
				t.Errorf("a drive that goes on waits for nobody: %s", out)
			}
			if err := c.act(d); err != nil {
				t.Fatal(err)
			}
			out, _ := p.warp(0, "--since", "1h")
			contains(t, out, c.want...)
		})
	}
}

func TestADriveWhoseProcessIsGoneWaits(t *testing.T) {
	p := folder(t)
	if _, err := turnstile.Open(p.dir, p.env).Init(t.Context(), turnstile.Start{Level: 2, Issue: "7", PID: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	out, _ := p.warp(0)
	contains(t, out, "a drive for #7: its process has ended", "do: warp resume 7")
}
