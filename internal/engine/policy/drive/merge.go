package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/text"
	"warp/internal/engine/filing"
	"warp/internal/engine/gate"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/sys/gitwrite"
)

// gateProof is the gate for the whole of what the merge would bring.
const gateProof = "integrity of what is merged"

// check examines the work to merge.
type check func(ctx context.Context, t *turn, tip string) error

func runChecks(ctx context.Context, t *turn, tip string, checks ...check) error {
	for _, c := range checks {
		if err := c(ctx, t, tip); err != nil {
			return err
		}
	}
	return nil
}

// mergeRequirement opens a pull request for people to review, or merges into the target.
func mergeRequirement(ctx context.Context, t *turn) (move, error) {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return move{}, err
	}
	if none, err := hasNothingToMerge(t, tip); err != nil || none {
		return finishMerge(ctx, t, tip, err)
	}
	why, err := explainUnasked(ctx, t, tip)
	if err == nil && why == "" {
		why, err = findUnproven(t)
	}
	if err != nil {
		return move{}, err
	}
	if endsInPull(t) || why != "" {
		if err := runChecks(ctx, t, tip, checkAllCommitted, proveMerge); err != nil {
			return move{}, err
		}
		return openPull(ctx, t, tip, why, false)
	}
	free, err := t.lander.TakeMergeLease(ctx)
	if err != nil {
		return move{}, err
	}
	defer free()
	for range land.Tries {
		m, again, err := mergeOnce(ctx, t)
		if err != nil || !again {
			return m, err
		}
		t.remark("%s has moved; trying the merge again", t.s.MergeTarget)
	}
	return move{on: drivestate.PushFailed, data: data{Failure: "the merge target keeps moving"}}, nil
}

// endsInPull reports whether a person merges, rather than the drive.
func endsInPull(t *turn) bool {
	return t.s.Session.Level == 2 || !t.cfg.AutoMerge || t.following() != nil
}

// mergeOnce rebases, tests again, fast-forwards and pushes. again means the target moved first.
func mergeOnce(ctx context.Context, t *turn) (m move, again bool, err error) {
	if err := updateTarget(ctx, t); err != nil {
		return move{}, false, explainUnreached(err)
	}
	if landed, err := findLanded(ctx, t); err != nil || landed != "" {
		m, err := finishMerge(ctx, t, landed, err)
		return m, false, err
	}
	tip, err := rebaseBranch(ctx, t)
	if err != nil || tip == "" {
		return move{on: drivestate.MergeFailed, data: data{Failure: "the branch conflicts with " + t.s.MergeTarget}}, false, err
	}
	if err := runChecks(ctx, t, tip, testMerge, checkStillProven, proveMerge, recordRebased, checkAllCommitted); err != nil {
		return move{}, false, err
	}
	if why, err := explainUnasked(ctx, t, tip); err != nil || why != "" { // of a conflict's resolution
		if err == nil {
			m, err = openPull(ctx, t, tip, why, false)
		}
		return m, false, err
	}
	late, err := t.lander.Merge(ctx, t.s.BranchName(), t.s.MergeTarget, tip)
	if why := explainProtected(t, err); why != "" {
		t.remark("%s; opening a pull request instead", why)
		m, err := openPull(ctx, t, tip, why, true)
		return m, false, err
	}
	if err != nil || late {
		return move{}, late, explainUnmerged(err)
	}
	m, err = finishMerge(ctx, t, tip, nil)
	return m, false, err
}

// closeSettled closes what the merge settles in the tracker. Failures are only remarks: the work is
// merged.
func closeSettled(ctx context.Context, t *turn, tip string) {
	if err := t.desk().CloseSettled(context.WithoutCancel(ctx), tip); err != nil {
		t.remark("closing what the merge settles: %v", err)
	}
}

