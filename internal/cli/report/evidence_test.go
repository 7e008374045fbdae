package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/cli/app"
	"warp/internal/cli/report"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	core "warp/internal/core/evidence"
	"warp/internal/turnstile"
)

var began = time.Date(2026, 11, 15, 1, 0, 0, 0, time.UTC)

// project is a folder with a journal that is written by hand.
type recorded struct {
	t   *testing.T
	dir string
	env turnstile.Env
	now time.Time
}

func repository(t *testing.T) *recorded {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &recorded{t: t, dir: dir, env: turnstile.System(), now: began}
	p.env.Now = func() time.Time { return p.now }
	p.git("init", "-q", "-b", "main")
	p.git("-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "first")
	return p
}

func (p *recorded) git(args ...string) {
	p.t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", p.dir}, args...)...).CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %s", args, out)
	}
}

// wrote appends a row to the journal of a work tree, a minute after the last.
func (p *recorded) wrote(dir, kind string, row any) {
	p.t.Helper()
	p.now = p.now.Add(time.Minute)
	if err := turnstile.Open(dir, p.env).Store().Append(kind, row); err != nil {
		p.t.Fatal(err)
	}
}

// warp runs the command in a folder and wants an exit code.
func (p *recorded) warp(code int, terminal bool, args ...string) (stdout, message string) {
	p.t.Helper()
	var out, notes bytes.Buffer
	a := &app.App{Out: &out, Err: &notes, Dir: p.dir, Env: p.env, Color: terminal, Getenv: func(string) string { return "" }}
	c := report.NewEvidence(a)
	c.SetArgs(args)
	c.SilenceUsage, c.SilenceErrors = true, true
	err := c.ExecuteContext(p.t.Context())
	if got := app.Code(err); got != code {
		p.t.Fatalf("warp evidence %v: exit %d: %v\n%s%s", args, got, err, &out, &notes)
	}
	if err != nil {
		return out.String(), app.Message(err)
	}
	return out.String(), notes.String()
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
}

func filled(t *testing.T) *recorded {
	p := repository(t)
	p.wrote(p.dir, event.Criteria, core.Written{Issue: "42", Criteria: []core.Criterion{{ID: "AC-01", Text: "It greets people by their names, in the language that they have chosen for themselves"}, {ID: "AC-02", Text: "in colour"}}})
	p.wrote(p.dir, event.Run, core.Run{Issue: "42", Chunk: 1, Role: "code", Agent: "demo", End: "done", Criteria: []string{"AC-01"}, Input: 1200, MicroUSD: 250_000, Seconds: 5})
	p.wrote(p.dir, event.Verdict, core.Verdict{Issue: "42", Chunk: 1, ID: "AC-01", Met: true, Reason: "greet.go:3 does\x1b[31m so"})
	p.wrote(p.dir, event.Gate, core.Gate{Issue: "42", Chunk: 1, Event: "code_complete", Gate: "make lint", Reason: "exit code 2", Log: ".claude/state/gates/code_complete-1.log"})
	p.wrote(p.dir, event.Gate, core.Gate{Issue: "42", Chunk: 1, Event: "code_complete", Gate: "make lint", Passed: true, Log: ".claude/state/gates/code_complete-1.log"})
	p.wrote(p.dir, event.Gate, core.Gate{Issue: "42", Chunk: 1, Event: "merge_ready", Gate: "make sign", Reason: "exit code 1", Excerpt: "nobody has\x1b[31m signed it\nask ada\n"})
	p.wrote(p.dir, event.Tested, core.Tested{Issue: "42", Chunk: 1, Stage: "chunk", Command: "go test ./...", Passed: true, Seconds: 0.4})
	p.wrote(p.dir, event.Commit, core.Commit{Issue: "42", Chunk: 1, Hash: "0123456789abcdef", Subject: "feat: greet", Criteria: []string{"AC-01"}, Files: 2, Insertions: 10, Deletions: 3})
	p.wrote(p.dir, event.Intervened, core.Intervened{Issue: "42", Chunk: 2, What: "commit", Text: "a commit was taken back", Kept: "refs/warp/x"})
	p.wrote(p.dir, event.Skipped, core.Skipped{Issue: "42", Chunk: 2, Criteria: []string{"AC-02"}, Why: "no progress"})
	p.wrote(p.dir, event.Filed, core.Filed{Issue: "42", What: "bug", Number: 51, Title: "given up"})
	p.wrote(p.dir, event.Outcome, core.Outcome{Issue: "42", Title: "Greet", Result: core.Partly, Why: "a chunk was given up", Do: "look at 51"})
	return p
}

func TestEvidenceIsToldCriterionByCriterion(t *testing.T) {
	out, _ := filled(t).warp(0, false, "#42")
	first, rest, _ := strings.Cut(out, "AC-02 given up")
	second, total, _ := strings.Cut(rest, "TOTAL")
	contains(t, first, "#42 Greet\n1 of 2 criteria are met\n", "AC-01 met It greets", "commit   0123456789 feat: greet (2 files, +10 -3)", `verdict  met: greet.go:3 does\u001b[31m so`,
		"gate     make lint before code_complete: passed, 1× refused before,", ".claude/state/gates/code_complete-1.log", "tests    chunk: passed, go test ./..., 0.4 s", "cost     $0.25; 1,200 tokens, 1 run, 5.0 s")
	contains(t, second, "in colour", "no progress")
	contains(t, total, "gate     make sign before merge_ready: refused: exit code 1\n           | nobody has\\u001b[31m signed it\n           | ask ada\n", "outcome  partly done", "why      a chunk was given up", "to do    look at 51", "cost     $0.25", "undone   commit: a commit was taken back, kept as refs/warp/x", "filed    bug #51 given up")
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	if out, _ := filled(t).warp(0, true, "42"); !strings.Contains(out, "\x1b[32mAC-01 met\x1b[0m It greets") || !strings.Contains(out, "\x1b[31mAC-02 given up\x1b[0m") {
		t.Errorf("%q", out)
	}
}

