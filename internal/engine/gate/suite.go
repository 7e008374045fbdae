// Package gate decides whether work counts. It runs the project's tests on a tree,
// compares them with the run before the work began, has a verifier judge each
// criterion, and detects changes that cannot be committed.
//
// An agent's word counts for nothing, and only what the work broke counts against it.
// Callers decide when to ask, what a refusal leads to, and what is recorded.
package gate

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/redfirst"
	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

// Stages at which tests run.
const (
	Baseline = "baseline" // before any change
	Chunk    = "chunk"
	Final    = "final"
	Merge    = "merge" // what is merged, as it is merged
)

const testTime = time.Hour // limit of one test run

// Suite runs the project's tests.
type Suite struct {
	Command       string
	Limit         time.Duration // for one run
	Log           func(stage string) (file, shown string)
	Redact        func(string) string
	SnapshotAfter func(context.Context) error // accepts the work tree as the tests left it
	Tests         *judge.Tests                // used with rooms; may be nil
	Again         bool                        // also where it passed on the same tree
	Over          []redfirst.File             // laid over the tree; with rooms
}

// UnrunError reports that the tests cannot be run at all.
type UnrunError struct{ Err error }

func (e *UnrunError) Error() string { return "the tests cannot be run: " + e.Err.Error() }
func (e *UnrunError) Unwrap() error { return e.Err }

// Run runs the tests on a site; tree is its name in the evidence. The error is the context's or an
// *UnrunError; failing tests are no error.
func (s Suite) Run(ctx context.Context, site judge.Site, stage, tree string) (evidence.Tested, error) {
	if s.Tests != nil && site.Rooms != nil && !s.Again {
		if ran, known := s.Tests.Passed(site.Tree); known {
			return evidence.Tested{Stage: stage, Command: s.Command, Seconds: ran.Result.Seconds, Passed: true, Reused: true, Tree: tree}, nil
		}
	}
	file, log := s.Log(stage)
	c := judge.Command{Line: s.Command, Environ: os.Environ(), Log: file, Redact: s.Redact, Limit: min(testTime, s.Limit)}
	var said judge.CommandResult
	var err error
	if s.Tests != nil && site.Rooms != nil {
		var ran judge.TestRun
		if len(s.Over) > 0 {
			ran, err = s.Tests.RunOver(ctx, site.Tree, c, s.Over)
		} else {
			ran, err = s.Tests.RunAgain(ctx, site.Tree, c)
		}
		said = ran.Result
	} else {
		said, err = site.Run(ctx, c)
	}
	if bad := s.SnapshotAfter(ctx); err == nil { // they may leave files behind
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
		t.Failing = testoutput.FailingTests(said.Output)
		for _, line := range testoutput.FailuresOutsideTests(said.Output) {
			t.Nameless = append(t.Nameless, s.Redact(line))
		}
		t.Excerpt = s.Redact(said.Excerpt())
	}
	return t, nil
}

// Compare compares a failing run with the one before any change: if tests failed before, only new
// failures count. Names of tests are not enough: a crash outside them has none.
func Compare(before evidence.Tested, t *evidence.Tested) {
	if t.Passed || before.Passed || before.TimedOut || t.TimedOut {
		return
	}
	beside := text.Without(t.Nameless, before.Nameless)
	if t.Exit != before.Exit && t.Exit != len(t.Failing) { // some runners return the count
		beside = append(beside, fmt.Sprintf("exit code %d, which was %d", t.Exit, before.Exit))
	}
	if len(before.Failing) > 0 && len(t.Failing) > 0 {
		t.Broke = text.Without(t.Failing, before.Failing)
		t.Passed = len(t.Broke)+len(beside) == 0
	} else { // no test is named
		t.Passed = t.Exit == before.Exit && testoutput.Signature(before.Excerpt) == testoutput.Signature(t.Excerpt)
	}
	t.Red = t.Passed
	if !t.Passed && len(beside) > 0 {
		t.Excerpt += "\nThe command failed before the work, too. New failures: " + text.Quote(beside, 5) + "\n"
	}
}

// Describe summarizes a test run.
func Describe(t evidence.Tested) string {
	switch {
	case t.Red:
		return fmt.Sprintf("%s fails as it did before (%s)", t.Command, text.Count(len(t.Failing), "test"))
	case t.Passed && t.Reused:
		return fmt.Sprintf("%s passed on the same tree before, in %.1f s", t.Command, t.Seconds)
	case t.Passed:
		return fmt.Sprintf("%s passed in %.1f s", t.Command, t.Seconds)
	case len(t.Broke) > 0:
		return fmt.Sprintf("%s: newly failing: %s", t.Command, text.Quote(t.Broke, 5))
	case t.TimedOut:
		return t.Command + " did not end in time"
	}
	return fmt.Sprintf("%s failed with exit code %d", t.Command, t.Exit)
}

// ListIgnoredFiles lists the files that git ignores one by one, without those in ignored folders,
// which tools create and can recreate.
func ListIgnoredFiles(ctx context.Context, repo git.Repo) (list []string, err error) {
	paths, err := runGit(ctx, repo, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	for _, p := range paths {
		if !strings.HasSuffix(p, "/") && !strings.HasPrefix(p, ".claude/") { // no folders, and not warp's own
			list = append(list, p)
		}
	}
	return list, err
}

// runGit returns git's output, split at zero bytes.
func runGit(ctx context.Context, repo git.Repo, args ...string) ([]string, error) {
	out, err := repo.Must(ctx, git.Call{Args: args})
	return git.Split(out), err
}

// MergeBase returns the common ancestor of two commits.
func MergeBase(ctx context.Context, repo git.Repo, a, b string) (string, error) {
	out, err := repo.Must(ctx, git.Call{Args: []string{"merge-base", a, b}})
	return strings.TrimSpace(string(out)), err
}

// TreeOf returns the tree of a commit.
func TreeOf(ctx context.Context, repo git.Repo, commit string) (string, error) {
	return repo.Trees().Of(ctx, commit)
}
