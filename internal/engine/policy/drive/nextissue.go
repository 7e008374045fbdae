package drive

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/engine/land"
	"warp/internal/turnstile"
)

// requirement is the label of issues that are requirements.
const requirement = "req"

// subject is the requirement being worked on.
type subject struct {
	forge.Issue
	id       string
	branch   string
	criteria []drivestate.Criterion // as written when the work was selected
}

func newSubject(i forge.Issue, list []criteria.Criterion) *subject {
	sub := &subject{Issue: i, id: strconv.Itoa(i.Number)}
	for _, c := range list {
		sub.criteria = append(sub.criteria, drivestate.Criterion{ID: c.ID, Text: c.Text})
	}
	return sub
}

// discoverWork selects the work: the named issue, or the next approved one that waits for no other.
func discoverWork(ctx context.Context, t *turn) (move, error) {
	if err := reopenUndone(ctx, t); err != nil {
		return move{}, err
	}
	i, follow, err := findTask(ctx, t)
	if err != nil {
		return move{}, err
	}
	if i.Number == 0 {
		if len(t.outcomes) == 0 { // else the summary says what was done
			t.remark("no approved issue can be worked on")
		}
		return move{on: drivestate.NoWork}, nil
	}
	id := strconv.Itoa(i.Number)
	if t.Issue == "" {
		if err := refuseHalfDone(ctx, t.Engine, i); err != nil {
			return move{}, err
		}
	}
	list, err := t.Drive.Criteria.RecordTitled(id, i.Title, i.Body)
	if err != nil {
		return move{}, needsPerson("edit the issue, then warp resume", "#%s: %v", id, err)
	}
	t.issue = newSubject(i, list)
	row := evidence.Written{Issue: id}
	for _, c := range list {
		row.Criteria = append(row.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
	}
	t.mirrorEvidence(t.s, event.Criteria, row)
	t.tell(Note{Kind: Began})
	desk := t.desk()
	desk.About.Issue = id // the drive's state has no issue yet
	branch, err := enterBranch(ctx, t, i, follow, desk)
	if err != nil {
		return move{}, err
	}
	t.pass("branch")
	return move{on: drivestate.WorkSelected, data: data{Requirement: id, Branch: branch}}, nil
}

// borrowsBranch reports whether the drive works on a branch that a person made: at level 2, where
// they had one checked out.
func borrowsBranch(t *turn) bool {
	made := t.s.SessionBranch == nil && strings.HasPrefix(t.s.BranchName(), forge.BranchPrefix+t.s.Issue())
	return t.s.Session.Level == 2 && !t.Own && !made
}

// makeBranch returns the branch to work on: at level 2 the one that the person has checked out, else
// one made for the issue from the up-to-date merge target.
func makeBranch(ctx context.Context, t *turn, i forge.Issue) (string, error) {
	target := t.s.MergeTarget
	if t.s.Session.Level == 2 && !t.Own {
		on, err := t.lander.CheckedOut()
		if err != nil {
			return "", err
		}
		if on != "" && on != t.s.MainBranch && on != target {
			return on, dropEarlierWIP(ctx, t, on)
		}
	}
	branch := i.Branch()
	var diverged *land.DivergedError
	if err := updateTarget(ctx, t); errors.As(err, &diverged) {
		return "", needsPerson("bring "+diverged.Branch+" and "+diverged.Remote+"/"+diverged.Branch+" together, then warp resume", "%v", err)
	} else if err != nil {
		t.remark("%s could not be brought up to date: %v", target, err)
	}
	t.Drive.Tree.AssumeChanged()
	if err := t.Work.Branch(ctx, branch, target); err != nil {
		return "", needsPerson("commit or move what is in the way, then warp resume", "making the branch %s: %v", branch, err)
	}
	return branch, dropEarlierWIP(ctx, t, branch)
}

// dropEarlierWIP takes an earlier drive's work-in-progress commit off the branch's tip: it was
// never judged, so nothing may build on it. It is kept under a ref.
func dropEarlierWIP(ctx context.Context, t *turn, branch string) error {
	tip, err := t.lander.Tip(branch)
	if err != nil || tip == "" {
		return err
	}
	parent := t.lander.Parent(ctx, tip)
	if parent == "" {
		return nil
	}
	made, err := t.repo().Commits(tip, parent)
	if err != nil || len(made) != 1 || !strings.HasPrefix(made[0].Message, wipPrefix) || !strings.Contains(made[0].Message, drivestate.TrailerName) {
		return err
	}
	kept := t.keepReachable(ctx, "wip", tip)
	if kept == "" {
		return errors.New("could not save the unfinished work of an earlier drive, so it stays on the branch")
	}
	if err := t.lander.Follow(ctx, branch, parent); err != nil {
		return needsPerson("commit or stash your own changes, then warp resume", "cannot take the unfinished work of an earlier drive off the branch: %v", err)
	}
	if err := t.Drive.Watch.RecordMoves("drive", drivestate.Move{Branch: branch, Old: tip, New: parent}); err != nil {
		return err
	}
	t.remark("took the unfinished work of an earlier drive off the branch; it is kept as %s", kept)
	return nil
}

// findWork returns the named issue, or the next one; its number is 0 if there is none.
func findWork(ctx context.Context, e *Engine, id string) (forge.Issue, error) {
	if id != "" {
		return findNamed(ctx, e, id)
	}
	return findNext(ctx, e)
}

// getIssue reads an issue by the number people use for it.
func getIssue(ctx context.Context, e *Engine, id string) (forge.Issue, error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return forge.Issue{}, needsPerson("warp stop --hard, then warp drive NUMBER", "%q is not an issue number", id)
	}
	return e.Tracker.Get(ctx, n)
}

