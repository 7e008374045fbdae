package turnstile

import (
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/gitignore"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// HideState has git ignore the state in a folder, by info/exclude, where no .gitignore of
// warp init does it: git add -A once staged 69 files of ours in a project that was never
// set up. A repository that cannot be written shows the files, and loses nothing.
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

// ShowState takes the lines out of info/exclude again: .gitignore has them, or there is
// no state any more.
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
