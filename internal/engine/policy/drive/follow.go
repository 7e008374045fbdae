package drive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
)

const (
	maxCheckLog = 1_500 // characters of one check's log
	maxSaid     = 8_000 // characters of everything said about a pull request
)

// following returns the session's follow-up cycle; nil if it drives the issue for the first time.
func (t *turn) following() *evidence.Follow {
	f, is := evidence.Last(t.evidenceOfIssue(t.s).Follows, nil)
	if !is {
		return nil
	}
	return &f.Row
}

// findFollow checks whether an issue's pull request needs another cycle: a check of its commit
// failed, or a person with write access requested changes, and no cycle was started for that
// before. passed says why there is none although one is needed.
func (e *Engine) findFollow(ctx context.Context, issue string) (f *evidence.Follow, passed string, err error) {
	e.assemble()
	watcher, is := e.Tracker.(forge.PullWatcher)
	cfg, err := e.Drive.Project.Settings()
	if !is || err != nil {
		return nil, "", err
	}
	book := &evidence.Book{}
	if _, err := e.home.Events(func(r event.Row) bool { book.Take(r); return true }); err != nil && !durable.IsMissing(err) {
		return nil, "", fmt.Errorf("reading which pull requests are open: %w", err)
	}
	l, is := evidence.Last(book.Landed, func(l evidence.Landed) bool { return l.Issue == issue })
	if !is || l.Row.Pull == 0 || !shouldFollow(cfg, l.Row) {
		return nil, "", nil
	}
	p, err := e.Tracker.Pull(ctx, l.Row.Pull)
	if err != nil || !p.Open || p.Commit == "" {
		return nil, "", err
	}
	f = &evidence.Follow{Issue: issue, Pull: p.Number, URL: p.URL, Branch: l.Row.Branch, Borrowed: l.Row.Borrowed, Commit: p.Commit}
	past := book.Of(issue, 0)
	checks, err := e.collectCauses(ctx, watcher, past, f)
	if err != nil {
		return nil, "", err
	}
	if len(f.Causes) == 0 {
		if explainUnfollowed(cfg, past, f) == "" {
			noteUnderWay(e, checks, l, f)
		}
		return nil, "", nil
	}
	if why := explainUnfollowed(cfg, past, f); why != "" {
		return nil, why, nil
	}
	return f, "", nil
}

// shouldFollow reports whether a pull request is followed: as configured, else if a person was to
// merge it or the target is protected.
func shouldFollow(cfg config.Settings, l evidence.Landed) bool {
	if cfg.FollowPulls != nil {
		return *cfg.FollowPulls
	}
	return l.Level == 2 || l.Protected
}

// collectCauses collects the failed checks and change requests that started no cycle yet.
func (e *Engine) collectCauses(ctx context.Context, w forge.PullWatcher, past *evidence.Book, f *evidence.Follow) ([]forge.Check, error) {
	checks, err := w.Checks(ctx, f.Commit)
	if err != nil {
		return nil, err
	}
	reviews, err := w.Reviews(ctx, f.Pull)
	if err != nil {
		return nil, err
	}
	var why, said []string
	add := func(cause, short, long string) {
		f.Causes = append(f.Causes, cause)
		why, said = append(why, short), append(said, long)
	}
	for _, c := range checks {
		cause := "check " + text.Hash(f.Commit) + " " + c.ID
		if c.Verdict != forge.Red || wasFollowed(past, cause) {
			continue
		}
		log, err := w.CheckLog(ctx, c)
		if err != nil {
			e.remark("the log of the check %s could not be read: %v", text.Visible(c.Name), err)
		}
		add(cause, "the check "+text.Clip(text.OneLine(c.Name), 60)+" failed", fmt.Sprintf("The check %q failed: %s %s\n%s", c.Name, c.Said, c.URL, testoutput.Excerpt(log, maxCheckLog)))
	}
	for _, r := range forge.Objections(reviews) {
		cause := "review " + r.ID
		if wasFollowed(past, cause) {
			continue
		}
		if may, err := e.Tracker.MayWrite(ctx, r.Author); err != nil || !may {
			if err != nil {
				return nil, err
			}
			continue
		}
		long := r.Author + " requests changes: " + r.Body
		for _, c := range r.Lines {
			long += fmt.Sprintf("\n%s:%d: %s", c.Path, c.Line, c.Body)
		}
		f.Asked = true
		add(cause, text.Clip(text.OneLine(r.Author), 60)+" requested changes", long)
	}
	f.Why, f.Said = e.Redact(strings.Join(why, ", ")), e.Redact(text.Clip(strings.Join(said, "\n\n"), maxSaid))
	return checks, nil
}

// wasFollowed reports whether a cycle was started for a cause.
func wasFollowed(past *evidence.Book, cause string) bool {
	return slices.ContainsFunc(past.Follows, func(f evidence.Entry[evidence.Follow]) bool { return slices.Contains(f.Row.Causes, cause) })
}

// nextFollow returns the next issue whose pull request needs another cycle, or "". Each cause is
// handed out once.
func (e *Engine) nextFollow(ctx context.Context) (string, error) {
	issue, _, err := e.lookAtPulls(ctx, nil, func(f *evidence.Follow) bool { return checkFollowable(ctx, e, f, 3) == nil })
	return issue, err
}

