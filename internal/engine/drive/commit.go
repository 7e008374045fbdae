package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drift"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/work"
)

// checkOff makes the boxes of the issue those of what is done: the chunk's are
// checked, and what nobody has done is not.
func (e *Engine) checkOff(ctx context.Context, s *drive.State) (move, error) {
	due := s.Due()
	var undone []string
	err := e.Tracker.Edit(ctx, e.issue.Number, func(body string) (string, error) {
		undone = nil
		list, err := criteria.Parse(body)
		if err != nil {
			return body, err
		}
		next := body
		for _, c := range list {
			want := slices.Contains(due, c.ID)
			if c.Done == want {
				continue
			}
			if !want {
				undone = append(undone, c.ID)
			}
			if next, err = criteria.Check(next, c.ID, want); err != nil {
				return body, err
			}
		}
		return next, nil
	})
	if err != nil {
		return move{}, err
	}
	e.passed("ticked")
	for _, id := range s.Checked[s.Issue()] {
		if !slices.Contains(due, id) && !slices.Contains(undone, id) {
			undone = append(undone, id)
		}
	}
	if len(undone) > 0 {
		e.intervene(s, "ticks", "", "criteria were checked off that nobody has done: %s; they are open again", strings.Join(undone, ", "))
		if err := e.Drive.Criteria.CheckOff(s.Issue(), undone, false); err != nil {
			return move{}, err
		}
	}
	if err := e.Drive.Criteria.CheckOff(s.Issue(), without(due, s.Checked[s.Issue()]), true); err != nil {
		return move{}, err
	}
	return move{on: drive.DocsUpdated}, nil
}

func without(list, drop []string) (rest []string) {
	for _, x := range list {
		if !slices.Contains(drop, x) {
			rest = append(rest, x)
		}
	}
	return rest
}

// change is what a chunk's commit is made of: what the verifier saw, and the
// tests ran on.
func (e *Engine) change(s *drive.State, tree string) work.Change {
	return work.Change{Base: e.from(s), Tree: tree, Exclude: []string{".claude"}, Message: e.message(s)}
}

// commit commits the chunk, once.
func (e *Engine) commit(ctx context.Context, s *drive.State) (move, error) {
	on := drive.Committed
	if e.cfg.DocDriftGate {
		on = drive.CommitWithDocGate
	}
	hash := ""
	var err error
	if !e.straight { // it may have been made before the engine died, or a budget tripped
		if hash, err = e.made(ctx, s); err != nil {
			return move{}, err
		}
	}
	e.straight = false
	tree := e.testedTree(s)
	if hash == "" {
		c := e.change(s, tree)
		if e.hooked != "" { // as the repository's own hooks want it
			c.Message = e.hooked
		}
		if err := e.onBranch(s); err != nil { // the tests ran meanwhile
			return move{}, err
		}
		was, err := e.branchTip(s.BranchName())
		if err != nil {
			return move{}, err
		}
		hash, err = e.Work.Commit(ctx, c)
		e.newest = [2]string{hash, was}
		var mixed *work.MixedError
		switch {
		case errors.As(err, &mixed):
			return move{}, needsPerson("commit or put aside your own changes, then warp resume", "%v", err)
		case err != nil:
			return move{}, err
		}
		if tip, err := e.branchTip(s.BranchName()); err != nil || tip != hash {
			return move{}, errors.Join(err, fmt.Errorf("the commit %s is not at the tip of %s", hash, s.BranchName()))
		}
		e.passed("committed in git")
	}
	e.committed(ctx, s, hash, false)
	e.push(ctx, s)
	return move{on: on, data: data{Commit: hash}}, nil
}

// made is the commit of the chunk, where the engine died after it or a budget
// tripped; "": there is none.
func (e *Engine) made(ctx context.Context, s *drive.State) (hash string, err error) {
	tip, err := e.branchTip(s.BranchName())
	if err != nil || tip == "" {
		return "", err
	}
	target, err := e.branchTip(s.MergeTarget)
	if err != nil {
		return "", err
	}
	list, err := e.repo().Commits(tip, target)
	for _, c := range list {
		if strings.Contains(c.Message, e.trailer(s)) && !e.outdated(s, c.Hash) {
			hash = c.Hash
		}
	}
	if err == nil && hash != "" {
		err = e.Work.Refresh(ctx, hash)
	}
	return hash, err
}

// outdated tells whether a commit of the chunk was sent back to coding since: the
// chunk needs another one.
func (e *Engine) outdated(s *drive.State, hash string) bool {
	page := e.page(s)
	c, ok := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Hash == hash })
	if !ok {
		return false
	}
	g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == driftGate && !g.Passed && g.Chunk == s.Chunk.Index })
	return ok && g.N > c.N
}

