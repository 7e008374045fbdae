package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/commit"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
)

// landing delivers the work: at level 2 as a pull request, at level 3 by a merge, once it is proved
// on the merged tree.
type landing struct {
	*job
	before, after string // metrics
	unasked       []scope.Point
}

func (l *landing) integrate(ctx context.Context) error {
	if err := (target{l.run}).check(); err != nil {
		return l.pauseLanding(err)
	}
	merge, err := l.mayMerge(ctx)
	if err != nil {
		return l.pauseLanding(err)
	}
	if !merge {
		return l.pauseLanding(l.openPullRequest(ctx))
	}
	free, err := l.land.TakeMergeLease(ctx)
	if err != nil {
		return err
	}
	defer free()
	for range land.Tries {
		late, err := l.mergeOnce(ctx)
		if err != nil || !late {
			return l.pauseLanding(err)
		}
	}
	return l.run.pause(workflowstate.PausedPerson, "",
		"others pushed to %s before the work could be merged, %d times: warp workflow resume tries again", l.run.target, land.Tries)
}

// pauseLanding turns an error that blocks the landing into a pause.
func (l *landing) pauseLanding(err error) error {
	var paused *PausedError
	var pushed *guard.PushedError
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &paused) || errors.As(err, &pushed) {
		return err
	}
	return l.run.pause(workflowstate.PausedPerson, "", "the work cannot be merged yet: %v; fix that, then warp workflow resume", err)
}

// mergeOnce merges the branch once. late means the target moved first.
func (l *landing) mergeOnce(ctx context.Context) (late bool, err error) {
	branch, target := l.run.now().Branch, l.run.target
	if err := l.run.remote.Check(ctx, l.refs[0]); err != nil { // before anything pushed there arrives here
		return false, err
	}
	if err := l.land.Update(ctx, target); err != nil {
		return false, err
	}
	tip, err := l.rebaseOntoTarget(ctx, branch, target)
	if err == nil {
		err = l.land.CheckOverlap(ctx, target, tip)
	}
	if err == nil {
		err = l.proveMerge(ctx, tip)
	}
	if err != nil {
		return false, err
	}
	free, err := step.TakeTurn(ctx, l.run.person.guard.TurnFile(), "an agent is working in your work tree", l.run.remark)
	if err != nil {
		return false, err
	}
	late, err = l.land.Merge(ctx, branch, target, tip)
	if free(); err != nil || late {
		return late, err
	}
	if err := l.recordLanded(tip, forge.Pull{}); err != nil {
		return false, err
	}
	l.run.pass("merged")
	l.run.tell(Note{Kind: Integrating, Text: fmt.Sprintf("%s is merged into %s", branch, target)})
	return false, nil
}

// rebaseOntoTarget returns the tip of the branch, rebased onto the merge target if that has moved.
func (l *landing) rebaseOntoTarget(ctx context.Context, branch, target string) (string, error) {
	repo := l.tree.Repo()
	tip, err := l.readTip(branch)
	if err != nil {
		return "", err
	}
	onto, err := l.land.Tip(target)
	if err == nil && onto == "" {
		err = fmt.Errorf("the merge target %s is gone (git branch %s COMMIT recreates it)", target, target)
	}
	if err != nil {
		return "", err
	}
	if on, err := repo.Descends(tip, onto); err != nil || on {
		return tip, err
	}
	next, conflict, err := l.tree.Apart().Rebase(ctx, tip, onto)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return "", cmp.Or(l.tree.Apart().Abandon(ctx, conflict.Dir), fmt.Errorf("%s conflicts with %s in %v: rebase it", branch, target, conflict.Files))
	}
	if err := l.land.Follow(ctx, branch, next); err != nil {
		return "", fmt.Errorf("checking out the rebased branch: %w", err)
	}
	l.run.pass("rebased")
	moved, err := opening{l.run}.matchGit(l.run.now())
	if err != nil {
		return "", err
	}
	return next, l.run.record("rebased", func(s *workflowstate.State) {
		for task, commit := range moved {
			s.CompletedTasks.SetCommit(task, commit)
		}
		s.Base = onto
	})
}

// readTip returns the commit that is checked out, which must be the branch's: it is pushed by its
// hash, and a person may have checked out another branch meanwhile.
func (l *landing) readTip(branch string) (string, error) {
	tip, err := l.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	if of, err := l.land.Tip(branch); err != nil || of != tip {
		return "", errors.Join(err, fmt.Errorf("%s is not checked out where the workflow works: git checkout %s, then warp workflow resume", branch, branch))
	}
	return tip, nil
}

