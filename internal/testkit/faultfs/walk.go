package faultfs

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxLinks = 40  // links followed in one name before ELOOP, as on Linux
	maxName  = 255 // bytes in one element
)

// spot is where a name leads: an entry of a folder. node is nil when the
// folder has no such entry; the root is the only spot without a folder.
type spot struct {
	folder *inode
	name   string
	node   *inode
	// above holds the folders from the root down to folder.
	above []*inode
}

// split returns the elements of a rooted name. The empty ones stay: a name
// that ends with a separator must lead to a folder.
func split(name string) ([]string, error) {
	slashed := filepath.ToSlash(name)
	switch {
	case slashed == "":
		return nil, syscall.ENOENT
	case slashed[0] != '/' || strings.ContainsRune(slashed, 0):
		return nil, syscall.EINVAL // there is no working folder to start from
	}
	return strings.Split(slashed[1:], "/"), nil
}

// walk resolves a name as running programs see the tree. Symbolic links before
// the last element are followed; in the last element only with follow.
// ".." is the parent of where a link led, not of where its name stands, so
// names are never cleaned as text.
func (f *FS) walk(name string, follow bool) (spot, error) {
	rest, err := split(name)
	if err != nil {
		return spot{}, err
	}
	path := []spot{{name: "/", node: f.root}}
	for links := 0; len(rest) > 0; {
		here := path[len(path)-1].node
		if err := here.folder(); err != nil {
			return spot{}, err
		}
		element := rest[0]
		rest = rest[1:]
		switch {
		case element == "" || element == ".":
			continue
		case element == "..":
			path = path[:max(1, len(path)-1)]
			continue
		case len(element) > maxName:
			return spot{}, syscall.ENAMETOOLONG
		}
		child := here.entries[element]
		if child == nil && slices.ContainsFunc(rest, func(e string) bool { return e != "" }) {
			return spot{}, syscall.ENOENT
		}
		if child != nil && child.isLink() && (follow || len(rest) > 0) {
			if links++; links > maxLinks {
				return spot{}, syscall.ELOOP
			}
			target := strings.Split(child.target, "/")
			if target[0] == "" {
				path = path[:1]
			}
			rest = slices.Concat(target, rest)
			continue
		}
		path = append(path, spot{folder: here, name: element, node: child})
		if child == nil {
			break
		}
	}
	return endOf(path), nil
}

// endOf returns the end of a path together with the folders above it.
func endOf(path []spot) spot {
	end := path[len(path)-1]
	for _, s := range path[:len(path)-1] {
		end.above = append(end.above, s.node)
	}
	return end
}

// find resolves a name that has to exist.
func (f *FS) find(name string, follow bool) (spot, error) {
	s, err := f.walk(name, follow)
	if err == nil && s.node == nil {
		err = syscall.ENOENT
	}
	return s, err
}
