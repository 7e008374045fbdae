package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/sys/git"
)

// leftUnasked returns what was last found in each chunk whose work the branch may have, of earlier
// drives, too.
func leftUnasked(t *turn) (last []evidence.Unasked) {
	page := t.book.Page(t.s.Issue(), 0)
	for _, u := range page.Unasked {
		_, committed := evidence.Last(page.Commits, func(c evidence.Commit) bool {
			return c.Epoch == u.Row.Epoch && (c.Chunk == u.Row.Chunk || u.Row.Chunk == 0)
		})
		if u.Row.Stage == evidence.UnaskedJudged || !committed && !evidence.InSession(t.s.Session.StartedAtEpoch, u.Row.Epoch, u.At) {
			continue
		}
		last = slices.DeleteFunc(last, func(was evidence.Unasked) bool { return was.Epoch == u.Row.Epoch && was.Chunk == u.Row.Chunk })
		last = append(last, u.Row)
	}
	return last
}

// standingUnasked returns what no one asked for in the work to merge: what is left in the chunks, if
// the merge would bring it and no criterion has named it since.
func standingUnasked(ctx context.Context, t *turn, tip string) (list []scope.Point, err error) {
	last := leftUnasked(t)
	if len(last) == 0 {
		return nil, nil
	}
	base, err := gate.MergeBase(ctx, t.repo(), tip, "refs/heads/"+t.s.MergeTarget)
	if err != nil {
		return nil, err
	}
	changes, err := t.repo().Trees().Changes(base, tip)
	if err != nil {
		return nil, err
	}
	asked, paths := askedFor(t), git.Paths(changes)
	now, err := gate.FindUnasked(ctx, t.repo(), base, tip, asked)
	if err != nil {
		return nil, err
	}
	for _, u := range last {
		since, err := t.repo().Trees().Changes(u.Tree, tip)
		if err != nil {
			since = nil // the tree is another machine's
		}
		touched := git.Paths(since)
		for _, p := range u.Points {
			gone := p.By == "" && slices.Contains(touched, p.File) && !scope.Has(now, p.File)
			if slices.Contains(paths, p.File) && (p.Named || !asked.Allows(p.File)) && !gone {
				list = scope.Merge(list, []scope.Point{p})
			}
		}
	}
	return list, nil
}

// explainUnasked returns why a drive that may merge opens a pull request instead: the work holds what
// no one asked for. Without a forge a person has to decide here. "": there is no such thing.
func explainUnasked(ctx context.Context, t *turn, tip string) (string, error) {
	if endsInPull(t) {
		return "", nil
	}
	points, err := standingUnasked(ctx, t, tip)
	if err != nil || len(points) == 0 {
		return "", err
	}
	recordMergeGate(t, gateUnasked, scope.Describe(points), false)
	why := "it holds what no one asked for: " + text.OneLine(strings.ReplaceAll(scope.Describe(points), "\n", "; "))
	named := slices.ContainsFunc(points, func(p scope.Point) bool { return p.Named }) // a criterion cannot accept more
	if named || t.Tracker.Name() != "local" {
		return why, nil
	}
	return "", needsPerson(fmt.Sprintf("name the files in a criterion of #%s to accept them, or take them back in a commit on %s; then warp resume", t.s.Issue(), t.s.BranchName()),
		"it is not merged, since %s", why)
}

// wasRebased reports whether the drive rebased its branch, which may have been pushed before.
func wasRebased(t *turn) bool {
	_, rebased := evidence.Last(t.evidenceOfIssue(t.s).Commits, func(c evidence.Commit) bool { return c.Was != "" })
	return rebased
}
