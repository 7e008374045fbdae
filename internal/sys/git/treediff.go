package git

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// node is an entry of a tree.
type node struct{ mode, name, hash string }

func (n node) isTree() bool { return kinds.Get(n.mode) == "tree" }

// key is the sort key in a tree: a folder sorts with its files.
func (n node) key() string {
	if n.isTree() {
		return n.name + "/"
	}
	return n.name
}

// kinds maps git's modes of tree entries to kinds of objects.
var kinds = lazy.Table[string, string]{{"040000", "tree"}, {"100644", "blob"}, {"100755", "blob"}, {"120000", "blob"}, {"160000", "commit"}}

// A treeReader reads trees that are loose objects, without a process.
type treeReader struct{ Root }

// tree reads a tree, or that of a commit. ok is false for one that git would not write.
func (o treeReader) tree(name string) (list []node, ok bool) {
	if name, ok = o.treeOf(name); !ok {
		return nil, false
	}
	if name == emptyTrees.Get(o.Zero) {
		return nil, true
	}
	x, ok := o.object(name)
	if !ok || x.kind != "tree" {
		return nil, false
	}
	seen, last := map[string]bool{}, ""
	for size := len(o.Zero) / 2; len(x.text) > 0; {
		head, rest, _ := bytes.Cut(x.text, []byte{0}) // MODE NAME, a zero, the hash
		mode, name, _ := strings.Cut(string(head), " ")
		n := node{mode: strings.Repeat("0", max(0, 6-len(mode))) + mode, name: name}
		if len(rest) < size || name == "" || strings.Contains(name, "/") || kinds.Get(n.mode) == "" || seen[name] || n.key() <= last {
			return nil, false
		}
		n.hash = hex.EncodeToString(rest[:size])
		if n.isTree() && n.hash == emptyTrees.Get(o.Zero) {
			return nil, false
		}
		seen[name], last = true, n.key()
		list, x.text = append(list, n), rest[size:]
	}
	return list, true
}

// treeOf returns the tree of a commit, or a tree itself.
func (o treeReader) treeOf(name string) (string, bool) {
	if name == emptyTrees.Get(o.Zero) {
		return name, name != ""
	}
	x, ok := o.object(name)
	switch {
	case ok && x.kind == "tree":
		return name, true
	case ok && x.kind == "commit":
		c, ok := readCommit(x.text)
		return c.tree, ok
	}
	return "", false
}

// mostCompared bounds the folders and files of one comparison: small trees that contain each other
// many times over can hold endless files. Git has a time limit instead.
const mostCompared = 50_000

// differences compares two trees or commits as «git diff-tree -r» does without renames.
func (o treeReader) differences(from, to string) (list []Difference, ok bool) {
	sides := [2]string{}
	for i, name := range []string{from, to} {
		if sides[i], ok = o.treeOf(name); !ok {
			return nil, false
		}
	}
	left := mostCompared
	ok = o.diff("", sides[0], sides[1], &left, func(name string, before, after node) {
		d := Difference{Change{Status: 'M', Path: name}, [2]string{before.mode, after.mode}, [2]string{before.hash, after.hash}}
		switch {
		case before == node{}:
			d.Status, d.Modes[0], d.Hashes[0] = 'A', "000000", o.Zero
		case after == node{}:
			d.Status, d.Modes[1], d.Hashes[1] = 'D', "000000", o.Zero
		case before.mode[:2] != after.mode[:2]:
			d.Status = 'T'
		}
		list = append(list, d)
	})
	return list, ok
}

// folder lists the entries of a folder in a tree.
func (o treeReader) folder(tree, name string) (list []TreeEntry, ok bool) {
	nodes, ok := o.tree(tree)
	for _, part := range strings.Split(name, "/") {
		if !ok || name == "." {
			break
		}
		i := slices.IndexFunc(nodes, func(n node) bool { return n.name == part })
		if i < 0 {
			return nil, true
		}
		if !nodes[i].isTree() {
			return nil, false
		}
		nodes, ok = o.tree(nodes[i].hash)
	}
	for _, n := range nodes {
		list = append(list, TreeEntry{path.Join(name, n.name), n.mode, kinds.Get(n.mode), n.hash})
	}
	return list, ok
}

// diff finds the files that differ below a folder; "" stands for a missing tree. It gives up when
// left runs out.
func (o treeReader) diff(folder, from, to string, left *int, add func(path string, before, after node)) bool {
	if from == to {
		return true
	}
	var sides [2][]node
	for i, name := range []string{from, to} {
		var ok bool
		if sides[i], ok = o.tree(name); !ok && name != "" {
			return false
		}
	}
	for a, b := sides[0], sides[1]; len(a)+len(b) > 0; {
		var nodes [2]node
		if len(b) == 0 || len(a) > 0 && a[0].key() <= b[0].key() {
			nodes[0], a = a[0], a[1:]
		}
		if len(b) > 0 && (nodes[0] == node{} || nodes[0].key() == b[0].key()) {
			nodes[1], b = b[0], b[1:]
		}
		before, after := nodes[0], nodes[1]
		if before == after {
			continue
		}
		if *left--; *left < 0 {
			return false
		}
		switch name := folder + cmp.Or(before.name, after.name); {
		case !before.isTree() && !after.isTree():
			add(name, before, after)
		case !o.diff(name+"/", before.hash, after.hash, left, add):
			return false
		}
	}
	return true
}