// findNamed returns the issue a person named; the error says why it cannot be worked on.
func findNamed(ctx context.Context, e *Engine, id string) (forge.Issue, error) {
	i, err := getIssue(ctx, e, id)
	if err != nil {
		return i, err
	}
	if root := listDrivenElsewhere(e)[id]; root != "" {
		return i, needsPerson("warp status there; warp resume continues it, warp stop "+id+" ends it", "#%s is driven in %s", id, root)
	}
	why := explainUnfit(i)
	if why == allChecked {
		follow, passed, err := e.findFollow(ctx, id)
		switch {
		case err != nil:
			return i, err
		case follow != nil:
			e.namedFollow = follow
			return i, nil
		case passed != "":
			return i, needsPerson("review "+findPull(ctx, e, id), "the pull request of #%s is not followed: %s", id, passed)
		}
		if pull := findPull(ctx, e, id); pull != "" {
			return i, needsPerson("review and merge "+pull, "all criteria of #%s are met, and its pull request is open: %s", id, pull)
		}
		if branch := findUnmergedBranch(ctx, e, id); branch != "" {
			return i, needsPerson("warp recover run "+id+", then warp resume, which merges it",
				"all criteria of #%s are met on the branch %s, which is not merged", id, branch)
		}
	}
	if why != "" {
		return i, needsPerson("warp issue show "+id+" says more; warp stop ends a drive of it", "#%s cannot be worked on: %s", id, why)
	}
	if _, held := forge.Order([]forge.Issue{i}, forge.StillOpen(ctx, e.Tracker)); len(held) > 0 {
		return i, needsPerson("drive those first, or edit the issue, then warp resume", "#%s waits for %s", id, formatIssues(held[0].By))
	}
	return i, nil
}

const allChecked = "every criterion is checked off already"

