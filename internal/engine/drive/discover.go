package drive

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// requirement is the label of issues that are requirements.
const requirement = "req"

// subject is the requirement that is worked on.
type subject struct {
	forge.Issue
	id       string
	branch   string
	criteria []drive.Criterion // as they were written when the work was selected
}

// discover selects the work: the issue that was named, or the next that is
// approved and waits for no other.
func (e *Engine) discover(ctx context.Context, s *drive.State) (move, error) {
	var i forge.Issue
	var err error
	if s.Issue() != "" {
		i, err = e.named(ctx, s.Issue())
	} else {
		i, err = e.next(ctx)
	}
	if err != nil {
		return move{}, err
	}
	if i.Number == 0 {
		e.remark("no issue is approved that could be worked on")
		return move{on: drive.NoWork}, nil
	}
	id := strconv.Itoa(i.Number)
	if e.Issue == "" {
		if err := e.halfDone(ctx, i); err != nil {
			return move{}, err
		}
	}
	list, err := e.Drive.Criteria.Record(id, i.Body)
	if err != nil {
		return move{}, needsPerson("edit the issue, then warp resume", "#%s: %v", id, err)
	}
	e.issue = newSubject(i, list)
	e.written(s)
	e.tell(Note{Kind: Began})
	taken := fmt.Sprintf("Taken up by warp drive, as it was approved (%s).", forge.Seal(i))
	if err := e.Tracker.Comment(ctx, i.Number, forge.NewComment{Body: taken, Once: e.takenMarker(id, s)}); err != nil {
		return move{}, err
	}
	e.passed("taken")
	branch, err := e.branch(ctx, s, i)
	if err != nil {
		return move{}, err
	}
	e.passed("branch")
	return move{on: drive.WorkSelected, data: data{Requirement: id, Branch: branch}}, nil
}

// written puts the criteria into the open book; the turnstile has journalled
// them where the drive is, which may not outlive it.
func (e *Engine) written(s *drive.State) {
	row := evidence.Written{Issue: e.issue.id}
	for _, c := range e.issue.criteria {
		row.Criteria = append(row.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
	}
	if e.home().Dir() != e.Drive.Store().Dir() {
		e.keep(s, event.Criteria, row)
	} else {
		e.remember(s, event.Criteria, row)
	}
}

func newSubject(i forge.Issue, list []criteria.Criterion) *subject {
	sub := &subject{Issue: i, id: strconv.Itoa(i.Number)}
	for _, c := range list {
		sub.criteria = append(sub.criteria, drive.Criterion{ID: c.ID, Text: c.Text})
	}
	return sub
}

// named is the issue that a person named; that it cannot be worked on is said.
func (e *Engine) named(ctx context.Context, id string) (forge.Issue, error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return forge.Issue{}, needsPerson("warp stop --hard, then warp drive NUMBER", "%q is no issue's number", id)
	}
	i, err := e.Tracker.Get(ctx, n)
	if err != nil {
		return i, err
	}
	if root := e.elsewhere()[id]; root != "" {
		return i, needsPerson("warp status there; warp resume goes on with it, warp stop "+id+" ends it", "#%s is driven in %s", id, root)
	}
	why := e.unfit(i)
	if why == allChecked {
		if branch := e.unmerged(ctx, id); branch != "" {
			return i, needsPerson("warp recover run "+id+", then warp resume, which merges it", "#%s: all of its criteria are met on the branch %s, which is not merged", id, branch)
		}
	}
	if why != "" {
		return i, needsPerson("see warp issue show "+id+", then warp resume", "#%s cannot be worked on: %s", id, why)
	}
	if _, held := forge.Order([]forge.Issue{i}, forge.StillOpen(ctx, e.Tracker)); len(held) > 0 {
		return i, needsPerson("drive those first, or edit the issue, then warp resume", "#%s waits for %s", id, hashes(held[0].By))
	}
	return i, nil
}

const allChecked = "every criterion is checked off already"

