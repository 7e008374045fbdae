package drive

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/project"
	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// integrity is the gate against changes that make what was found out worthless:
// tests that are not what is run any more, files that nobody meant to be
// committed, and work that cannot be.
func (e *Engine) integrity() turnstile.Gate {
	return turnstile.Gate{Name: "integrity", First: true, Run: func(ctx context.Context, s *drive.State) (string, error) {
		tree, err := e.Drive.Tree.Fingerprint()
		if err != nil || s.Chunk.Base == "" {
			return "", err
		}
		if g, ok := e.sentBack(s); ok && g.Tree == tree {
			return "nothing was changed, and the documentation still misleads its readers: " + g.Reason, nil
		}
		changes, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
		if err != nil {
			return "", err
		}
		e.ignores = ignoresEdited(changes)
		list, err := e.inSubmodules(ctx, s, changes)
		if err != nil {
			return "", err
		}
		if len(list) > 0 {
			return "changes inside a submodule cannot be committed by a drive: " + text.Quote(list, 5) + "; take them back, and work in the files of this repository", nil
		}
		if list := e.unnamed(s, e.rerouted(s, changes)); len(list) > 0 {
			return "how the tests are run was changed, which no criterion asks for: " + text.Quote(list, 5), nil
		}
		if list := e.unignored(s, changes); len(list) > 0 {
			return "files that git ignored before would be committed: " + text.Quote(list, 5) + "; leave .gitignore as it was for them", nil
		}
		return "", nil
	}}
}

// rerouted lists the files by which the chunk makes the test command run
// something else.
func (e *Engine) rerouted(s *drive.State, changes []git.Change) []string {
	command := e.tests()
	if command == "" {
		return nil
	}
	prefix, err := filepath.Rel(e.Work.Top(), e.Drive.Root())
	if err != nil {
		prefix = "."
	}
	before := func(name string) ([]byte, bool) {
		full := path.Join(filepath.ToSlash(prefix), name)
		for _, c := range changes {
			if c.Path == full || c.OldPath == full {
				if c.Status == 'A' {
					return nil, false
				}
				text, err := e.repo().Content(s.Chunk.Base, full, maxScript)
				return text, err == nil
			}
		}
		return e.has(name) // it was not changed
	}
	return project.Rerouted(command, before, e.has)
}

const maxScript = 1 << 20

// unnamed leaves out the files that a criterion of the chunk names.
func (e *Engine) unnamed(s *drive.State, files []string) []string {
	return slices.DeleteFunc(files, func(file string) bool {
		return slices.ContainsFunc(s.Present(), func(id string) bool { return strings.Contains(s.Written(id), path.Base(file)) })
	})
}

// unignored lists files, a .env for one, that only an edit of .gitignore has
// made part of the chunk: they are older than it.
func (e *Engine) unignored(s *drive.State, changes []git.Change) (old []string) {
	began, err := time.Parse(time.RFC3339, began(s))
	if err != nil || !e.ignores {
		return nil
	}
	for _, c := range changes {
		if info, err := os.Lstat(filepath.Join(e.Work.Top(), filepath.FromSlash(c.Path))); c.Status == 'A' && err == nil && info.ModTime().Before(began) {
			old = append(old, c.Path)
		}
	}
	return old
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
