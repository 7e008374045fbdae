package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

// askCommitHooks asks the repository's own commit hooks about what is to be committed.
// Next is that with what they have made of the chunk's files: formatters do.
func askCommitHooks(ctx context.Context, t *turn, tree string) (next string, v judge.HookVerdict, err error) {
	t.chunk.hooked = ""
	hooks, err := t.lander.FindHooks(ctx)
	if err != nil || !hooks.HasHooks(judge.HookRequest{}) {
		return tree, judge.HookVerdict{OK: true}, err
	}
	c, err := chunkCandidate(ctx, t, tree)
	if err != nil {
		return "", v, err
	}
	head, err := t.repo().Head()
	if err != nil {
		return "", v, err
	}
	if hooks.Base, err = t.lander.Tip(t.s.MergeTarget); err != nil {
		return "", v, err
	}
	hooks.Limit, hooks.Redact, hooks.Protected = t.timeLeft(), t.Redact, t.cfg.Protected
	if v, err = hooks.CheckCommit(ctx, judge.HookRequest{Candidate: c, Head: head, Message: commitMessage(t)}); err != nil {
		return "", v, err
	}
	if v.OK && slices.Contains(strings.Split(v.Message, "\n"), drivestate.Trailer(t.s, t.s.Chunk.Index)) { // else it is not found again
		t.chunk.hooked = v.Message
	}
	next, err = takeHookChanges(ctx, t, tree, c.Tree, v.Tree)
	return next, v, err
}

// takeHookChanges brings into the chunk what hooks have made of its files. A file in
// which a person has changes of their own besides is left as it is.
func takeHookChanges(ctx context.Context, t *turn, tree, before, after string) (string, error) {
	if before == after {
		return tree, nil
	}
	chunk, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree)
	if err != nil {
		return "", err
	}
	theirs, err := t.repo().Trees().Changes(before, tree)
	if err != nil {
		return "", err
	}
	list, err := t.repo().Trees().Changes(before, after)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range list {
		ours := slices.ContainsFunc(chunk, func(of git.Change) bool { return of.Path == c.Path && of.Status != 'D' })
		if ours && !slices.Contains(git.Paths(theirs), c.Path) {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return tree, nil
	}
	next, err := t.repo().Trees().Graft(ctx, tree, after, paths)
	if err == nil {
		err = t.Work.Restore(ctx, next, paths, false)
	}
	if err != nil {
		return "", err
	}
	return next, t.acceptWorkTree(ctx)
}
