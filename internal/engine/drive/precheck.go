package drive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// hookRounds is how often commit hooks may change a chunk before it is committed
// without what they change.
const hookRounds = 3

// askCommitHooks asks the repository's own commit hooks about what is to be committed.
// Next is that with what they have made of the chunk's files: formatters do.
func (e *committer) askCommitHooks(ctx context.Context, s *drive.State, tree string) (next string, v work.Verdict, err error) {
	e.hooked = ""
	if e.noHooks == nil { // the guard keeps them as they are
		none := !e.Work.Hooked(ctx)
		e.noHooks = &none
	}
	if *e.noHooks {
		return tree, work.Verdict{OK: true, Message: e.commitMessage(s)}, nil
	}
	before, err := e.trees.snapshotWorkTree()
	if err != nil {
		return "", v, err
	}
	v, err = e.Work.Precheck(ctx, e.chunkChange(s, tree))
	if err = errors.Join(err, e.trees.settle(ctx)); err != nil { // formatters change files
		return "", v, err
	}
	after, err := e.trees.snapshotWorkTree()
	if err != nil {
		return "", v, err
	}
	if v.OK && strings.Contains(v.Message, e.trailer(s)) {
		e.hooked = v.Message
	}
	next, err = e.takeHookChanges(ctx, s, tree, before, after)
	return next, v, err
}

// takeHookChanges is the chunk's tree with what happened to the chunk's files in the work
// tree. What the tests have left there is not part of it.
func (e *committer) takeHookChanges(ctx context.Context, s *drive.State, tree, before, after string) (string, error) {
	if before == after {
		return tree, nil
	}
	chunk, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
	if err != nil {
		return "", err
	}
	list, err := e.trees.repo().Changes(before, after)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range list {
		if slices.ContainsFunc(chunk, func(of git.Change) bool { return of.Path == c.Path && of.Status != 'D' }) {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return tree, nil
	}
	return e.trees.repo().Graft(ctx, tree, after, paths)
}

// rejudge has the gates of code_complete look at what they have not seen: what
// commit hooks have changed. It says why they refuse it.
func (e *reviewer) rejudge(ctx context.Context, s *drive.State, tree string) (why string, err error) {
	_, any := evidence.Last(e.ledger.page(s).Verdicts, func(v evidence.Verdict) bool { return v.Chunk == s.Chunk.Index })
	w := sight{dir: e.Drive.Root(), base: s.Chunk.Base, tree: tree, criteria: s.Present()}
	if !any || e.wasJudged(s, w) {
		return "", nil
	}
	e.Drive.Tree.AssumeUnchanged(tree) // without what the tests have left
	list, err := e.Drive.Verify(ctx, drive.CodeComplete, e.integrity(), turnstile.Gate{Name: "verifier", Run: func(ctx context.Context, s *drive.State) (string, error) {
		e.Drive.Tree.AssumeChanged() // an agent's guard has to see all
		w.ignored = e.listNewlyIgnored(ctx)
		return e.judge(ctx, s, w)
	}})
	e.Drive.Tree.AssumeChanged()
	e.keepGates(s, list)
	var refused *turnstile.GateError
	switch {
	case errors.As(err, &refused) && refused.Broken():
		return "", untried(refused)
	case errors.As(err, &refused):
		return refused.Error(), nil
	}
	return "", err
}