func TestEvidenceAsJSON(t *testing.T) {
	out, _ := filled(t).warp(0, false, "42", "--json")
	var a core.Account
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	if a.Issue != "42" || len(a.Criteria) != 2 || !a.Criteria[0].Met || a.Criteria[1].Status != core.GivenUp || a.Criteria[0].Cost.MicroUSD != 250_000 || len(a.Criteria[0].Gates) != 2 || a.Outcome.Result != core.Partly {
		t.Errorf("%s", out)
	}
	for _, empty := range []string{`"decisions": []`, `"commits": []`} { // jq iterates over no null
		contains(t, out, empty)
	}
}

func TestEvidenceOfAnUnknownIssue(t *testing.T) {
	p := repository(t)
	_, message := p.warp(1, false, "7")
	contains(t, message, `no evidence about issue "7", nor about any other`)
	p.wrote(p.dir, event.Run, core.Run{Issue: "42"})
	p.wrote(p.dir, event.Run, core.Run{Issue: "9"})
	_, message = p.warp(1, false, "7")
	contains(t, message, "there is evidence about 9, 42")
	p.warp(2, false)
}

// What the drive's own work tree has and what the main one has belong together,
// wherever it is asked.
func TestEvidenceOfAllWorktrees(t *testing.T) {
	p := repository(t)
	tree := filepath.Join(p.dir, "..", filepath.Base(p.dir)+"-linked")
	p.git("worktree", "add", "-q", tree)
	t.Cleanup(func() { _ = os.RemoveAll(tree) })
	p.wrote(p.dir, event.Run, core.Run{Issue: "42", Chunk: 1, Criteria: []string{"AC-01"}, MicroUSD: 250_000})
	p.wrote(tree, event.Gate, core.Gate{Issue: "42", Chunk: 1, Event: "code_complete", Gate: "make lint", Passed: true})
	p.wrote(p.dir, event.Commit, core.Commit{Issue: "42", Chunk: 1, Hash: "0123456789", Subject: "feat: x", Criteria: []string{"AC-01"}})
	copied, err := os.ReadFile(filepath.Join(p.dir, ".claude", "state", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(tree, ".claude", "state", "events.jsonl")
	own, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, append(own, copied...), 0o600); err != nil {
		t.Fatal(err)
	}
	main, _ := p.warp(0, false, "42")
	p.dir = tree
	linked, _ := p.warp(0, false, "42")
	if main != linked {
		t.Errorf("%s\nthere, but here\n%s", main, linked)
	}
	contains(t, main, "AC-01 met", "make lint", "cost     $0.25; 0 tokens, 1 run")
}

// A drive inside an agent's session leaves gates, ticks and the state.
func TestEvidenceOfADriveWithoutAnEngine(t *testing.T) {
	p := repository(t)
	d := turnstile.Open(p.dir, p.env)
	if _, err := d.Criteria.Record("7", "- [ ] AC-01: a\n- [ ] AC-02: b\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 2, Issue: "7", PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		on   drivestate.Event
		data string
	}{{drivestate.PrerequisitesOK, ""}, {drivestate.WorkSelected, ""}, {drivestate.PlanReady, ""}, {drivestate.ChunksDefined, `{"chunks": [["AC-01"], ["AC-02"]]}`}} {
		if _, err := d.Fire(t.Context(), step.on, step.data); err != nil {
			t.Fatal(err)
		}
	}
	p.wrote(p.dir, event.Gate, core.Gate{Issue: "7", Chunk: 1, Event: "code_complete", Gate: "diff_relevance_check", Passed: true})
	p.wrote(p.dir, event.Criterion, core.Tick{Issue: "7", ID: "AC-02", Checked: true})
	out, _ := p.warp(0, false, "7")
	contains(t, out, "1 of 2 criteria are met", "AC-01 open a\n  gate     diff_relevance_check before code_complete: passed\n\nAC-02 checked off b\n", "none is recorded", "no agent was run")
}

func TestDamagedRowsAreTold(t *testing.T) {
	p := filled(t)
	path := filepath.Join(p.dir, ".claude", "state", "events.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("{\"torn\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes := p.warp(0, false, "42")
	contains(t, out, "AC-01 met")
	contains(t, notes, "1 damaged row")
}

// A journal's own order counts: a clock that was set back makes no verdict of
// yesterday the newest.
func TestAClockThatWasSetBack(t *testing.T) {
	p := repository(t)
	p.wrote(p.dir, event.Commit, core.Commit{Issue: "7", Chunk: 1, Hash: "0123456789", Criteria: []string{"AC-01"}})
	p.now = p.now.Add(-time.Hour)
	p.wrote(p.dir, event.Verdict, core.Verdict{Issue: "7", Chunk: 1, ID: "AC-01", Reason: "it does not"})
	if said, _ := p.warp(0, false, "7"); !strings.Contains(said, "0 of 1 criterion") {
		t.Errorf("%s", said)
	}
}