// testedTree is the work tree that the tests ran on: what they left behind is
// not part of it.
func (e *Engine) testedTree(s *drive.State) string {
	t, ok := evidence.Last(e.page(s).Tests, func(t evidence.Tested) bool { return t.Chunk == s.Chunk.Index && t.Stage == stageChunk && t.Passed })
	if !ok {
		return "" // begun inside an agent: the work tree as it is
	}
	return t.Row.Tree
}

// committed records a commit, once.
func (e *Engine) committed(ctx context.Context, s *drive.State, hash string, wip bool) {
	if _, known := evidence.Last(e.page(s).Commits, func(c evidence.Commit) bool { return c.Hash == hash }); known {
		return
	}
	row := evidence.Commit{Issue: s.Issue(), Chunk: s.Chunk.Index, Hash: hash, Subject: text.FirstLine(e.message(s)), Criteria: s.Present(), WIP: wip}
	if wip {
		row.Subject = text.FirstLine(e.wipMessage(s))
	}
	stat, err := e.Work.Stat(ctx, e.parent(ctx, hash), hash)
	if err == nil {
		row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
	}
	e.keep(s, event.Commit, row)
	e.tell(Note{Kind: Committed, Text: row.Subject, Hash: hash})
	if file := drift.Suspect(stat.Paths); file != "" && !e.cfg.DocDriftGate {
		e.remark("the commit changes tooling (%s) and no *.md: warp docs audit shows where the documentation does not tell the truth any more", file)
	}
	e.passed("commit recorded")
}

// kinds of commits by the label of the issue.
var kinds = []struct{ label, kind string }{{"bug", "fix"}, {"documentation", "docs"}, {"docs", "docs"}, {"refactor", "refactor"}, {"performance", "perf"}, {"test", "test"}, {"chore", "chore"}}

const maxSubject = 72

// message is the chunk's commit message: conventional, with the criteria and the
// issue.
func (e *Engine) message(s *drive.State) string {
	kind := "feat"
	for _, k := range kinds {
		if e.issue.Has(k.label) {
			kind = k.kind
			break
		}
	}
	tail := fmt.Sprintf(" (#%s %s)", s.Issue(), strings.Join(s.Present(), ", "))
	if len(tail) > maxSubject/2 {
		tail = fmt.Sprintf(" (#%s, chunk %d)", s.Issue(), s.Chunk.Index)
	}
	title := text.OneLine(e.issue.Title)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s\n\n", kind, text.Clip(title, max(20, maxSubject-len(kind)-2-len(tail))), tail)
	for _, c := range e.present(s) {
		fmt.Fprintf(&b, "- %s: %s\n", c.ID, text.Clip(text.OneLine(c.Text), 200))
	}
	fmt.Fprintf(&b, "\nRefs: #%s\n%s\n", s.Issue(), e.trailer(s))
	return e.Redact(b.String())
}

const (
	trailerName = "Warp-Drive"
	wipPrefix   = "wip: "
)

// whole wants the commit of every chunk that was done in what is to be merged: a
// drive that lost one has nothing to show for it.
func (e *Engine) whole(s *drive.State, tip string) error {
	page := e.page(s)
	for i := 1; i <= s.Chunk.Total; i++ {
		c, ok := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Chunk == i && !c.WIP })
		if slices.Contains(s.Chunk.Skipped, i) || !ok && len(page.Commits) < s.Chunk.Total && len(s.CommitHashes) >= s.Chunk.Total {
			continue // given up, or done inside an agent
		}
		in := false
		if ok {
			var err error
			if in, err = e.repo().Descends(tip, c.Row.Hash); err != nil {
				return err
			}
		}
		if !in {
			return needsPerson("look at git log, then warp resume", "the commit of chunk %d is not in %s: somebody took it back, or what it does was in %s already", i, s.BranchName(), s.MergeTarget)
		}
	}
	return nil
}

// trailer tells the commit of a chunk of a session from all others.
func (e *Engine) trailer(s *drive.State) string { return e.trailerOf(s, s.Chunk.Index) }

func (e *Engine) trailerOf(s *drive.State, chunk int) string {
	return fmt.Sprintf(trailerName+": #%s chunk %d/%d session %d", s.Issue(), chunk, s.Chunk.Total, s.Session.StartedAtEpoch)
}

// push sends the drive's branch where another machine could go on with it. That
// it cannot is no reason to stop: merging will tell.
func (e *Engine) push(ctx context.Context, s *drive.State) {
	remote, ok, err := e.remote(ctx)
	if err != nil || !ok || s.BranchName() == "" || s.BranchName() == s.MergeTarget {
		return
	}
	if err := e.Work.Push(ctx, remote, s.BranchName(), work.PushOptions{}); err != nil {
		e.remark("the branch was not pushed yet: %v", err)
		return
	}
	e.passed("pushed")
}