// explainUnfit returns why an issue cannot be worked on, or "".
func explainUnfit(i forge.Issue) string {
	list, err := criteria.Parse(i.Body)
	switch {
	case !i.Open:
		return "it is closed"
	case !i.Has(forge.Approved):
		return "it is not labelled " + forge.Approved
	case i.ApprovedBy == "" && i.NotApproved != "":
		return i.NotApproved
	case i.ApprovedBy == "":
		return "it was not approved by a person with write access"
	case err != nil:
		return err.Error()
	case len(list) == 0:
		return "it has no acceptance criteria (checkboxes such as - [ ] AC-01: …)"
	case !slices.ContainsFunc(list, func(c criteria.Criterion) bool { return !c.Done }):
		return allChecked
	}
	return ""
}

// listDrivenElsewhere maps the issues of unfinished drives in the repository's other work trees to
// those work trees.
func listDrivenElsewhere(e *Engine) map[string]string {
	list := map[string]string{}
	for _, root := range listOtherDrives(e) {
		if v, err := turnstile.Open(root, turnstile.Bare()).Read(); err == nil && v.State.Phase.Active() && v.State.Issue() != "" {
			list[v.State.Issue()] = root
		}
	}
	return list
}

// listApproved lists the approved requirements, as far as they can be read.
func listApproved(ctx context.Context, e *Engine) ([]forge.Issue, error) {
	list, err := e.Tracker.List(ctx, forge.Query{Labels: []string{requirement, forge.Approved}})
	if err != nil && len(list) > 0 {
		e.remark("some issues could not be read: %v", err)
		err = nil
	}
	return list, err
}

// findNext returns the first issue in the order of work that can be worked on; its number is 0 if
// there is none. Issues that cannot be worked on are passed over.
func findNext(ctx context.Context, e *Engine) (forge.Issue, error) {
	list, err := listApproved(ctx, e)
	if err != nil {
		return forge.Issue{}, err
	}
	ready, held := forge.Order(list, forge.StillOpen(ctx, e.Tracker))
	for _, h := range held {
		passOver(e, h.Issue, "it waits for "+formatIssues(h.By))
	}
	driven := listDrivenElsewhere(e)
	for _, i := range ready {
		if e.tried[i.Number] != "" {
			continue
		}
		if root := driven[strconv.Itoa(i.Number)]; root != "" {
			e.remark("#%d is driven in %s", i.Number, root)
			continue
		}
		why := explainUnfit(i)
		if why == "" {
			return i, nil
		}
		e.tried[i.Number] = why
		passOver(e, i, why)
	}
	return forge.Issue{}, nil
}

func formatIssues(numbers []int) string {
	return "#" + strings.Join(formatNumbers(numbers), ", #")
}

// loadIssue reads the drive's issue when a drive is resumed. Its criteria are the recorded ones: a
// later edit of the text does not change what was approved.
func loadIssue(ctx context.Context, t *turn) error {
	s := t.s
	if s.Issue() == "" || t.issue != nil && t.issue.id == s.Issue() || s.Phase == drivestate.Prerequisites || s.Phase == drivestate.Discovering {
		return nil
	}
	i, err := getIssue(ctx, t.Engine, s.Issue())
	if err != nil {
		return err
	}
	t.issue = &subject{Issue: i, id: s.Issue(), criteria: s.Criteria[s.Issue()]}
	if len(t.issue.criteria) == 0 {
		list, err := t.Drive.Criteria.RecordTitled(s.Issue(), i.Title, i.Body)
		if err != nil {
			return err
		}
		t.issue = newSubject(i, list)
	}
	t.tell(Note{Kind: Began, Move: Move{Phase: s.Phase, Chunk: s.Chunk.Index, Total: s.Chunk.Total}})
	working := []drivestate.Phase{drivestate.Planning, drivestate.Chunking, drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Merging}
	if why := i.NotApproved; slices.Contains(working, s.Phase) && i.ApprovedBy == "" {
		if why == "" {
			why = "it is no longer approved"
		}
		return needsPerson("approve it again, then warp resume", "#%s: %s", s.Issue(), why)
	}
	return nil
}
