package drive

import (
	"context"
	"path"
	"slices"

	"warp/internal/core/drive"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// integrity is the gate against changes that make what was found out worthless:
// tests that are not what is run any more, files that nobody meant to be
// committed, and work that cannot be.
func (e *reviewer) integrity() turnstile.Gate {
	return turnstile.Gate{Name: "integrity", First: true, Run: func(ctx context.Context, s *drive.State) (string, error) {
		tree, err := e.Drive.Tree.Fingerprint()
		if err != nil || s.Chunk.Base == "" {
			return "", err
		}
		if g, ok := e.committer.findDrift(s); ok && g.Tree == tree {
			return "nothing was changed, and the documentation still misleads its readers: " + g.Reason, nil
		}
		changes, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
		if err != nil {
			return "", err
		}
		e.ignores = ignoresEdited(changes)
		list, err := e.listSubmoduleChanges(ctx, s, changes)
		if err != nil {
			return "", err
		}
		if len(list) > 0 {
			return "changes inside a submodule cannot be committed by a drive: " + text.Quote(list, 5) + "; take them back, and work in the files of this repository", nil
		}
		c := judge.Candidate{Repo: e.trees.repo(), Base: s.Chunk.Base, Tree: tree, Prefix: e.trees.prefix(), Tests: e.tester.suiteCommand()}
		for _, id := range s.Present() {
			c.Asked = append(c.Asked, s.Written(id))
		}
		if list := c.Rerouted(changes); len(list) > 0 {
			return "how the tests are run was changed, which no criterion asks for: " + text.Quote(list, 5), nil
		}
		return "", nil
	}}
}

func ignoresEdited(changes []git.Change) bool {
	return slices.ContainsFunc(changes, func(c git.Change) bool {
		return path.Base(c.Path) == ".gitignore" || path.Base(c.OldPath) == ".gitignore"
	})
}

// began is when the chunk did.
func began(s *drive.State) string {
	if at := s.Tokens.CurrentStartedAt; at != nil {
		return *at
	}
	return s.Budgets.PhaseStartedAt
}
