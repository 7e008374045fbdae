package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Graft returns a tree with the given paths taken from other, or removed if other lacks them.
func (t Trees) Graft(ctx context.Context, tree, other string, paths []string) (string, error) {
	root, err := t.repo.Root()
	if err != nil {
		return "", err
	}
	if !IsHash(tree) || !IsHash(other) {
		return root.graft(ctx, tree, other, paths)
	}
	return root.MakeOnce(tree+" "+other+"\n"+strings.Join(paths, "\x00"), func() (string, error) { return root.graft(ctx, tree, other, paths) })
}

// NewFile is a file that a tree gets.
type NewFile struct {
	Path, Content string
	Run           bool // executable
}

// Add returns a tree with further files, byte for byte. It writes their objects.
func (t Trees) Add(ctx context.Context, tree string, files []NewFile) (string, error) {
	root, err := t.repo.Root()
	if err != nil {
		return "", err
	}
	stage, err := root.Blank()
	if err != nil {
		return "", err
	}
	defer stage.Remove()
	at := Repo{Dir: root.Top}
	var lines bytes.Buffer
	for _, f := range files {
		hash, err := root.Put(ctx, "blob", []byte(f.Content))
		if err != nil {
			return "", err
		}
		mode := "100644"
		if f.Run {
			mode = "100755"
		}
		fmt.Fprintf(&lines, "%s %s\t%s\x00", mode, hash, f.Path)
	}
	var out []byte
	for _, c := range []Call{{Args: []string{"read-tree", tree}}, {Args: []string{"update-index", "-z", "--add", "--index-info"}, Stdin: lines.Bytes()}, {Args: []string{"write-tree", "--missing-ok"}}} {
		c.Env = stage.Env
		if out, err = at.Must(ctx, c); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(string(out)), nil
}

func (o Root) graft(ctx context.Context, tree, other string, paths []string) (string, error) {
	if made, ok := (treeReader{o}).graftAll(ctx, tree, other, paths); ok {
		return made, nil
	}
	stage, err := o.Blank()
	if err != nil {
		return "", err
	}
	defer stage.Remove()
	at := Repo{Dir: o.Top}
	calls := []Call{{Args: []string{"read-tree", tree}}}
	if len(paths) > 0 { // with no paths, ls-tree would list everything
		taken, err := at.Must(ctx, Call{Args: append([]string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", other, "--"}, paths...)})
		if err != nil {
			return "", err
		}
		var lines bytes.Buffer
		for _, p := range paths {
			fmt.Fprintf(&lines, "0 %s\t%s\x00", o.Zero, p)
		}
		lines.Write(taken)
		calls = append(calls, Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: lines.Bytes()})
	}
	var out []byte
	for _, c := range append(calls, Call{Args: []string{"write-tree", "--missing-ok"}}) {
		c.Env = stage.Env
		if out, err = at.Must(ctx, c); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(string(out)), nil
}

// graftAll is Graft without a process. ok is false if a tree is not a loose object, or if git would
// do more than replace one entry by another.
func (o treeReader) graftAll(ctx context.Context, tree, other string, paths []string) (made string, ok bool) {
	if made, ok = o.treeOf(tree); !ok || len(paths) > mostGrafted || !o.isPlainTree(made) {
		return "", false
	}
	if other, ok = o.treeOf(other); !ok {
		return "", false
	}
	for _, p := range paths {
		if !inTree(p) {
			return "", false
		}
		if made, ok = o.graftOne(ctx, made, other, strings.Split(p, "/")); !ok {
			return "", false
		}
	}
	if made == "" {
		empty, err := o.putNodes(ctx, nil)
		return empty, err == nil
	}
	return made, true
}

// mostGrafted bounds the paths, because each one rewrites all trees above it.
const mostGrafted = 8

// graftOne returns a tree with the entry at a path taken from other, or removed if other lacks it.
// "" stands for a missing tree.
func (o treeReader) graftOne(ctx context.Context, tree, other string, parts []string) (made string, ok bool) {
	var sides [2][]node
	var found [2]node
	for i, name := range []string{tree, other} {
		if sides[i], ok = o.tree(name); !ok && name != "" {
			return "", false
		}
		if at := slices.IndexFunc(sides[i], func(n node) bool { return n.name == parts[0] }); at >= 0 {
			found[i] = sides[i][at]
		}
	}
	was, now := found[0], found[1]
	isLast := len(parts) == 1
	switch {
	case was != (node{}) && was.isTree() == isLast:
		return "", false // git keeps the files of a folder, and replaces a file by a folder
	case !isPlain(parts[0]) || isLast && now != (node{}) && !isPlainNode(now.name, now):
		return "", false
	case !isLast:
		below := ""
		if now.isTree() {
			below = now.hash
		}
		now = node{mode: "040000", name: parts[0]}
		if now.hash, ok = o.graftOne(ctx, was.hash, below, parts[1:]); !ok {
			return "", false
		}
		if now.hash == "" {
			now = node{}
		}
	case now.isTree() && !o.isPlainTree(now.hash):
		return "", false
	}
	list := slices.DeleteFunc(sides[0], func(n node) bool { return n.name == parts[0] })
	if now != (node{}) {
		list = append(list, now)
	}
	if len(list) == 0 {
		return "", true
	}
	made, err := o.putNodes(ctx, list)
	return made, err == nil
}

// PutTree writes the tree of one folder. The objects it names need not exist.
func (o Root) PutTree(ctx context.Context, entries []TreeEntry) (string, error) {
	var list []node
	for _, e := range entries {
		list = append(list, node{e.Mode, e.Path, e.Hash})
	}
	return o.putNodes(ctx, list)
}

func (o Root) putNodes(ctx context.Context, list []node) (string, error) {
	text, err := encodeTree(list, len(o.Zero))
	if err != nil {
		return "", err
	}
	return o.Put(ctx, "tree", text)
}

// encodeTree encodes a tree in git's format.
func encodeTree(list []node, length int) ([]byte, error) {
	slices.SortFunc(list, func(a, b node) int { return strings.Compare(a.key(), b.key()) })
	var text bytes.Buffer
	for _, n := range list {
		hash, err := hex.DecodeString(n.hash)
		if err != nil || len(n.hash) != length {
			return nil, fmt.Errorf("%q is not a full hash", n.hash)
		}
		fmt.Fprintf(&text, "%s %s\x00%s", strings.TrimLeft(n.mode, "0"), n.name, hash)
	}
	return text.Bytes(), nil
}

// filesBelow is Trees.Files without a process; "" means everything.
func (o treeReader) filesBelow(tree, below string) (list []string, ok bool) {
	left := mostCompared
	add := func(name string, _, _ node) { list = append(list, name) }
	if below == "" {
		tree, ok = o.treeOf(tree)
		return list, ok && o.diff("", "", tree, &left, add)
	}
	entries, ok := o.folder(tree, path.Dir(below))
	i := slices.IndexFunc(entries, func(e TreeEntry) bool { return e.Path == below })
	switch {
	case !ok || !inTree(below) || i < 0:
		return nil, ok && inTree(below)
	case entries[i].Kind != "tree":
		return []string{below}, true
	}
	return list, o.diff(below+"/", "", entries[i].Hash, &left, add)
}

// isPlainTree reports whether all names in a tree are plain.
func (o treeReader) isPlainTree(tree string) bool {
	left, plain := mostCompared, true
	ok := o.diff("", "", tree, &left, func(name string, _, n node) { plain = plain && isPlainNode(name, n) })
	return ok && plain
}

// isPlainNode reports whether git accepts a file at a path. It accepts no link in place of its own
// files, such as .gitmodules.
func isPlainNode(name string, n node) bool {
	isLink := n.mode == "120000"
	return !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return !isPlain(part) || isLink && strings.HasPrefix(strings.ToLower(part), ".git")
	})
}

// IsPlainPath reports whether git accepts a path on every system, and programs take it for no option.
func IsPlainPath(name string) bool {
	return !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return !isPlain(part) || strings.HasPrefix(part, "-") })
}

// isPlain reports whether git accepts a name on every system. It refuses names that could be read
// as .git.
func isPlain(name string) bool {
	return strings.Trim(name, ".") != "" && !strings.EqualFold(strings.TrimRight(name, ". "), ".git") &&
		!strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`~\:`, c) })
}
