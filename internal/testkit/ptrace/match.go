//go:build linux && (amd64 || arm64)

package ptrace

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// FileCall reports whether c is a call on files: on a path, a directory or a
// descriptor. Reads and writes on pipes and terminals are among them; Under
// leaves those out.
func FileCall(c Call) bool {
	_, known := shapes[c.Nr]
	return known
}

// ChangeCall reports whether c may change what is on the disk or make a change
// last. A program that is killed before each of its ChangeCalls in turn has
// been seen in every state that it can leave on the disk, short writes and
// shared mappings aside.
func ChangeCall(c Call) bool {
	s := shapes[c.Nr]
	const making = unix.O_CREAT | unix.O_TRUNC
	switch s.name {
	case "openat":
		return c.Args[2]&making != 0
	case "open":
		return c.Args[1]&making != 0
	case "openat2":
		return true // its flags are in memory; better one too many
	}
	return s.writes
}

// Named matches the calls with one of the given names.
func Named(names ...string) func(Call) bool {
	return func(c Call) bool { return slices.Contains(names, c.Name) }
}

// Under matches the file calls on dir and what is below it. The kernel knows
// descriptors by their real path, so dir is compared both as it is given and
// with symbolic links resolved.
func Under(dir string) func(Call) bool {
	roots := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != roots[0] {
		roots = append(roots, real)
	}
	return func(c Call) bool {
		for _, root := range roots {
			if within(root, c.Path) || within(root, c.To) {
				return true
			}
		}
		return false
	}
}

func within(root, path string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == '/' || root == "/")
}

// All matches the calls that every one of the given functions matches.
func All(matches ...func(Call) bool) func(Call) bool {
	return func(c Call) bool {
		for _, match := range matches {
			if !match(c) {
				return false
			}
		}
		return true
	}
}
