package judge

import (
	"errors"
	"path"
	"strings"
	"sync"

	"warp/internal/core/project"
	"warp/internal/sys/git"
)

// listing knows which names a tree has, with one run of git per folder. Every word of a script may
// be a file name, and asking git for each took a process per word.
type listing struct {
	repo git.Repo
	tree string

	mu      sync.Mutex
	folders map[string]map[string]bool // by folder; nil if git could not tell
}

// mayHave reports whether the tree may have a name; false is certain.
func (l *listing) mayHave(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.has(path.Clean(name))
}

// matches reports whether the tree has a file for a pattern with a * in its last part.
func (l *listing) matches(pattern string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	pattern = path.Clean(pattern)
	if !l.has(path.Dir(pattern)) {
		return false
	}
	for name := range l.namesIn(path.Dir(pattern)) {
		if ok, _ := path.Match(path.Base(pattern), path.Base(name)); ok {
			return true
		}
	}
	return false
}

func (l *listing) has(name string) bool {
	if name == "." || name == "" {
		return true
	}
	folder := path.Dir(name)
	if !l.has(folder) {
		return false
	}
	names := l.namesIn(folder)
	return names == nil || names[name]
}

func (l *listing) namesIn(folder string) map[string]bool {
	names, known := l.folders[folder]
	if known {
		return names
	}
	if list, err := l.repo.Trees().Folder(l.tree, folder); err == nil {
		names = map[string]bool{}
		for _, e := range list {
			names[e.Path] = true
		}
	}
	if l.folders == nil {
		l.folders = map[string]map[string]bool{}
	}
	l.folders[folder] = names
	return names
}

// ReadTree reads the files of a tree relative to the project's folder, as detect.ReadProject does
// for a folder: the base, not the work, decides how work is tested.
func ReadTree(repo git.Repo, tree, prefix string) project.Files {
	names := &listing{repo: repo, tree: tree}
	return func(name string) ([]byte, bool) {
		if strings.Contains(name, "*") {
			return nil, names.matches(path.Join(prefix, name))
		}
		if !names.mayHave(path.Join(prefix, name)) {
			return nil, false
		}
		text, err := repo.Trees().Content(tree, path.Join(prefix, name), maxFile)
		return text, err == nil || errors.Is(err, git.ErrNotFile)
	}
}
