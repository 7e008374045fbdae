package drive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/leak"
	"warp/internal/sys/git"
)

// askCommitHooks runs the repository's own commit hooks on the planned commit. next includes what
// they changed in the chunk's files, as formatters do.
func askCommitHooks(ctx context.Context, t *turn, tree string) (next string, v judge.HookVerdict, err error) {
	t.chunk.hookMessage = ""
	asked, c, v, err := runCommitHooks(ctx, t, tree)
	if err != nil || !asked {
		return tree, judge.HookVerdict{OK: true}, err
	}
	if v.OK && slices.Contains(strings.Split(v.Message, "\n"), drivestate.Trailer(t.s, t.s.Chunk.Index)) { // else the commit could not be found again
		t.chunk.hookMessage = v.Message
	}
	next, err = takeHookChanges(ctx, t, tree, c.Tree, v.Tree)
	return next, v, err
}

// runCommitHooks runs the repository's own commit hooks on the planned commit; asked reports whether
// there are some.
func runCommitHooks(ctx context.Context, t *turn, tree string) (asked bool, c judge.Candidate, v judge.HookVerdict, err error) {
	hooks, err := t.lander.FindHooks(ctx)
	if err != nil || !hooks.HasHooks(judge.HookRequest{}) {
		return false, c, v, err
	}
	if c, err = chunkCandidate(ctx, t, tree); err != nil {
		return true, c, v, err
	}
	head, err := t.repo().Head()
	if err != nil {
		return true, c, v, err
	}
	if hooks.Base, err = t.lander.Tip(t.s.MergeTarget); err != nil {
		return true, c, v, err
	}
	hooks.Limit, hooks.Redact, hooks.Protected = t.timeLeft(), t.Redact, t.cfg.Protected
	v, err = hooks.CheckCommit(ctx, judge.HookRequest{Candidate: c, Head: head, Message: commitMessage(ctx, t)})
	return true, c, v, err
}

// takeHookChanges takes what hooks changed in the chunk's files into the chunk. A file with a
// person's own changes is left alone.
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

// refuseSecrets sends back a chunk whose commit would publish secrets. Its agent, which can still
// fix it, is told the files and rules, never the values.
func refuseSecrets(ctx context.Context, t *turn, tree string, r evidence.Tested) (move, error) {
	err := t.lander.Check(ctx, land.Commit{Change: chunkChange(t, tree), Hooked: true})
	found, is := errors.AsType[*leak.FoundError](err)
	if !is {
		return move{on: drivestate.TestsPassed}, err
	}
	t.tell(Note{Kind: Gated, Text: found.Brief(), Passed: new(false)})
	r.Passed, r.NotRun, r.Excerpt, r.Command = false, false, found.Error(), "the scan for secrets"
	keepTested(t, r)
	return move{on: drivestate.TestsFailed, data: data{Failure: r.Excerpt}}, nil
}

// secretsNeedPerson parks a drive when no agent is left that could remove the secrets.
func secretsNeedPerson(err error) error {
	if !isSecrets(err) {
		return err
	}
	return needsPerson("remove them, or allow false alarms with warp secrets allow, then warp resume", "%v", err)
}

func isSecrets(err error) bool {
	_, is := errors.AsType[*leak.FoundError](err)
	return is
}
