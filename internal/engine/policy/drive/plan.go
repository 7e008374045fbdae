package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// fewCriteria is the largest number of criteria that need no plan.
const fewCriteria = 3

// planRequirement has an approach drafted, and the contracts and checks written.
func planRequirement(ctx context.Context, t *turn) (move, error) {
	err := draftPlan(ctx, t)
	if err == nil {
		err = agreeOnContract(ctx, t)
	}
	if err != nil {
		return move{}, err
	}
	return move{on: drivestate.PlanReady}, nil
}

// draftPlan has an agent draft an approach unless the requirement is simple, and posts it to the
// issue. Without one the drive continues.
func draftPlan(ctx context.Context, t *turn) error {
	open := openCriteria(t)
	if t.following() != nil || len(open) <= fewCriteria && !isArchitectural(t.issue) {
		return nil
	}
	p, known := evidence.Last(t.evidenceOfIssue(t.s).Plans, nil)
	if !known {
		if err := testBaseline(ctx, t); err != nil {
			return err
		}
		var ids []string
		for _, c := range open {
			ids = append(ids, c.ID)
		}
		task := agent.Task{Role: agent.Plan, Prompt: planningPrompt(t, open), Criteria: ids, ReadOnly: true}
		res, err := runAgent(ctx, t, t.Drive.Root(), task)
		if err != nil {
			return err
		}
		var said struct {
			Approach string     `json:"approach"`
			Chunks   [][]string `json:"chunks"`
		}
		if !res.Read(&said) {
			t.remark("no approach was drafted (%s %s): taking the criteria in order", res.End, res.Why)
			return nil
		}
		approach, cut := cutApproach(t.Redact(said.Approach))
		if cut {
			t.remark("the planned approach is longer than %d characters: what follows %q is left out", maxApproach, text.Tail(approach, 60))
		}
		p.Row = evidence.Plan{Issue: t.issue.id, Approach: approach, Chunks: said.Chunks}
		t.recordEvidence(t.s, event.Plan, p.Row)
		t.pass("planned")
	}
	if p.Row.Approach != "" {
		if err := t.desk().CommentPlan(ctx, p.Row.Approach); err != nil {
			return err
		}
	}
	return nil
}

func planningPrompt(t *turn, open []criteria.Criterion) string {
	p := planPrompt{subject: t.issue, open: open, done: committedCriteria(t, open), most: t.cfg.Limits.ACsPerCommit, decisions: decisionsMade(t), lessons: knownLessons(t), tests: suiteCommand(t.Engine), took: suiteTime(t)}
	return p.String()
}

// isArchitectural reports whether an issue is about more than its criteria.
func isArchitectural(i *subject) bool {
	if slices.ContainsFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, "architecture") }) {
		return true
	}
	text := strings.ToLower(i.Title + "\n" + i.Body)
	return slices.ContainsFunc([]string{"architecture decision", "architectural", "design decision"}, func(w string) bool { return strings.Contains(text, w) })
}

// checkedBoxes returns the criteria that the issue shows as done.
func checkedBoxes(i *subject) (done []string) {
	list, err := criteria.Parse(i.Body)
	if err != nil {
		return nil
	}
	for _, c := range list {
		if c.Done {
			done = append(done, c.ID)
		}
	}
	return done
}

// openCriteria returns the criteria that are not done yet.
func openCriteria(t *turn) (open []criteria.Criterion) {
	done := append(checkedBoxes(t.issue), t.s.Checked[t.s.Issue()]...)
	for _, c := range t.issue.criteria {
		if !slices.Contains(done, c.ID) {
			open = append(open, criteria.Criterion{ID: c.ID, Text: c.Text})
		}
	}
	return open
}

// splitChunks splits the requirement into chunks, after running its tests once before any change.
// What people already did counts as done.
func splitChunks(ctx context.Context, t *turn) (move, error) {
	s := t.s
	open, follow := openCriteria(t), t.following()
	if len(open) == 0 && follow == nil {
		return move{}, needsPerson("close the issue, then warp stop", "every criterion of #%s is checked off already", s.Issue())
	}
	var chunk []string
	if follow != nil {
		chunk = followedChunk(t)
	}
	if done := text.Without(text.Without(checkedBoxes(t.issue), s.Checked[s.Issue()]), chunk); len(done) > 0 {
		if err := t.Drive.Criteria.CheckOff(s.Issue(), done, true); err != nil {
			return move{}, err
		}
	}
	if err := testBaseline(ctx, t); err != nil {
		return move{}, err
	}
	if err := beginChunk(ctx, t); err != nil {
		return move{}, err
	}
	if follow != nil {
		return move{on: drivestate.ChunksDefined, data: data{Chunks: [][]string{chunk}}}, nil
	}
	p, _ := evidence.Last(t.evidenceOfIssue(s).Plans, nil)
	return move{on: drivestate.ChunksDefined, data: data{Chunks: criteria.Split(open, p.Row.Chunks, t.cfg.Limits.ACsPerCommit)}}, nil
}

// beginChunk sets the base of a chunk that no run of this engine precedes: the work tree without
// unfinished work of an earlier drive of the same requirement, which becomes this chunk's work.
func beginChunk(ctx context.Context, t *turn) error {
	tree, err := t.snapshotWorkTree()
	if err != nil {
		return err
	}
	left, err := t.guard.Leftovers(ctx, ownerOf(t.s.Issue()))
	if err != nil || len(left) == 0 {
		return err
	}
	head, err := t.repo().Head()
	if err == nil {
		tree, err = t.repo().Trees().Graft(ctx, tree, head, left)
	}
	if err != nil {
		return err
	}
	t.remark("an earlier drive of #%s left unfinished work here; this one continues it: %s", t.s.Issue(), text.Quote(left, 5))
	t.guard.Inherit(left)
	t.Drive.Tree.AssumeUnchanged(tree)
	return nil
}
