package drive

import (
	"context"
	"errors"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// merger brings the work where it belongs.
type merger struct{ *Engine }

// mergeRequirement brings the work where it belongs: a pull request for people to look at,
// or the merge target itself.
func (e *merger) mergeRequirement(ctx context.Context, s *drive.State) (move, error) {
	if s.Session.Level == 2 || !e.cfg.AutoMerge {
		tip, err := e.trees.branchTip(s.BranchName())
		if err == nil {
			err = e.committer.checkAllCommitted(ctx, s, tip)
		}
		if err == nil {
			err = e.tester.testCommitted(ctx, s, tip)
		}
		if err == nil {
			err = e.proveMerge(ctx, s, tip)
		}
		if err != nil {
			return move{}, err
		}
		return e.openPull(ctx, s, tip)
	}
	free, err := e.runner.lander.Merging(ctx)
	if err != nil {
		return move{}, err
	}
	defer free()
	for range land.Tries {
		m, again, err := e.mergeOnce(ctx, s)
		if err != nil || !again {
			return m, err
		}
		e.ledger.remark("others were faster: %s moved; merging is tried again", s.MergeTarget)
	}
	return move{on: drive.PushFailed, data: data{Failure: "the merge target moved again and again"}}, nil
}

// mergeOnce rebases, tests again, goes forward and pushes. Again says that
// somebody else was faster.
func (e *merger) mergeOnce(ctx context.Context, s *drive.State) (m move, again bool, err error) {
	if err := e.updateTarget(ctx, s.MergeTarget); err != nil {
		return move{}, false, e.unreachable(err)
	}
	tip, err := e.rebaseBranch(ctx, s)
	if err != nil || tip == "" {
		return move{on: drive.MergeFailed, data: data{Failure: "the branch conflicts with " + s.MergeTarget}}, false, err
	}
	for _, check := range []func(context.Context, *drive.State, string) error{e.tester.testMerge, e.tester.testCommitted, e.proveMerge, e.recordRebased, e.committer.checkAllCommitted} {
		if err := check(ctx, s, tip); err != nil {
			return move{}, false, err
		}
	}
	late, err := e.runner.lander.Merge(ctx, s.BranchName(), s.MergeTarget, tip)
	if err != nil || late {
		return move{}, late, e.notMerged(s, err)
	}
	return e.closeIssue(context.WithoutCancel(ctx), s, tip)
}

// notMerged says why a branch could not be merged, and what to do about it.
func (e *merger) notMerged(s *drive.State, err error) error {
	var p *work.RemoteError
	var overlap *land.OverlapError
	var pushed *guard.PushedError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &p) && p.Refused():
		return needsPerson("warp config set auto_merge false, then warp resume opens a pull request; or let it push there",
			"the remote does not take a push to %s, which may be protected: %v", s.MergeTarget, err)
	case errors.As(err, &overlap):
		return needsPerson("commit them or put them aside, then warp resume merges", "%v", err)
	case errors.As(err, &pushed):
		return needsPerson("look at what was pushed, put it right, then warp resume", "%v", err)
	}
	return e.unreachable(err)
}

func (e *merger) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return needsPerson("fix it, then warp resume", "merging: %v", err)
}

// rebaseBranch brings the branch onto the merge target. A conflict goes to the agent
// once; "" says that it could not resolve it.
func (e *merger) rebaseBranch(ctx context.Context, s *drive.State) (string, error) {
	tip, err := e.trees.branchTip(s.BranchName())
	if err != nil {
		return "", err
	}
	target, err := e.trees.branchTip(s.MergeTarget)
	if err != nil {
		return "", err
	}
	if on, err := e.trees.repo().Descends(tip, target); err != nil || on {
		return tip, err
	}
	next, conflict, err := e.Work.Rebase(ctx, tip, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		if next, err = e.resolveConflicts(ctx, s, conflict, resolution{tip: tip, target: target}); err != nil || next == "" {
			return "", err
		}
	}
	e.trees.salvage(ctx, s, "before-rebase", tip)
	e.Drive.Tree.AssumeChanged()
	if err := e.runner.lander.Follow(ctx, s.BranchName(), next); err != nil {
		return "", needsPerson("commit or put aside your own changes, then warp resume", "the rebased branch cannot be checked out: %v", err)
	}
	e.ledger.passPoint("rebased")
	e.ledger.remark("%s was rebased onto %s", s.BranchName(), s.MergeTarget)
	return next, nil
}

