package cost

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/cli/app"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/tokens"
	"warp/internal/turnstile"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// filled is a project of which two issues are merged and one is not.
func filled(t *testing.T) *app.App {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	home := t.TempDir()
	at := now
	a := &app.App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Dir: dir, Env: turnstile.System(), Getenv: func(name string) string {
		return map[string]string{"HOME": home}[name]
	}}
	a.Env.Now = func() time.Time { return at }
	store := turnstile.Open(dir, a.Env).Store()
	for _, x := range []struct {
		ago  time.Duration
		kind string
		row  any
	}{
		{24 * time.Hour, event.Run, evidence.Run{Issue: "1", Chunk: 1, Phase: "coding", Agent: "codex", Model: "gpt-5", Session: "a", Input: 1000, MicroUSD: 3_000_000}},
		{24 * time.Hour, event.Commit, evidence.Commit{Issue: "1", Chunk: 1, Hash: "01234567", Criteria: []string{"AC-01", "AC-02"}}},
		{24 * time.Hour, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Merged}},
		{9 * 24 * time.Hour, event.Run, evidence.Run{Issue: "2", Chunk: 1, Phase: "coding", Agent: "codex", Model: "gpt-5", Session: "b", Input: 1000, MicroUSD: 1_000_000}},
		{9 * 24 * time.Hour, event.Commit, evidence.Commit{Issue: "2", Chunk: 1, Hash: "12345678", Criteria: []string{"AC-01", "AC-02"}}},
		{9 * 24 * time.Hour, event.Outcome, evidence.Outcome{Issue: "2", Result: evidence.Pull}},
		{8 * 24 * time.Hour, event.Run, evidence.Run{Issue: "3", Chunk: 1, Phase: "coding", Agent: "codex", Model: "gpt-5", Session: "c", Input: 1000, MicroUSD: 1_000_000}},
		{8 * 24 * time.Hour, event.Outcome, evidence.Outcome{Issue: "3", Result: evidence.Failed}},
	} {
		at = now.Add(-x.ago)
		if err := store.Append(x.kind, x.row); err != nil {
			t.Fatal(err)
		}
	}
	at = now
	return a
}

func show(t *testing.T, a *app.App, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	a.Out = &out
	c := New(a)
	c.SetArgs(args)
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTrendAndCriteria(t *testing.T) {
	a := filled(t)
	out := show(t, a)
	for _, want := range []string{
		"#1     1,000       0           0            0  $3.00  ##########################\n",
		"#3     1,000       0           0            0  $1.00  #########\n",
		"Last 7 days: $3.00; the 7 days before: $2.00 (+50%).\n",
		"Per merged criterion: $1.00 (4 criteria of 2 issues); $1.25 including unmerged work.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	var said struct {
		Each perCriterion `json:"per_merged_criterion"`
	}
	if err := json.Unmarshal([]byte(show(t, a, "--json")), &said); err != nil || said.Each.Criteria != 4 || *said.Each.Cost != 1 || *said.Each.AllIn != 1.25 {
		t.Errorf("%+v, %v", said, err)
	}
	if out := show(t, a, "--by", "day", "--since", "8d"); strings.Contains(out, "2026-11-06") || !strings.Contains(out, "2026-11-07") {
		t.Errorf("%s", out)
	}
}

func TestTheChartFitsItsTerminal(t *testing.T) {
	s := sheet{by: tokens.BySession, now: now, terminal: true}
	for i, in := range []int64{800, 450, 1} {
		s.entries = append(s.entries, tokens.Entry{At: now, Session: strings.Repeat(string(rune('a'+i)), 36), Model: "m", Tokens: tokens.Tokens{Input: in}})
	}
	for _, s.columns = range []int{64, 80, 100, 200} {
		var b bytes.Buffer
		s.print(&b)
		table, _, _ := strings.Cut(b.String(), "\n\n")
		for line := range strings.Lines(strings.NewReplacer("\x1b[36m", "", "\x1b[0m", "").Replace(table)) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > s.columns {
				t.Errorf("%d columns in %d: %q", n, s.columns, line)
			}
		}
		if s.columns == 200 && !strings.Contains(table, strings.Repeat("█", 40)+"\x1b") || s.columns == 200 && !strings.Contains(table, strings.Repeat("█", 22)+"▌\x1b") {
			t.Errorf("%s", table)
		}
	}
}

func TestTextsOfOthersMoveNoCursor(t *testing.T) {
	s := sheet{by: tokens.ByModel, now: now, columns: 80, entries: []tokens.Entry{{At: now, Model: "evil\x1b[2J", Tokens: tokens.Tokens{Input: 1}}}}
	var b bytes.Buffer
	s.print(&b)
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}