// findFit is findFollow for issues whose only obstacle is that all criteria are checked off.
func (e *Engine) findFit(ctx context.Context, issue string) (*evidence.Follow, error) {
	i, err := getIssue(ctx, e, issue)
	if err != nil || explainUnfit(i) != allChecked {
		return nil, err
	}
	f, _, err := e.findFollow(ctx, issue)
	return f, err
}

// FollowedBranch returns the branch and commit of the pull request to follow for an issue; "" if
// there is none.
func (e *Engine) FollowedBranch(ctx context.Context, issue string) (branch, commit string) {
	e.assemble()
	if f, err := e.findFit(ctx, issue); err == nil && f != nil {
		return f.Branch, f.Commit
	}
	return "", ""
}

// findTask returns the issue to drive, and its follow-up cycle if it is one. A session keeps the
// cycle it began with, whatever the forge says by now.
func findTask(ctx context.Context, t *turn) (forge.Issue, *evidence.Follow, error) {
	if f := t.following(); f != nil {
		i, err := getIssue(ctx, t.Engine, t.s.Issue())
		return i, f, err
	}
	t.namedFollow = nil
	i, err := findWork(ctx, t.Engine, t.s.Issue())
	return i, t.namedFollow, err
}

// enterBranch checks out the branch to work on: a new one for the issue, or that of its pull
// request, and records the cycle that this starts.
func enterBranch(ctx context.Context, t *turn, i forge.Issue, follow *evidence.Follow, desk filing.Desk) (string, error) {
	if follow == nil {
		if err := desk.CommentTaken(ctx); err != nil {
			return "", err
		}
		return makeBranch(ctx, t, i)
	}
	branch, err := takeFollowed(ctx, t, follow)
	if err == nil && t.following() == nil {
		t.recordEvidence(t.s, event.Follow, *follow)
		t.remark("following pull request #%d: %s", follow.Pull, follow.Why)
	}
	return branch, err
}

// takeFollowed checks out a pull request's branch, with what others pushed to it.
func takeFollowed(ctx context.Context, t *turn, f *evidence.Follow) (string, error) {
	if t.lander.Remote != nil {
		if _, err := t.lander.Remote.Fetch(ctx, f.Branch); err != nil {
			return "", explainUnreached(err)
		}
	}
	tip, err := t.lander.Tip(f.Branch)
	if err == nil && tip != "" {
		err = t.lander.Update(ctx, f.Branch)
	}
	var diverged *land.DivergedError
	switch {
	case errors.As(err, &diverged):
		return "", needsPerson("bring "+diverged.Branch+" and "+diverged.Remote+"/"+diverged.Branch+" together, then warp resume", "%v", err)
	case err != nil:
		return "", err
	}
	t.Drive.Tree.AssumeChanged()
	if err := t.Work.Branch(ctx, f.Branch, f.Commit); err != nil {
		return "", needsPerson("commit or move what is in the way, then warp resume", "checking out the branch %s: %v", f.Branch, err)
	}
	return f.Branch, dropEarlierWIP(ctx, t, f.Branch)
}

// followedChunk returns the one chunk of a follow-up cycle: as many criteria as a chunk may have.
// The verifier judges all of them.
func followedChunk(t *turn) []string {
	all := t.s.Criteria[t.s.Issue()]
	var ids []string
	for _, c := range all[max(0, len(all)-t.cfg.Limits.ACsPerCommit):] {
		ids = append(ids, c.ID)
	}
	return ids
}

// checkStillOpen requires that the cycle's pull request is open: one that a person merged or closed
// meanwhile is not reopened.
func checkStillOpen(ctx context.Context, t *turn, f *evidence.Follow) error {
	p, err := t.Tracker.Pull(ctx, f.Pull)
	if err == nil && !p.Open {
		err = needsPerson("look at the last commit of "+f.Branch+", then warp stop", "pull request #%d has since been merged or closed", f.Pull)
	}
	return err
}

func pullName(f *evidence.Follow) string { return "pull request #" + strconv.Itoa(f.Pull) }

// checkFollowable requires that the pull request's branch is free: one that a person made must be
// checked out in this work tree, otherwise nowhere else.
func checkFollowable(ctx context.Context, e *Engine, f *evidence.Follow, level int) error {
	user, err := e.Work.FindUser(ctx, f.Branch)
	if user == "" && err != nil {
		return err
	}
	own := place.Path(filepath.Dir(e.home.Dir()), "issue-"+f.Issue)
	switch here := user == e.Work.Top(); {
	case here && (!e.Own || e.Conductor != nil), user == "" && (e.Own || level == 3 || !f.Borrowed), e.Own && user == own:
		return nil
	case user == "":
		return needsPerson("git switch "+f.Branch+", or warp drive --worktree "+f.Issue, "%s of #%s must be fixed on %s, which is not checked out", pullName(f), f.Issue, f.Branch)
	}
	return needsPerson("warp drive "+f.Issue+" there, or git switch to another branch", "%s of #%s must be fixed on %s, which is checked out in %s", pullName(f), f.Issue, f.Branch, user)
}
