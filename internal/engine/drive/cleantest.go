package drive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/failure"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// The stages of tests that are run on what is committed and nothing else.
const (
	stageClean     = "clean"
	stageCleanBase = "clean_baseline" // before the work began
)

const (
	gateClean   = "only what is committed"
	mostEntries = 20_000 // of ignored folders that are looked at
)

// testClean tests what is committed in a work tree that has nothing else, where
// files that are not committed could have helped the tests to pass: ignored ones
// that came or changed since the drive began, and the user's own. Tests that do
// not run there without the branch either show nothing.
func (e *Engine) testClean(ctx context.Context, s *drive.State, tip string) error {
	if !e.cfg.TestBeforeCommit {
		return nil
	}
	if _, known := evidence.Last(e.page(s).Tests, func(t evidence.Tested) bool { return t.Stage == stageClean && t.Passed && t.Tree == tip }); known {
		return nil
	}
	files, err := e.besides(ctx, s, tip)
	if err != nil || len(files) == 0 {
		return err
	}
	t, err := e.testApart(ctx, s, stageClean, tip)
	if err != nil {
		return err
	}
	if !t.Passed {
		if t, err = e.comparedClean(ctx, s, t, tip); err != nil {
			return err
		}
	}
	why := "the tests pass without files that are not committed: "
	switch {
	case t.Red:
		why = "it does not count, since the tests fail there without the branch, too; where they pass there are files that are not committed: "
	case !t.Passed:
		why = "the tests fail (" + tested(t) + ") without files that are not committed: "
	}
	why += text.Quote(files, 5)
	e.atMerge(s, gateClean, why, t.Passed)
	e.keep(s, event.Tested, t)
	e.passed("tested " + stageClean)
	if !t.Passed {
		return needsPerson("commit what they need, or mend them, then warp resume", "%s; see %s", why, t.Log)
	}
	return nil
}

// comparedClean finds out whether tests that fail on what is committed show
// something: they do where they pass, or fail as they always did, without the
// branch.
func (e *Engine) comparedClean(ctx context.Context, s *drive.State, t evidence.Tested, tip string) (evidence.Tested, error) {
	base, err := e.answer(ctx, "merge-base", tip, "refs/heads/"+s.MergeTarget)
	if err != nil {
		return t, err
	}
	b, err := e.testApart(ctx, s, stageCleanBase, base)
	if err != nil {
		return t, err
	}
	e.keep(s, event.Tested, b)
	if b.Passed {
		return e.testApart(ctx, s, stageClean, tip) // it may have been chance
	}
	before, known := evidence.Last(e.page(s).Tests, func(t evidence.Tested) bool { return t.Stage == stageBaseline })
	runs := known && !before.Row.Passed && alike(before.Row, b)
	t.Red = !runs || alike(b, t)
	t.Passed = t.Red
	return t, nil
}

// alike tells whether a failing run shows nothing that an earlier one did not.
func alike(before, now evidence.Tested) bool {
	if len(before.Failing) > 0 && len(now.Failing) > 0 {
		return len(without(now.Failing, before.Failing)) == 0
	}
	return failure.Signature(before.Excerpt) == failure.Signature(now.Excerpt)
}

// testApart runs the tests in a work tree of a commit.
func (e *Engine) testApart(ctx context.Context, s *drive.State, stage, commit string) (evidence.Tested, error) {
	apart, err := e.Work.Checkout(ctx, "issue-"+s.Issue(), commit)
	if err != nil {
		return evidence.Tested{}, fmt.Errorf("making a work tree to test %s in: %w", commit, err)
	}
	defer func() { _ = e.Work.Abandon(context.WithoutCancel(ctx), apart.Top()) }() // warp clean finds it
	return e.testIn(ctx, s, apart.Dir, stage, commit)
}

// besides lists files that tests see and the tip has not.
func (e *Engine) besides(ctx context.Context, s *drive.State, tip string) ([]string, error) {
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return nil, err
	}
	changes, err := e.repo().Changes(tip, tree)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, p := range paths(changes) {
		if !strings.HasPrefix(p, ".claude/") && !strings.Contains(p, "/.claude/") {
			list = append(list, p)
		}
	}
	since, err := time.Parse(time.RFC3339, s.Session.StartedAt)
	if err != nil {
		return list, nil
	}
	ignored, err := e.ignoredSince(ctx, since)
	return append(list, ignored...), err
}

var errEnough = errors.New("enough was seen")

// ignoredSince lists what git ignores, files or whole folders, and has changed
// since a time. A folder that is too large to be looked through counts as such.
func (e *Engine) ignoredSince(ctx context.Context, since time.Time) (list []string, err error) {
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	if err != nil {
		return nil, err
	}
	left := mostEntries
	for _, p := range git.Split(a.Stdout) {
		if strings.HasPrefix(p, ".claude/") {
			continue
		}
		err := filepath.WalkDir(filepath.Join(e.Drive.Root(), filepath.FromSlash(p)), func(_ string, d fs.DirEntry, err error) error {
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