func (l *landing) openPullRequest(ctx context.Context) error {
	r, s := l.run, l.run.now()
	tip, err := l.readTip(s.Branch)
	if err == nil {
		err = l.proveMerge(ctx, tip)
	}
	if err != nil {
		return err
	}
	if r.remote == nil && r.Tracker.Name() != "local" {
		return errors.New("a pull request needs a remote, and there is none (git remote add origin URL)")
	}
	if err := l.land.Push(ctx, s.Branch, tip); err != nil {
		return fmt.Errorf("pushing %s: %w", s.Branch, err)
	}
	r.pass("branch_pushed")
	body, err := l.pullText(ctx, tip)
	if err != nil {
		return err
	}
	p, err := r.Tracker.OpenPull(ctx, forge.NewPull{
		Title: r.Redact(commit.Clean(r.plan().Title)), Body: body, Head: s.Branch, Base: r.target, Once: "<!-- warp-workflow pull " + s.ID + " -->"})
	if err != nil {
		return fmt.Errorf("opening the pull request: %w", err)
	}
	if err := l.recordLanded(tip, p); err != nil {
		return err
	}
	r.pass("pull_opened")
	r.tell(Note{Kind: Integrating, Text: fmt.Sprintf("pull request #%d %s", p.Number, p.URL)})
	return nil
}

// recordLanded records where the work of the workflow's branch is now.
func (l *landing) recordLanded(tip string, p forge.Pull) error {
	s := l.run.now()
	return land.RecordLanded(l.land, evidence.Landed{Branch: s.Branch, Target: l.run.target, Commit: tip, Pull: p.Number, URL: p.URL, Level: s.Level,
		Borrowed: s.Place == "" && s.BeganOn == s.Branch})
}

// report returns the workflow's final report.
func (l *landing) report() string {
	return l.run.Redact(renderText("report", textValues{"Plan": l.run.plan(), "State": l.run.now(), "Unasked": l.unasked, "Before": l.before, "After": l.after}))
}

// pullText returns the text of the workflow's pull request.
func (l *landing) pullText(ctx context.Context, tip string) (string, error) {
	made, err := l.tree.Repo().Commits(tip, "refs/heads/"+l.run.target)
	if err != nil {
		return "", fmt.Errorf("reading what %s brings: %w", l.run.now().Branch, err)
	}
	about, _ := land.ReadContents(ctx, l.land, made)
	spent := "" // an unknown cost is none of a reviewer's business
	if b := l.run.now().SafetyBounds; b.Unpriced == 0 {
		spent = workflowstate.CostText(b.MicroUSD, b.Unpriced)
	}
	return l.run.Redact(renderText("pull", textValues{"Plan": l.run.plan(), "State": l.run.now(), "Unasked": l.unasked, "Before": l.before, "After": l.after,
		"Changes": about.Describe(""), "Review": about.ToReview(), "Spent": spent})), nil
}

// proveMerge runs everything that can be run on the tree to be merged: a later task, or a person,
// may have undone what was met once.
func (l *landing) proveMerge(ctx context.Context, tip string) error {
	why, err := l.brokenCriterion(ctx, tip)
	if err == nil && why == "" {
		var red []string
		if why, red, err = (suite{l.job}).run(ctx, tip); err == nil {
			err = l.recordRed(red)
		}
	}
	if err == nil && why == "" {
		why, err = verifier{l.job}.explainWeakened(ctx, l.run.now().Base, tip)
	}
	if err == nil && why != "" {
		err = fmt.Errorf("the merge into %s would fail: %s; fix it on the branch %s", l.run.target, text.Opening(why), l.run.now().Branch)
	}
	return err
}

// recordRed records the tests that fail as they did before the work, and says so.
func (l *landing) recordRed(red []string) error {
	if slices.Equal(red, l.run.now().Red) {
		return nil
	}
	if err := l.run.record("suite_red", func(s *workflowstate.State) { s.Red = red }); err != nil || len(red) == 0 {
		return err
	}
	l.run.remark("%s: %s", evidence.RedAsBefore, text.Quote(red, 5))
	return nil
}

// brokenCriterion returns the first failing criterion with a command, of a completed task or of the
// whole, or "".
func (l *landing) brokenCriterion(ctx context.Context, tip string) (why string, err error) {
	var list []taskdoc.Criterion // each one's label in the message, and its command
	add := func(of string, criteria []taskdoc.Criterion) {
		for _, c := range criteria {
			list = append(list, taskdoc.Criterion{Text: fmt.Sprintf("%s, criterion «%s»: ", of, c.Text), Run: c.Run})
		}
	}
	for _, t := range l.run.plan().Tasks() {
		if l.run.now().CompletedTasks.Has(t.ID) {
			add("task "+t.ID, t.Criteria)
		}
	}
	add("the whole", l.Criteria)
	for _, line := range l.run.plan().Checks() {
		list = append(list, taskdoc.Criterion{Text: "verification: ", Run: line})
	}
	failed, err := l.findFailing(ctx, tip, taskdoc.CommandsOf(list), true)
	for _, c := range list {
		if said := failed[c.Run]; said != "" {
			return c.Text + said, err
		}
	}
	return "", err
}
