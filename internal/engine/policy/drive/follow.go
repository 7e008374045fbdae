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
	"warp/internal/turnstile/documents"
)

const (
	maxCheckLog = 1_500 // of one check's log
	maxSaid     = 8_000 // of all that is said about a pull request
)

// following is the cycle that the session is; nil: it drives an issue for the first time.
func (t *turn) following() *evidence.Follow {
	f, is := evidence.Last(t.evidenceOfIssue(t.s).Follows, nil)
	if !is {
		return nil
	}
	return &f.Row
}

// findFollow looks whether the pull request of an issue needs another cycle: a check of its
// commit is red, or a person with write access requests changes, and no cycle was started
// for that before. Passed says why there is none although it needs one.
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
	if !is || l.Row.Pull == 0 || !follows(cfg, l.Row) {
		return nil, "", nil
	}
	p, err := e.Tracker.Pull(ctx, l.Row.Pull)
	if err != nil || !p.Open || p.Commit == "" {
		return nil, "", err
	}
	f = &evidence.Follow{Issue: issue, Pull: p.Number, URL: p.URL, Branch: l.Row.Branch, Commit: p.Commit}
	past := book.Of(issue, 0)
	checks, err := e.hear(ctx, watcher, past, f)
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

// follows tells whether a pull request is followed: as the settings say or, where they say
// nothing, when a person was to merge it, or nothing else could be done.
func follows(cfg config.Settings, l evidence.Landed) bool {
	if cfg.FollowPulls != nil {
		return *cfg.FollowPulls
	}
	return l.Level == 2 || l.Protected
}

// hear collects what is said of a pull request that started no cycle yet.
func (e *Engine) hear(ctx context.Context, w forge.PullWatcher, past *evidence.Book, f *evidence.Follow) ([]forge.Check, error) {
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

// wasFollowed tells whether a cycle was started for a cause.
func wasFollowed(past *evidence.Book, cause string) bool {
	return slices.ContainsFunc(past.Follows, func(f evidence.Entry[evidence.Follow]) bool { return slices.Contains(f.Row.Causes, cause) })
}

// nextFollow is the next issue whose pull request needs another cycle; each cause is given
// once. "": there is none.
func (e *Engine) nextFollow(ctx context.Context) (string, error) {
	landed, err := documents.ListLanded(e.home)
	if err != nil {
		return "", err
	}
	driven := listDrivenElsewhere(e)
	for _, l := range landed {
		if l.Issue == "" || l.Pull == 0 || driven[l.Issue] != "" {
			continue
		}
		f, err := e.findFit(ctx, l.Issue)
		if err != nil {
			return "", err
		}
		if f != nil && checkFollowable(ctx, e, f, 3) == nil && !wasGiven(e, f) {
			e.given = append(e.given, f.Causes...)
			return l.Issue, nil
		}
	}
	return "", nil
}

// findFit is findFollow for an issue that could be driven, but for being done.
func (e *Engine) findFit(ctx context.Context, issue string) (*evidence.Follow, error) {
	i, err := getIssue(ctx, e, issue)
	if err != nil || explainUnfit(i) != allChecked {
		return nil, err
	}
	f, _, err := e.findFollow(ctx, issue)
	return f, err
}

// FollowedBranch is the branch that an issue is to be followed on, and the commit that its
// pull request has; "": it is no cycle of a pull request.
func (e *Engine) FollowedBranch(ctx context.Context, issue string) (branch, commit string) {
	e.assemble()
	if f, err := e.findFit(ctx, issue); err == nil && f != nil {
		return f.Branch, f.Commit
	}
	return "", ""
}

// findTask is the issue to be driven, and the cycle of its pull request where it is one: the
// one that the session began with, whatever the forge says by now.
func findTask(ctx context.Context, t *turn) (forge.Issue, *evidence.Follow, error) {
	if f := t.following(); f != nil {
		i, err := getIssue(ctx, t.Engine, t.s.Issue())
		return i, f, err
	}
	t.news = nil
	i, err := findWork(ctx, t.Engine, t.s.Issue())
	return i, t.news, err
}

// enterBranch checks out the branch to work on: one for the issue, or that of its pull
// request, and records the cycle that this begins.
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

// takeFollowed checks out the branch of a pull request, with what others pushed to it.
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

// followedChunk is the one chunk of a cycle: as many criteria as a chunk may have. The
// verifier judges all of them.
func followedChunk(t *turn) []string {
	all := t.s.Criteria[t.s.Issue()]
	var ids []string
	for _, c := range all[max(0, len(all)-t.cfg.Limits.ACsPerCommit):] {
		ids = append(ids, c.ID)
	}
	return ids
}

// checkStillOpen wants the pull request that the cycle is for to be open: what a person has
// merged or closed meanwhile is not opened again.
func checkStillOpen(ctx context.Context, t *turn, f *evidence.Follow) error {
	p, err := t.Tracker.Pull(ctx, f.Pull)
	if err == nil && !p.Open {
		err = needsPerson("look at the last commit of "+f.Branch+", then warp stop", "the pull request #%d was merged or closed meanwhile", f.Pull)
	}
	return err
}

func pullName(f *evidence.Follow) string { return "pull request #" + strconv.Itoa(f.Pull) }

// checkFollowable wants the branch of the pull request free: at level 2 it is to be checked
// out where the person is, and elsewhere it must not be.
func checkFollowable(ctx context.Context, e *Engine, f *evidence.Follow, level int) error {
	user, err := e.Work.FindUser(ctx, f.Branch)
	if user == "" && err != nil {
		return err
	}
	own := place.Path(filepath.Dir(e.home.Dir()), "issue-"+f.Issue)
	switch here := user == e.Work.Top(); {
	case here && (!e.Own || e.Conductor != nil), user == "" && (e.Own || level == 3), e.Own && user == own:
		return nil
	case user == "":
		return needsPerson("git switch "+f.Branch+", or warp drive --worktree "+f.Issue, "%s of #%s is to be fixed on %s, which is not checked out", pullName(f), f.Issue, f.Branch)
	}
	return needsPerson("warp drive "+f.Issue+" there, or git switch to another branch", "%s of #%s is to be fixed on %s, which is checked out in %s", pullName(f), f.Issue, f.Branch, user)
}