// recordRebased records what a rebase has made of the commits of chunks.
func (e *merger) recordRebased(ctx context.Context, s *drive.State, tip string) error {
	target, err := e.trees.branchTip(s.MergeTarget)
	if err != nil {
		return err
	}
	made, err := e.trees.repo().Commits(tip, target)
	if err != nil {
		return err
	}
	var rows []any
	for _, c := range e.ledger.page(s).Commits {
		mark := e.committer.trailerOf(s, c.Row.Chunk)
		for _, m := range made {
			if strings.Contains(m.Message, mark) && m.Hash != c.Row.Hash {
				row := c.Row
				row.Was, row.Hash = row.Hash, m.Hash
				if stat, err := e.Work.Stat(ctx, e.trees.parent(ctx, m.Hash), m.Hash); err == nil {
					row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
				}
				rows = append(rows, row)
			}
		}
	}
	e.ledger.keepRows(s, event.Commit, rows...)
	return nil
}

// testMerge tests what is to be merged, where the rebase has changed it.
func (e *tester) testMerge(ctx context.Context, s *drive.State, _ string) error {
	if !e.cfg.TestBeforeCommit {
		return nil
	}
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return err
	}
	same := func(t evidence.Tested) bool {
		return t.Passed && t.Tree == tree && (t.Stage == stageMerge || t.Stage == stageFinal)
	}
	if _, known := evidence.Last(e.ledger.page(s).Tests, same); known {
		return nil
	}
	t, err := e.test(ctx, s, stageMerge, tree)
	if err != nil || t.Passed {
		return err
	}
	return needsPerson("look at "+t.Log+", mend the branch, then warp resume", "the tests pass on the branch, and fail with what %s has got meanwhile: %s", s.MergeTarget, tested(t))
}

// branchMoved tells every drive of the repository that a branch was moved, this one too.
func (e *merger) branchMoved(branch, old, new string) {
	for _, d := range e.listDrives() {
		if err := d.Watch.RecordMoves("drive", drive.Move{Branch: branch, Old: old, New: new}); err != nil {
			e.ledger.remark("another drive was not told that %s moved: %v", branch, err)
		}
	}
}

// listDrives are the drives of this repository that are under way, this one too.
func (e *merger) listDrives() (list []*turnstile.Drive) {
	list = append(list, e.Drive)
	place, ok := e.trees.locate()
	if !ok {
		return list
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if root != e.Drive.Root() && turnstile.HasState(root) {
			list = append(list, turnstile.Open(root, turnstile.Bare()))
		}
	}
	return list
}

// mergedByOthers tells whether a branch is where another drive has put it, by
// what it has said in this drive's journal.
func (e *merger) mergedByOthers(branch, now string) bool {
	v, err := e.Drive.Read()
	return err == nil && v.State.Watch[branch].Tip == now
}

// closeIssue closes the issue of what was merged.
func (e *merger) closeIssue(ctx context.Context, s *drive.State, tip string) (move, bool, error) {
	body := evidence.ClosingComment(e.ledger.page(s), e.filer.describeSubject(s), tip)
	if err := e.Tracker.Comment(ctx, e.issue.Number, forge.NewComment{Body: e.Redact(body), Once: e.filer.marker("merged", s)}); err != nil {
		return move{}, false, err
	}
	e.ledger.passPoint("closing comment")
	if err := e.Tracker.Close(ctx, e.issue.Number); err != nil {
		return move{}, false, err
	}
	e.ledger.passPoint("closed")
	e.filer.recordFiled(s, evidence.Filed{Issue: s.Issue(), What: "closed", Number: e.issue.Number, URL: e.issue.URL, Title: e.issue.Title})
	e.ledger.recordOutcome(s, evidence.Outcome{Result: evidence.Merged, Commit: tip})
	return move{on: drive.Merged, data: data{Commit: tip}}, false, nil
}
