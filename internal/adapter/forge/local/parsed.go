package local

import (
	"slices"
	"sync"

	"warp/internal/engine/forge"
)

// readIssues caches parsed issues. A drive reads all of them several times per chunk; each file is
// read every time, but parsed only if its text has changed (without that, late chunks took longer).
type readIssues struct {
	mu    sync.Mutex
	known map[int]readText
	size  int
}

type readText struct {
	text  string
	issue forge.Issue
}

const mostRead = 4 << 20 // bytes of all cached texts

// find returns the cached issue of a file with the same text.
func (r *readIssues) find(number int, text string) (forge.Issue, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.known[number]
	if !ok || was.text != text {
		return forge.Issue{}, false
	}
	return copyIssue(was.issue), true
}

func (r *readIssues) keep(text string, i forge.Issue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || r.size > mostRead {
		r.known, r.size = map[int]readText{}, 0
	}
	r.known[i.Number] = readText{text, copyIssue(i)}
	r.size += len(text)
}

// copyIssue returns a copy whose lists the caller may change.
func copyIssue(i forge.Issue) forge.Issue {
	i.Labels, i.Assignees, i.Comments = slices.Clone(i.Labels), slices.Clone(i.Assignees), slices.Clone(i.Comments)
	return i
}
