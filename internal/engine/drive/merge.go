package drive

import (
	"context"
	"errors"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

const (
	networkTries = 3
	networkPause = 2 * time.Second
	mergeTries   = 3 // how often others may be faster
	mergeLease   = "warp-merge"
	lookAgain    = 200 * time.Millisecond
)

// passing tells whether an error may be gone when the same is tried again.
func passing(err error) bool {
	var p *work.RemoteError
	if errors.As(err, &p) {
		return p.Kind == work.Network
	}
	var f *forge.Error
	return errors.As(err, &f) && f.Reason == forge.Unreachable
}

// merge brings the work where it belongs: a pull request for people to look at,
// or the merge target itself.
func (e *Engine) merge(ctx context.Context, s *drive.State) (move, error) {
	if s.Session.Level == 2 || !e.cfg.AutoMerge {
		tip, err := e.branchTip(s.BranchName())
		if err == nil {
			err = e.whole(s, tip)
		}
		if err == nil {
			err = e.testClean(ctx, s, tip)
		}
		if err != nil {
			return move{}, err
		}
		return e.openPull(ctx, s, tip)
	}
	free, err := e.merging(ctx)
	if err != nil {
		return move{}, err
	}
	defer free()
	for range mergeTries {
		m, again, err := e.mergeOnce(ctx, s)
		if err != nil || !again {
			return m, err
		}
		e.remark("others were faster: %s moved; merging is tried again", s.MergeTarget)
	}
	return move{on: drive.PushFailed, data: data{Failure: "the merge target moved again and again"}}, nil
}

// merging takes the one place in which a repository is merged into, and waits
// for it.
func (e *Engine) merging(ctx context.Context) (free func(), err error) {
	stamp, _ := proc.Started(e.PID)
	me := durable.Process{PID: e.PID, Stamp: stamp, Host: e.Host}
	for {
		hold, _, err := e.home().Acquire(mergeLease, me, proc.Started)
		var locked *durable.LockedError
		switch {
		case err == nil:
			return func() { _ = hold.Release() }, nil
		case !errors.As(err, &locked):
			return nil, err
		}
		if err := pause(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// mergeOnce rebases, tests again, goes forward and pushes. Again says that
// somebody else was faster.
func (e *Engine) mergeOnce(ctx context.Context, s *drive.State) (m move, again bool, err error) {
	remote, has, err := e.remote(ctx)
	if err != nil {
		return move{}, false, err
	}
	if has {
		if err := e.upToDate(ctx, remote, s.MergeTarget); err != nil {
			return move{}, false, e.unreachable(err)
		}
	}
	tip, err := e.rebased(ctx, s)
	if err != nil || tip == "" {
		return move{on: drive.MergeFailed, data: data{Failure: "the branch conflicts with " + s.MergeTarget}}, false, err
	}
	if err := e.testMerge(ctx, s); err != nil {
		return move{}, false, err
	}
	if err := e.testClean(ctx, s, tip); err != nil {
		return move{}, false, err
	}
	if err := e.renamed(ctx, s, tip); err != nil {
		return move{}, false, err
	}
	if err := e.whole(s, tip); err != nil {
		return move{}, false, err
	}
	// The remote first: when others were faster there, nothing has moved here.
	if has {
		var p *work.RemoteError
		err := e.retrying(ctx, func() error {
			return e.Work.Push(ctx, remote, s.BranchName(), work.PushOptions{As: s.MergeTarget})
		})
		switch {
		case errors.As(err, &p) && p.Kind == work.Rejected:
			return move{}, true, nil
		case errors.As(err, &p) && p.Refused():
			return move{}, false, needsPerson("warp config set auto_merge false, then warp resume opens a pull request; or let it push there",
				"the remote does not take a push to %s, which may be protected: %v", s.MergeTarget, err)
		case err != nil:
			return move{}, false, e.unreachable(err)
		}
		e.passed("target pushed")
	}
	ctx = context.WithoutCancel(ctx) // it is merged for everybody else: a stop waits until it is here, too
	if err := e.advance(ctx, s.MergeTarget, tip); err != nil {
		var late *work.NotFastForward
		if errors.As(err, &late) {
			return move{}, true, nil
		}
		return move{}, false, needsPerson("mend it, then warp resume", "%s could not be moved forward: %v", s.MergeTarget, err)
	}
	e.passed("merged in git")
	return e.closed(ctx, s, tip)
}

func (e *Engine) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return needsPerson("mend it, then warp resume", "merging: %v", err)
}

// rebased brings the branch onto the merge target. A conflict goes to the agent
// once; "" says that it could not resolve it.
func (e *Engine) rebased(ctx context.Context, s *drive.State) (string, error) {
	tip, err := e.branchTip(s.BranchName())
	if err != nil {
		return "", err
	}
	target, err := e.branchTip(s.MergeTarget)
	if err != nil {
		return "", err
	}
	if on, err := e.repo().Descends(tip, target); err != nil || on {
		return tip, err
	}
	next, conflict, err := e.Work.Rebase(ctx, tip, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		if next, err = e.resolve(ctx, s, conflict, resolution{tip: tip, target: target}); err != nil || next == "" {
			return "", err
		}
	}
	e.salvage(ctx, s, "before-rebase", tip)
	e.Drive.Tree.AssumeChanged()
	if err := e.Work.Follow(ctx, s.BranchName(), next); err != nil {
		return "", needsPerson("commit or put aside your own changes, then warp resume", "the rebased branch cannot be checked out: %v", err)
	}
	e.passed("rebased")
	e.remark("%s was rebased onto %s", s.BranchName(), s.MergeTarget)
	return next, nil
}

// renamed records what a rebase has made of the commits of chunks.
func (e *Engine) renamed(ctx context.Context, s *drive.State, tip string) error {
	target, err := e.branchTip(s.MergeTarget)
	if err != nil {
		return err
	}
	made, err := e.repo().Commits(tip, target)
	if err != nil {
		return err
	}
	var rows []any
	for _, c := range e.page(s).Commits {
		mark := e.trailerOf(s, c.Row.Chunk)
		for _, m := range made {
			if strings.Contains(m.Message, mark) && m.Hash != c.Row.Hash {
				row := c.Row
				row.Was, row.Hash = row.Hash, m.Hash
				if stat, err := e.Work.Stat(ctx, e.parent(ctx, m.Hash), m.Hash); err == nil {
					row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
				}
				rows = append(rows, row)
			}
		}
	}
	e.keep(s, event.Commit, rows...)
	return nil
}

// testMerge tests what is to be merged, where the rebase has changed it.
func (e *Engine) testMerge(ctx context.Context, s *drive.State) error {
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
	if _, known := evidence.Last(e.page(s).Tests, same); known {
		return nil
	}
	t, err := e.test(ctx, s, stageMerge, tree)
	if err != nil || t.Passed {
		return err
	}
	return needsPerson("look at "+t.Log+", mend the branch, then warp resume", "the tests pass on the branch, and fail with what %s has got meanwhile: %s", s.MergeTarget, tested(t))
}

// advance moves a branch forward, and tells every other drive of the repository
// that guards it.
func (e *Engine) advance(ctx context.Context, branch, to string) error {
	was, err := e.branchTip(branch)
	if err != nil || was == to {
		return err
	}
	if err := e.Work.FastForward(ctx, branch, to); err != nil {
		return err
	}
	e.passed("target moved")
	m := drive.Move{Branch: branch, Old: was, New: to}
	for _, d := range e.drives() {
		if err := d.Watch.RecordMoves("drive", m); err != nil {
			e.remark("another drive was not told that %s moved: %v", branch, err)
		}
	}
	return nil
}

// drives are the drives of this repository that are under way, this one too.
func (e *Engine) drives() (list []*turnstile.Drive) {
	list = append(list, e.Drive)
	place, ok := e.place()
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
func (e *Engine) mergedByOthers(branch, now string) bool {
	v, err := e.Drive.Read()
	return err == nil && v.State.Watch[branch].Tip == now
}

// closed closes the issue of what was merged.
func (e *Engine) closed(ctx context.Context, s *drive.State, tip string) (move, bool, error) {
	body := evidence.ClosingComment(e.page(s), e.subjectOf(s), tip)
	if err := e.Tracker.Comment(ctx, e.issue.Number, forge.NewComment{Body: e.Redact(body), Once: e.marker("merged", s)}); err != nil {
		return move{}, false, err
	}
	e.passed("closing comment")
	if err := e.Tracker.Close(ctx, e.issue.Number); err != nil {
		return move{}, false, err
	}
	e.passed("closed")
	e.filed(s, evidence.Filed{Issue: s.Issue(), What: "closed", Number: e.issue.Number, URL: e.issue.URL, Title: e.issue.Title})
	e.end(s, evidence.Outcome{Result: evidence.Merged, Commit: tip})
	return move{on: drive.Merged, data: data{Commit: tip}}, false, nil
}