// finishSettling closes what an earlier engine could not: it was killed, or the tracker failed.
func finishSettling(ctx context.Context, e *Engine) {
	desk := filing.Desk{Tracker: e.Tracker, Record: func(row evidence.Filed, _ string) { e.recordEvidence(nil, event.Filed, row) }}
	if err := filing.FinishSettling(ctx, desk, e.book.Clone()); err != nil {
		e.remark("closing what an earlier merge settled: %v", err)
	}
}

// explainProtected returns a message if the merge failed because the remote refuses pushes to the
// merge target: people merge there by pull requests.
func explainProtected(t *turn, err error) string {
	var p *gitwrite.RemoteError
	if !errors.As(err, &p) || !p.Refused() {
		return ""
	}
	return fmt.Sprintf("%s refuses pushes to %s, which may be protected: %s", p.Remote, t.s.MergeTarget, text.Opening(p.Said))
}

// explainUnmerged adds advice to the error of a failed merge.
func explainUnmerged(err error) error {
	if _, is := errors.AsType[*land.OverlapError](err); is {
		return needsPerson("commit or stash them, then warp resume merges", "%v", err)
	}
	return explainUnreached(err)
}

func explainUnreached(err error) error {
	var pushed *guard.PushedError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case isSecrets(err):
		return secretsNeedPerson(err)
	case errors.As(err, &pushed):
		return explainPush(err)
	}
	return needsPerson("fix it, then warp resume", "merging: %v", err)
}

// openPull opens the pull request that a person merges. why says why it is not merged at once
// although it should be, or is "". protected says that the merge target accepts no pushes.
func openPull(ctx context.Context, t *turn, tip, why string, protected bool) (move, error) {
	branch, follow := t.s.BranchName(), t.following()
	if follow != nil {
		if err := checkStillOpen(ctx, t, follow); err != nil {
			return move{}, err
		}
	}
	remote, err := t.lander.FindRemote(ctx)
	if err != nil {
		return move{}, err
	}
	if remote != nil {
		err := t.lander.Push(ctx, branch, tip)
		var p *gitwrite.RemoteError
		switch {
		case errors.As(err, &p) && p.Kind == gitwrite.Rejected && wasRebased(t):
			return move{}, needsPerson(fmt.Sprintf("git push --force-with-lease %s %s, then warp resume", p.Remote, branch), "a pull request is needed, and %s has %s as it was before the rebase", p.Remote, branch)
		case errors.As(err, &p) && p.Kind == gitwrite.Rejected:
			return move{}, needsPerson("fetch and check it, then warp resume", "someone else pushed to the branch %s: %v", branch, err)
		case err != nil:
			return move{}, explainUnreached(err)
		}
		t.pass("branch pushed")
	} else if t.Tracker.Name() != "local" {
		return move{}, needsPerson("git remote add origin URL, then warp resume", "a pull request needs a remote, and there is none")
	}
	desk := t.desk()
	if desk.About.Unasked, err = standingUnasked(ctx, t, tip); err != nil {
		return move{}, err
	}
	made, err := t.repo().Commits(tip, "refs/heads/"+t.s.MergeTarget)
	if err != nil {
		return move{}, err
	}
	describeContents(ctx, t, &desk, made)
	pull, err := desk.OpenPull(ctx, branch, t.s.MergeTarget)
	if err != nil {
		return move{}, err
	}
	if err := recordLanded(t, evidence.Landed{Commit: tip, Pull: pull.Number, URL: pull.URL, Protected: protected}); err != nil {
		return move{}, err
	}
	if follow != nil {
		why = "a fix was pushed, since " + follow.Why
		if err := filing.CommentFollowed(ctx, t.desk(), follow.Pull, tip, follow.Why); err != nil {
			t.remark("commenting on %s: %v", pullName(follow), err)
		}
	}
	t.recordOutcome(t.s, evidence.Outcome{Result: evidence.Pull, Commit: tip, Pull: pull.URL, Why: why, Do: sayMerge(t, scope.Names(desk.About.Unasked))})
	return move{on: drivestate.Merged, data: data{Commit: tip}}, nil
}

