package turnstile

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/testintegrity"
	"warp/internal/sys/git"
)

// checkRelevance is the gate before code_complete: the chunk must change something that matters and
// must not weaken a test. It returns the work tree's fingerprint, and the reason if it refuses.
func (w *WorkTree) checkRelevance(s *drivestate.State) (tree, reason string, err error) {
	repo, err := w.project.openRepo()
	if err != nil {
		return "", "", err
	}
	own := path.Join(w.project.found.Prefix, stateFolder)
	tree, err = w.Fingerprint()
	if err != nil {
		return "", "", err
	}
	changes, err := w.listChanges(repo, s.Chunk.Base, tree, own)
	if err != nil {
		return "", "", err
	}
	if len(changes) == 0 {
		return tree, "the chunk's diff is empty: nothing but " + stateFolder + "/ changed since the chunk began", nil
	}
	var texts []string
	for _, id := range s.Chunk.Present() {
		texts = append(texts, s.CriterionText(id))
	}
	allowed := criteria.AllowedTestChanges(texts)
	weak, paths := testintegrity.Describe(testintegrity.FindWeakened(changes), func(path string) bool { return criteria.MatchesAny(allowed, path) })
	if weak != "" {
		return tree, "the chunk weakens tests: " + weak + criteria.ExplainAllowing(paths), nil
	}
	return tree, "", nil
}

// maxTestFile bounds the size of a test file that is read.
const maxTestFile = 4 << 20

// listChanges lists the differences between the chunk's base and the work tree, with the content of
// tests. Without a base, or if git has collected it, the last commit is the base.
func (w *WorkTree) listChanges(repo git.Repo, base, tree, own string) ([]testintegrity.Change, error) {
	list, err := []git.Change(nil), errors.New("no base")
	if base != "" {
		list, err = w.CompareTrees(base, tree)
	}
	if err != nil {
		if base, err = repo.Head(); err == nil && base == "" {
			base, err = repo.Trees().Empty() // nothing was committed yet
		}
		if err != nil {
			return nil, err
		}
		if list, err = repo.Trees().Changes(base, tree); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(list, func(c git.Change) bool { return testintegrity.Reads(c.Path) }) {
		repo.Trees().Load(context.Background(), base, tree)
	}
	var out []testintegrity.Change
	for _, c := range list {
		if isUnder(c.Path, own) && (c.OldPath == "" || isUnder(c.OldPath, own)) {
			continue
		}
		q := testintegrity.Change{Path: c.Path, OldPath: c.OldPath}
		before := c.Path
		if c.OldPath != "" {
			before = c.OldPath
		}
		if c.Status != 'A' {
			if q.Before, err = readTest(repo, base, before); err != nil {
				return nil, err
			}
		}
		if c.Status != 'D' {
			if q.After, err = readTest(repo, tree, c.Path); err != nil {
				return nil, err
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// readTest returns a file's text if it could hold tests, and nothing otherwise, because other files
// are not examined.
func readTest(repo git.Repo, tree, path string) ([]byte, error) {
	if !testintegrity.Reads(path) {
		return []byte{}, nil
	}
	text, err := repo.Trees().Content(tree, path, maxTestFile)
	if errors.Is(err, git.ErrNotFile) { // a repository inside this one
		return []byte{}, nil
	}
	return text, err
}

func isUnder(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
