package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// step is one line of the demonstration: something is done to the repository,
// then an event is fired.
type step struct {
	say     string
	do      func(*walk) error
	on      drive.Event
	data    string
	refused drive.Phase // the event is expected to be refused in this phase
}

const failure = `{"failure":"--- FAIL: TestGreeting (0.01s)\n    hello_test.go:9: got \"helo\", want \"hello\""}`

var script = []step{
	{do: makeRepository},
	{do: begin},
	{on: drive.PrerequisitesOK},
	{on: drive.WorkSelected, data: `{"requirement":"42","branch":"feature/issue-42-greeting"}`},
	{on: drive.PlanReady},
	{on: drive.ChunksDefined, data: `{"chunks":[["AC-01","AC-02"],["AC-03"]]}`},
	{say: "An empty diff is no work: the gate refuses it.", on: drive.CodeComplete, refused: drive.Coding},
	{say: "Chunk 1. Commits are refused until the phase committing.", do: write("hello.txt", "helo\n"), on: drive.CodeComplete},
	{say: "The criteria must be checked off.", on: drive.DocsUpdated, refused: drive.UpdatingDocs},
	{do: check("AC-01", "AC-02"), on: drive.DocsUpdated},
	{say: "The tests fail once, and are mended.", on: drive.TestsFailed, data: failure},
	{do: write("hello.txt", "hello\n"), on: drive.CodeComplete},
	{on: drive.DocsUpdated},
	{on: drive.TestsPassed},
	{do: commit("feat(greeting): say hello"), on: drive.CommitWithDocGate},
	{on: drive.DriftClean},
	{on: drive.ReportFiled},
	{say: "Chunk 2. The same failure, no new diff: the budget no_progress trips.", on: drive.NextChunk},
	{do: write("bye.txt", "by\n"), on: drive.CodeComplete},
	{do: check("AC-03"), on: drive.DocsUpdated},
	{on: drive.TestsFailed, data: failure},
	{on: drive.CodeComplete}, {on: drive.DocsUpdated}, {on: drive.TestsFailed, data: failure},
	{on: drive.CodeComplete}, {on: drive.DocsUpdated}, {on: drive.TestsFailed, data: failure},
	{say: "A person gives it a fresh allowance.", on: drive.BudgetContinue},
	{do: write("bye.txt", "bye\n"), on: drive.CodeComplete},
	{on: drive.DocsUpdated},
	{on: drive.TestsPassed},
	{do: commit("feat(greeting): say bye"), on: drive.Committed},
	{on: drive.ReportFiled},
	{say: "All chunks are done.", on: drive.RequirementDone},
	{on: drive.MergeReady},
	{do: merge, on: drive.Merged},
	{on: drive.ContinueYes},
	{say: "The next requirement is stopped, cleaned up, and the machine rests.", on: drive.Abort},
	{on: drive.Restart},
	{on: drive.Start},
	{on: drive.PrerequisitesOK},
	{on: drive.NoWork},
	{on: drive.SessionEnded},
}

func makeRepository(w *walk) error {
	if err := w.git("init", "-q", "-b", "main"); err != nil {
		return err
	}
	if err := write("README.md", "# Greeting\n")(w); err != nil {
		return err
	}
	if err := w.git("add", "README.md"); err != nil {
		return err
	}
	if err := w.git("commit", "-q", "-m", "chore: begin"); err != nil {
		return err
	}
	return w.git("switch", "-q", "-c", "feature/issue-42-greeting")
}

func begin(w *walk) error {
	v, err := w.drive.Init(w.ctx, turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid()})
	if err == nil {
		w.app.Printf("  %-21s > %-22s %s\n", "", "init", v.State.Phase)
	}
	return err
}

func write(name, text string) func(*walk) error {
	return func(w *walk) error {
		return os.WriteFile(filepath.Join(w.root, name), []byte(text), 0o644)
	}
}

func check(ids ...string) func(*walk) error {
	return func(w *walk) error { return w.drive.Check("42", ids, true) }
}

func commit(message string) func(*walk) error {
	return func(w *walk) error {
		p, err := w.drive.Permit("git_commit", "")
		if err != nil {
			return err
		}
		if !p.Allowed {
			return fmt.Errorf("the commit should be allowed: %s", p.Reason)
		}
		if err := w.git("add", "--", "*.txt"); err != nil {
			return err
		}
		return w.git("commit", "-q", "-m", message)
	}
}

func merge(w *walk) error {
	if err := w.git("switch", "-q", "main"); err != nil {
		return err
	}
	return w.git("merge", "-q", "--ff-only", "feature/issue-42-greeting")
}

// git runs git with an identity of its own: the demo must work on a machine
// where nobody has set one.
func (w *walk) git(args ...string) error {
	argv := append([]string{"git", "-c", "user.name=warp demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false"}, args...)
	r, err := proc.Run(w.ctx, proc.Cmd{Argv: argv, Dir: w.root, Timeout: time.Minute})
	if err != nil {
		return err
	}
	if r.Exit != 0 {
		return fmt.Errorf("git %s: %s", strings.Join(args, " "), strings.TrimSpace(string(r.Stderr)))
	}
	return nil
}
