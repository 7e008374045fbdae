package turnstile

import (
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/gitignore"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// HideState makes git ignore the state in a folder through info/exclude, if warp init did not write
// a .gitignore: git add -A once staged 69 of our files in a project that was never set up. If the
// repository is read-only the files just stay visible.
func HideState(dir string) {
	root := filepath.Dir(dir)
	place, ok := git.Locate(root)
	if !ok {
		return
	}
	for _, top := range []string{root, place.Top, filepath.Dir(place.Common())} {
		if text, err := os.ReadFile(filepath.Join(top, ".gitignore")); err == nil && gitignore.Has(string(text)) {
			return
		}
	}
	_ = editExclude(place, gitignore.Everywhere())
}

// ShowState removes the lines from info/exclude again, once .gitignore has them or the state is
// gone.
func ShowState(root string) error {
	place, ok := git.Locate(root)
	if !ok {
		return nil
	}
	return editExclude(place, nil)
}

func editExclude(place git.Place, lines []string) error {
	file, mode := filepath.Join(place.Common(), "info", "exclude"), fs.FileMode(0o644)
	if at, err := filepath.EvalSymlinks(file); err == nil { // dotfile managers make it a link
		file = at
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	out, err := gitignore.Put(file, string(text), lines)
	switch {
	case err != nil || out == string(text):
		return err
	case out == "":
		return durable.RemoveFile(file)
	}
	return durable.WriteFile(file, []byte(out), mode)
}
