package turnstile

import (
	"errors"

	"warp/internal/sys/git"
)

// WorkTree is what stands in the project's work tree, as git would keep it.
type WorkTree struct {
	project *Project
	assumed string   // its fingerprint, while an engine vouches for it
	last    compared // what was compared last: gates ask the same one after the other
	private func() []string
}

// Exclude says which paths, from the project's folder, are no part of the work
// tree's fingerprint: a person's alone, whatever git ignores.
func (w *WorkTree) Exclude(private func() []string) { w.private = private }

// compared is how two trees differ, which never changes.
type compared struct {
	from, to string
	list     []git.Change
}

// Fingerprint is the tree of what is in the work tree without the state folder;
// "" where there is no repository.
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

// snapshot is the work tree without the state folder. Files that cannot be
// read are taken as git last saw them: they are the user's, not the chunk's.
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

// AssumeUnchanged vouches for the work tree: nothing of the drive changes it until
// AssumeChanged is called, so that it need not be looked at again and again.
func (w *WorkTree) AssumeUnchanged(tree string) { w.assumed = tree }

// AssumeChanged says that the work tree may have changed.
func (w *WorkTree) AssumeChanged() { w.assumed = "" }

// CompareTrees is how two trees of the repository differ.
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
