// Package gate decides whether work counts. It runs the project's tests on a tree
// and holds them against what they said before the work began, tests what is
// committed where nothing else can help, has a verifier judge each criterion, and
// looks for changes that make all of that worthless.
//
// It guarantees that an agent's word counts for nothing, and that only what the
// work broke counts against it. Which phase asks, what a refusal leads to and what
// is recorded of it is left to its callers.
package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/failure"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// The stages at which tests are run.
const (
	Baseline  = "baseline" // before anything was changed
	Chunk     = "chunk"
	Final     = "final"
	Merge     = "merge"          // what is merged, as it is merged
	Clean     = "clean"          // what is committed, and nothing else
	CleanBase = "clean_baseline" // the same, before the work began
)

const testTime = time.Hour // of one run of the tests

// Suite runs the project's tests.
type Suite struct {
	Command string
	Work    work.Tree
	Name    string        // of the work trees that tests are run in apart
	Limit   time.Duration // of one run
	Log     func(stage string) (file, shown string)
	Redact  func(string) string
	Settle  func(context.Context) error // takes the work tree as the tests left it
}

// UnrunError says that the tests cannot be run at all.
type UnrunError struct{ Err error }

func (e *UnrunError) Error() string { return "the tests cannot be run: " + e.Err.Error() }
func (e *UnrunError) Unwrap() error { return e.Err }

// Run runs the tests in a folder, which has the content of a tree. The error is the
// context's or an *UnrunError: that they fail is none.
func (s Suite) Run(ctx context.Context, dir, stage, tree string) (evidence.Tested, error) {
	file, log := s.Log(stage)
	said, err := judge.Command{Line: s.Command, Dir: dir, Environ: os.Environ(), Log: file, Redact: s.Redact, Limit: min(testTime, s.Limit)}.Run(ctx)
	if bad := s.Settle(ctx); err == nil { // they may leave things behind
		err = bad
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return evidence.Tested{}, ctx.Err()
	case err != nil:
		return evidence.Tested{}, &UnrunError{err}
	}
	t := evidence.Tested{Stage: stage, Command: s.Command, Exit: said.Exit, Seconds: said.Seconds, Passed: said.Passed, TimedOut: said.TimedOut, Log: log, Tree: tree}
	if !t.Passed {
		t.Failing = failure.Failing(said.Output)
		for _, line := range failure.Nameless(said.Output) {
			t.Nameless = append(t.Nameless, s.Redact(line))
		}
		t.Excerpt = s.Redact(said.Excerpt())
	}
	return t, nil
}

// RunApart runs the tests in a work tree of a commit.
func (s Suite) RunApart(ctx context.Context, stage, commit string) (evidence.Tested, error) {
	apart, err := s.Work.Checkout(ctx, s.Name, commit)
	if err != nil {
		return evidence.Tested{}, fmt.Errorf("making a work tree to test %s in: %w", commit, err)
	}
	defer func() { _ = s.Work.Abandon(context.WithoutCancel(ctx), apart.Top()) }() // warp clean finds it
	return s.Run(ctx, apart.Dir, stage, commit)
}

// RunCommitted runs the tests on what is committed and nothing else. Where they
// fail, they show something only if they pass, or fail as in the run before the
// work began, without the commits that target lacks; base is that run. Before is
// nil where it is not known.
func (s Suite) RunCommitted(ctx context.Context, tip, target string, before *evidence.Tested) (t evidence.Tested, base *evidence.Tested, err error) {
	t, err = s.RunApart(ctx, Clean, tip)
	if err != nil || t.Passed {
		return t, nil, err
	}
	fork, err := MergeBase(ctx, s.Work.Repo(), tip, target)
	if err != nil {
		return t, nil, err
	}
	b, err := s.RunApart(ctx, CleanBase, fork)
	if err != nil {
		return t, nil, err
	}
	if b.Passed {
		t, err = s.RunApart(ctx, Clean, tip) // it may have been chance
		return t, &b, err
	}
	runs := before != nil && !before.Passed && alike(*before, b)
	t.Red = !runs || alike(b, t)
	t.Passed = t.Red
	return t, &b, nil
}

// alike tells whether a failing run shows nothing that an earlier one did not.
func alike(before, now evidence.Tested) bool {
	if len(before.Failing) > 0 && len(now.Failing) > 0 {
		return len(text.Without(now.Failing, before.Failing)) == 0
	}
	return failure.Signature(before.Excerpt) == failure.Signature(now.Excerpt)
}