// unfit says why an issue cannot be worked on.
func (e *Engine) unfit(i forge.Issue) string {
	list, err := criteria.Parse(i.Body)
	switch {
	case !i.Open:
		return "it is closed"
	case !i.Has(forge.Approved):
		return "it is not labelled " + forge.Approved
	case i.ApprovedBy == "" && i.NotApproved != "":
		return i.NotApproved
	case i.ApprovedBy == "":
		return "nobody with write access has approved it"
	case err != nil:
		return err.Error()
	case len(list) == 0:
		return "it has no acceptance criteria (checkboxes such as - [ ] AC-01: …)"
	case !slices.ContainsFunc(list, func(c criteria.Criterion) bool { return !c.Done }):
		return allChecked
	}
	return ""
}

// elsewhere are the issues of unfinished drives in other work trees of the
// repository, with where they are.
func (e *Engine) elsewhere() map[string]string {
	list := map[string]string{}
	place, ok := git.Locate(e.Drive.Root())
	if !ok {
		return list
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if root == e.Drive.Root() || !turnstile.HasState(root) {
			continue
		}
		if v, err := turnstile.Open(root, turnstile.Bare()).Read(); err == nil && v.State.Phase.Active() && v.State.Issue() != "" {
			list[v.State.Issue()] = root
		}
	}
	return list
}

// next is the first issue in the order of work that can be worked on; its
// number is 0 when there is none. One that cannot be does not keep the others
// from it.
func (e *Engine) next(ctx context.Context) (forge.Issue, error) {
	list, err := e.Tracker.List(ctx, forge.Query{Labels: []string{requirement, forge.Approved}})
	if err != nil && len(list) == 0 {
		return forge.Issue{}, err
	}
	if err != nil {
		e.remark("some issues could not be read: %v", err)
	}
	ready, held := forge.Order(list, forge.StillOpen(ctx, e.Tracker))
	for _, h := range held {
		e.remark("#%d waits for %s", h.Number, hashes(h.By))
	}
	driven := e.elsewhere()
	for _, i := range ready {
		if e.tried[i.Number] != "" {
			continue
		}
		if root := driven[strconv.Itoa(i.Number)]; root != "" {
			e.remark("#%d is driven in %s", i.Number, root)
			continue
		}
		why := e.unfit(i)
		if why == "" {
			return i, nil
		}
		e.tried[i.Number] = why
		e.remark("#%d is passed over: %s", i.Number, why)
	}
	return forge.Issue{}, nil
}

func hashes(list []int) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "#%d", n)
	}
	return b.String()
}

// load reads the issue that the drive is about, when it goes on after a pause
// of any kind. Its criteria are those that were recorded: what somebody made of
// the text since does not change what was approved.
func (e *Engine) load(ctx context.Context, s *drive.State) error {
	if s.Issue() == "" || e.issue != nil && e.issue.id == s.Issue() || s.Phase == drive.Prerequisites || s.Phase == drive.Discovering {
		return nil
	}
	n, err := strconv.Atoi(s.Issue())
	if err != nil {
		return needsPerson("warp stop --hard, then warp drive NUMBER", "%q is no issue's number", s.Issue())
	}
	i, err := e.Tracker.Get(ctx, n)
	if err != nil {
		return err
	}
	e.issue = &subject{Issue: i, id: s.Issue(), criteria: s.Criteria[s.Issue()]}
	if len(e.issue.criteria) == 0 {
		list, err := e.Drive.Criteria.Record(s.Issue(), i.Body)
		if err != nil {
			return err
		}
		e.issue = newSubject(i, list)
	}
	e.tell(Note{Kind: Began, Phase: s.Phase, Chunk: s.Chunk.Index, Total: s.Chunk.Total})
	working := []drive.Phase{drive.Planning, drive.Chunking, drive.Coding, drive.UpdatingDocs, drive.Testing, drive.Merging}
	if why := i.NotApproved; slices.Contains(working, s.Phase) && i.ApprovedBy == "" {
		if why == "" {
			why = "it is not approved any more"
		}
		return needsPerson("approve it again, then warp resume", "#%s: %s", s.Issue(), why)
	}
	return nil
}
