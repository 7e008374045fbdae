package turnstile

import (
	"errors"

	"warp/internal/sys/git"
)

// WorkTree is the content of the project's work tree, as git would store it.
type WorkTree struct {
	project *Project
	assumed string   // its fingerprint while an engine vouches for it
	last    compared // the last comparison: gates ask for the same one repeatedly
	private func() []string
}

// Exclude sets the paths, relative to the project's folder, to leave out of the fingerprint: a
// person's private files, whether or not git ignores them.
func (w *WorkTree) Exclude(private func() []string) { w.private = private }

// compared is the difference between two trees, which never changes.
type compared struct {
	from, to string
	list     []git.Change
}

// Fingerprint returns the hash of the work tree without the state folder, "" without a repository.
func (w *WorkTree) Fingerprint() (string, error) {
	if w.assumed != "" {
		return w.assumed, nil
	}
	root, err := w.project.Repository()
	if errors.Is(err, git.ErrNotRepo) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return w.snapshot(root)
}

// snapshot returns the tree of the work tree without the state folder. It takes unreadable files as
// git last saw them: they are the user's, not the chunk's.
func (w *WorkTree) snapshot(root git.Root) (string, error) {
	out := []string{stateFolder}
	if w.private != nil {
		out = w.private()
	}
	tree, err := root.Snapshot(out...)
	var unreadable *git.Unreadable
	if errors.As(err, &unreadable) {
		return tree, nil
	}
	return tree, err
}

// AssumeUnchanged sets the fingerprint to use until AssumeChanged is called: the caller vouches
// that nothing changes the work tree, so it need not be read repeatedly.
func (w *WorkTree) AssumeUnchanged(tree string) { w.assumed = tree }

// AssumeChanged ends AssumeUnchanged.
func (w *WorkTree) AssumeChanged() { w.assumed = "" }

// CompareTrees returns the differences between two trees of the repository.
func (w *WorkTree) CompareTrees(from, to string) ([]git.Change, error) {
	if w.last.from == from && w.last.to == to && from != "" {
		return w.last.list, nil
	}
	repo, err := w.project.openRepo()
	if err != nil {
		return nil, err
	}
	list, err := repo.Trees().Changes(from, to)
	if err == nil {
		w.last = compared{from, to, list}
	}
	return list, err
}
