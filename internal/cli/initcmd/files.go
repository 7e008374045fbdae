package initcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/durable"
)

// look reads a file of ours, or one that bears its name. A link or a folder of
// that name, or a link on the way to it, is not warp's.
func look(root, path string) (text []byte, there bool, err error) {
	at := root
	for dir, rest := "", filepath.FromSlash(path); rest != ""; {
		dir, rest, _ = cutPath(rest)
		at = filepath.Join(at, dir)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		if want := fs.FileMode(fs.ModeDir); rest == "" && !info.Mode().IsRegular() || rest != "" && info.Mode().Type() != want {
			return nil, true, fmt.Errorf("%s is %s", at, kind(info.Mode()))
		}
	}
	text, err = durable.ReadPlain(at)
	return text, true, err
}

func cutPath(path string) (first, rest string, more bool) {
	for i := range len(path) {
		if os.IsPathSeparator(path[i]) {
			return path[:i], path[i+1:], true
		}
	}
	return path, "", false
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	}
	return "no file"
}