// sayMerge says what a person does with the pull request; a local one has no button.
func sayMerge(t *turn, unasked []string) string {
	do := evidence.DoMerge(unasked)
	if t.Tracker.Name() == "local" {
		do += ": git merge " + t.s.BranchName()
	}
	return do
}

// updateTarget updates the local merge target from the remote. If the engine died after such an
// update and before recording it, it is recorded now.
func updateTarget(ctx context.Context, t *turn) error {
	target := t.s.MergeTarget
	if err := t.lander.Update(ctx, target); err != nil {
		return err
	}
	tip, err := t.lander.Tip(target)
	if err != nil {
		return err
	}
	v, err := t.Drive.Read()
	if err != nil {
		return err
	}
	if was := v.State.Watch[target].Tip; was != "" && was != tip && t.lander.Remote != nil {
		return t.Drive.Watch.RecordMoves("drive", drivestate.Move{Branch: target, Old: was, New: tip})
	}
	return nil
}

// rebaseBranch rebases the branch onto the merge target. The agent gets one try at a conflict; ""
// means that it could not resolve it.
func rebaseBranch(ctx context.Context, t *turn) (string, error) {
	r, conflict, err := t.lander.Rebase(ctx, t.s.BranchName(), t.s.MergeTarget)
	if err != nil || r.Next == r.Tip && conflict == nil {
		return r.Next, err
	}
	if conflict != nil {
		files, err := resolveConflicts(ctx, t, conflict, &r)
		if err != nil || r.Next == "" {
			return "", err
		}
		if ok, err := examineResolution(ctx, t, gate.Resolution{Tip: r.Tip, Target: r.Target, Next: r.Next, Files: files}); err != nil || !ok {
			return "", err
		}
	}
	t.keepReachable(ctx, "before-rebase", r.Tip)
	t.Drive.Tree.AssumeChanged()
	if err := t.lander.Follow(ctx, t.s.BranchName(), r.Next); err != nil {
		return "", needsPerson("commit or stash your own changes, then warp resume", "the rebased branch cannot be checked out: %v", err)
	}
	t.pass("rebased")
	t.remark("%s was rebased onto %s", t.s.BranchName(), t.s.MergeTarget)
	return r.Next, nil
}

// checkAllCommitted requires the commit of every finished chunk in the work to merge: otherwise
// work was lost.
func checkAllCommitted(_ context.Context, t *turn, tip string) error {
	s, page := t.s, t.evidenceOfIssue(t.s)
	for i := 1; i <= s.Chunk.Total; i++ {
		c, ok := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Chunk == i && !c.WIP })
		if slices.Contains(s.Chunk.Skipped, i) || !ok && len(page.Commits) < s.Chunk.Total && len(s.CommitHashes) >= s.Chunk.Total {
			continue // skipped, or done inside an agent
		}
		in := false
		if ok {
			var err error
			if in, err = t.repo().Descends(tip, c.Row.Hash); err != nil {
				return err
			}
		}
		if !in {
			return needsPerson("check git log, then warp resume",
				"the commit of chunk %d is not in %s: it was reverted, or %s had its changes already", i, s.BranchName(), s.MergeTarget)
		}
	}
	return nil
}

// doneCriteria returns the criteria that the branch fulfils.
func doneCriteria(s *drivestate.State) []string {
	return text.Without(s.Chunk.ToConfirm(drivestate.RequirementDone), s.Chunk.SkippedCriteria())
}

// recordMergeGate records a finding about the work to merge, as a gate of the whole requirement.
func recordMergeGate(t *turn, name, reason string, passed bool) {
	t.recordEvidence(t.s, event.Gate, evidence.Gate{Issue: t.s.Issue(), Event: string(drivestate.Merged), Gate: name, Passed: passed, Reason: reason})
	tellGate(t.ledger, drivestate.Merged, name, reason, passed)
}
