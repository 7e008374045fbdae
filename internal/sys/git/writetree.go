package git

import (
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/durable"
)

const (
	// mostIndexed is the largest number of files whose trees are built here. For larger work trees
	// git caches the trees in the index.
	mostIndexed = 2000
	// mostWritten is how many new trees are written here: if more are missing, they are mostly in a
	// pack.
	mostWritten = 8
)

// A treeWriter builds the trees of an index without a process.
type treeWriter struct {
	root    Root
	trees   [][]byte
	missing int // how many of them are not loose objects yet
}

// WriteTree is «git write-tree» for a stage, if it can be quick. Afterwards all trees exist,
// including earlier ones that an agent has deleted since.
func (o Root) WriteTree(s Stage) (tree string, ok bool) {
	text, err := durable.ReadPlain(filepath.Join(s.Dir, "index"))
	if err != nil {
		return "", false
	}
	w := treeWriter{root: o}
	if tree, ok = w.nameIndex(text); !ok || w.missing > mostWritten {
		return "", false
	}
	for _, text := range w.trees { // rewriting an existing one makes it look new, so it is not collected
		// Put would start git for each where this process cannot write objects.
		if _, err := o.objects().Write(filepath.Join(o.Common(), "objects"), "tree", text, len(o.Zero)); err != nil {
			return "", false
		}
	}
	return tree, true
}

// nameIndex returns the hash of an index's tree. ok is false if git would refuse the index or warn
// about it: an agent can write one.
func (w *treeWriter) nameIndex(text []byte) (tree string, ok bool) {
	if w.root.objects() == nil {
		return "", false
	}
	var list []node
	whole := true
	ok = eachEntry(text, len(w.root.Zero)/2, func(e IndexEntry, has stored) {
		whole = whole && has.whole && len(list) < mostIndexed && inTree(e.Path) && strings.Trim(string(has.hash), "\x00") != ""
		if whole {
			list = append(list, node{fmt.Sprintf("%06o", has.mode), e.Path, fmt.Sprintf("%x", has.hash)})
		}
	})
	if !ok || !whole {
		return "", false
	}
	return w.name(list, 0)
}

// name returns the hash of the tree of files that share the first bytes of their paths, a folder.
func (w *treeWriter) name(files []node, shared int) (tree string, ok bool) {
	var list []node
	seen := map[string]bool{}
	for len(files) > 0 {
		first := files[0]
		part, _, isFolder := strings.Cut(first.name[shared:], "/")
		if seen[part] || !isPlain(part) {
			return "", false // both a file and a folder, or git's own folder
		}
		seen[part] = true
		if !isFolder {
			first.name = part
			list, files = append(list, first), files[1:]
			continue
		}
		below := shared + len(part) + 1
		n := 1
		for n < len(files) && strings.HasPrefix(files[n].name, first.name[:below]) {
			n++
		}
		hash, ok := w.name(files[:n], below)
		if !ok {
			return "", false
		}
		list, files = append(list, node{"040000", part, hash}), files[n:]
	}
	text, err := encodeTree(list, len(w.root.Zero))
	if err != nil {
		return "", false
	}
	tree = w.root.objects().Name("tree", text, len(w.root.Zero))
	w.trees = append(w.trees, text)
	if !isLoose(filepath.Join(w.root.Common(), "objects"), tree) {
		w.missing++
	}
	return tree, true
}
