package guard

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"warp/internal/durable"
)

// owner are the owner's permissions that a person needs to use a file.
const owner fs.FileMode = 0o600

// restoreRights restores the owner's permissions of a person's own files: an unreadable file is as
// good as gone. Other permissions may be an agent's work.
func restoreRights(r *Run) error {
	var back []string
	var errs []error
	for rel, was := range r.g.files.stamps {
		now, err := os.Lstat(r.g.files.live(rel))
		if err != nil || was.size < 0 || !now.Mode().IsRegular() || !was.mode.IsRegular() {
			continue
		}
		if taken := was.mode.Perm() & owner &^ now.Mode().Perm(); taken == 0 {
			continue
		}
		if err := os.Chmod(r.g.files.live(rel), was.mode.Perm()); err != nil {
			errs = append(errs, err)
			continue
		}
		back = append(back, rel)
	}
	slices.Sort(back)
	r.reportPaths(Destroyed, "", "the agent removed permissions of files that are not its own; they were restored", back)
	return errors.Join(errs...)
}

// gitReads are files of a work tree that git itself opens, and would hang on if one were a pipe.
var gitReads = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// removePipes removes what would make git hang: pipes, sockets and devices in place of files that
// it opens. The original is then restored like any file.
func removePipes(r *Run) error {
	var gone []string
	var errs []error
	for _, name := range gitReads {
		file := r.g.files.live(name)
		info, err := os.Lstat(file)
		if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
			continue
		}
		if err := durable.RemoveFile(file); err != nil {
			errs = append(errs, err)
			continue
		}
		gone = append(gone, name)
	}
	r.reportPaths(Destroyed, "", "the agent put a pipe or a device in place of files that git reads; it was removed", gone)
	return errors.Join(errs...)
}