// Compare holds a failing run against the one before anything was changed: tests
// that were red count only for what they show that is new. The names of tests are
// not all: what crashed beside them has none.
func Compare(before evidence.Tested, t *evidence.Tested) {
	if t.Passed || before.Passed || before.TimedOut || t.TimedOut {
		return
	}
	beside := text.Without(t.Nameless, before.Nameless)
	if t.Exit != before.Exit && t.Exit != len(t.Failing) { // some runners count
		beside = append(beside, fmt.Sprintf("exit code %d, which was %d", t.Exit, before.Exit))
	}
	if len(before.Failing) > 0 && len(t.Failing) > 0 {
		t.Broke = text.Without(t.Failing, before.Failing)
		t.Passed = len(t.Broke)+len(beside) == 0
	} else { // no test is named
		t.Passed = t.Exit == before.Exit && failure.Signature(before.Excerpt) == failure.Signature(t.Excerpt)
	}
	t.Red = t.Passed
	if !t.Passed && len(beside) > 0 {
		t.Excerpt += "\nIt failed before, too. New is: " + text.Quote(beside, 5) + "\n"
	}
}

// Describe is a run of the tests in a few words.
func Describe(t evidence.Tested) string {
	switch {
	case t.Red:
		return fmt.Sprintf("%s fails as it did before (%d tests)", t.Command, len(t.Failing))
	case t.Passed:
		return fmt.Sprintf("%s passed in %.1f s", t.Command, t.Seconds)
	case len(t.Broke) > 0:
		return fmt.Sprintf("%s: broken are %s", t.Command, text.Quote(t.Broke, 5))
	case t.TimedOut:
		return t.Command + " did not end in time"
	}
	return fmt.Sprintf("%s failed with exit code %d", t.Command, t.Exit)
}

const mostEntries = 20_000 // of ignored folders that are looked at

var errEnough = errors.New("enough was seen")

// ListUncommitted lists what tests see in a project's folder and a commit has not:
// the difference to the work tree, and what git ignores and came or changed since a
// time. A folder that is too large to be looked through counts as changed.
func ListUncommitted(ctx context.Context, repo git.Repo, root, commit, tree string, since time.Time) (list []string, err error) {
	changes, err := repo.Changes(commit, tree)
	if err != nil {
		return nil, err
	}
	for _, p := range git.Paths(changes) {
		if !strings.HasPrefix(p, ".claude/") && !strings.Contains(p, "/.claude/") {
			list = append(list, p)
		}
	}
	if since.IsZero() {
		return list, nil
	}
	ignored, err := listIgnored(ctx, repo)
	if err != nil {
		return list, err
	}
	left := mostEntries
	for _, p := range ignored {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(p)), func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // gone, or not to be read
			}
			left--
			if info, err := d.Info(); left < 0 || err == nil && !info.ModTime().Before(since) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			list = append(list, p)
		}
	}
	return list, nil
}

// ListIgnoredFiles lists the files that git ignores one by one: not those in
// folders that are ignored whole, which tools make and can make again.
func ListIgnoredFiles(ctx context.Context, repo git.Repo) (list []string, err error) {
	ignored, err := listIgnored(ctx, repo)
	for _, p := range ignored {
		if !strings.HasSuffix(p, "/") {
			list = append(list, p)
		}
	}
	return list, err
}

// listIgnored lists what git ignores, files or whole folders, but warp's own.
func listIgnored(ctx context.Context, repo git.Repo) (list []string, err error) {
	paths, err := ask(ctx, repo, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	for _, p := range paths {
		if !strings.HasPrefix(p, ".claude/") {
			list = append(list, p)
		}
	}
	return list, err
}

// ask is what git says, in parts that end with a zero byte or as one.
func ask(ctx context.Context, repo git.Repo, args ...string) ([]string, error) {
	a, err := repo.Run(ctx, git.Call{Args: args})
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: args, Dir: repo.Dir, Exit: a.Exit, Stderr: a.Stderr}
	}
	return git.Split(a.Stdout), err
}

// askLine is the one line that git says.
func askLine(ctx context.Context, repo git.Repo, args ...string) (string, error) {
	said, err := ask(ctx, repo, args...)
	return strings.TrimSpace(strings.Join(said, "")), err
}

// MergeBase is the commit that two others have in common.
func MergeBase(ctx context.Context, repo git.Repo, a, b string) (string, error) {
	return askLine(ctx, repo, "merge-base", a, b)
}

// TreeOf is the tree of a commit.
func TreeOf(ctx context.Context, repo git.Repo, commit string) (string, error) {
	return askLine(ctx, repo, "rev-parse", "--verify", "-q", commit+"^{tree}")
}
