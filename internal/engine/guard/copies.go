package guard

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/durable"
)

// Limits of what is copied. Larger files are hard-linked instead: that protects them from deletion,
// though not from being written in place.
const (
	maxCopied = 16 << 20
	mostFiles = 20_000
)

// copies keeps copies of a folder's files elsewhere. An unchanged file is not copied again.
type copies struct {
	root, dir string
	stamps    map[string]stamp
	sums      map[string]string      // of the copies' contents
	kept      map[string]file        // contents of files that others obey
	made      map[string]fs.FileInfo // copies made by this process, which may be written in place
	left      []string               // files that were too many or too large to copy
	named     bool                   // left was reported
	unknown   bool                   // what was there before is unknown
}

func newCopies(root, dir string) *copies {
	return &copies{root: root, dir: dir, stamps: map[string]stamp{}, sums: map[string]string{}, kept: map[string]file{}, made: map[string]fs.FileInfo{}}
}

func (c *copies) at(rel string) string   { return filepath.Join(c.dir, filepath.FromSlash(rel)) }
func (c *copies) live(rel string) string { return filepath.Join(c.root, filepath.FromSlash(rel)) }

// read returns a copy; false if there is no intact one.
func (c *copies) read(rel string) (file, bool) {
	if f, kept := c.kept[rel]; kept {
		return f, true
	}
	if !c.intact(rel) {
		return file{}, false
	}
	f, err := readFile(c.at(rel))
	return f, err == nil
}

// add copies one file; it ignores what is gone by now or is no file. Large files are linked unless
// whole is set.
func (c *copies) add(rel string, whole bool) error {
	info, err := os.Lstat(c.live(rel))
	if err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	now := stampOf(info, time.Now())
	to := c.at(rel)
	kept, err := os.Lstat(to)
	if err == nil && c.stamps[rel] == now {
		return nil
	}
	if len(c.stamps) >= mostFiles || info.Size() > mostRead {
		c.left = append(c.left, rel)
		return nil
	}
	if !isJournal(rel) && copied.link(c, rel, now) {
		return nil
	}
	if single := copied.withdraw(c, rel); err != nil || !single || !isOwnCopy(c.made[rel], kept) || !info.Mode().IsRegular() || info.Size() > maxCopied {
		delete(c.made, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.RemoveAll(to)); err != nil {
			return err
		}
	}
	if info.Size() > maxCopied && !whole {
		if os.Link(c.live(rel), to) != nil {
			c.left = append(c.left, rel) // another file system
			return nil
		}
		c.sums[rel] = noChecksum
	} else if c.made[rel], err = copyFile(c.live(rel), to, info.Mode(), c.made[rel] != nil); err != nil {
		delete(c.made, rel)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	} else {
		c.recordSum(rel)
	}
	if c.stamps[rel] = now; !isJournal(rel) {
		copied.add(c, rel)
	}
	return nil
}

// isOwnCopy reports whether a copy is the very file that was made, not an agent's replacement, and
// is writable.
func isOwnCopy(made, now fs.FileInfo) bool {
	return made != nil && os.SameFile(made, now) && now.Mode().IsRegular() && now.Mode().Perm()&0o200 != 0
}

// copyAppended copies what was appended to a journal since, which only grows. One that is shorter
// than its copy is left to be restored.
func (c *copies) copyAppended(rel string) error {
	live, err := os.Lstat(c.live(rel))
	if err != nil || !live.Mode().IsRegular() {
		return nil
	}
	kept, err := os.Lstat(c.at(rel))
	if err != nil || !kept.Mode().IsRegular() || c.stamps[rel] == (stamp{}) { // a link would lead elsewhere
		err := c.add(rel, true)
		c.sums[rel] = noChecksum
		return err
	}
	if live.Size() <= kept.Size() {
		return nil
	}
	in, err := durable.OpenPlain(c.live(rel))
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := in.Seek(kept.Size(), io.SeekStart); err != nil {
		return err
	}
	out, err := os.OpenFile(c.at(rel), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// keepOnly forgets copies that are no longer wanted: after a crash, an engine must not bring back
// what was removed on purpose.
func (c *copies) keepOnly(wanted func(rel string) bool) error {
	for rel := range c.stamps {
		if wanted(rel) {
			continue
		}
		copied.withdraw(c, rel)
		delete(c.stamps, rel)
		delete(c.made, rel)
		delete(c.sums, rel)
		delete(c.kept, rel)
		if err := os.RemoveAll(c.at(rel)); err != nil {
			return err
		}
	}
	return nil
}

// expendable are parts of .claude whose loss costs nothing.
var expendable = []string{".claude/state/runs", ".claude/state/gates", ".claude/state/tests", ".claude/worktrees", ".claude/projects"}

// addState copies .claude. It drops copies of what its owner has removed since the last run.
func (c *copies) addState() error {
	found := map[string]bool{}
	top := c.live(stateFolder)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		rel := stateFolder + filepath.ToSlash(path[len(top):])
		switch {
		case d.IsDir() && slices.Contains(expendable, rel):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(rel, ".tmp"):
			return nil
		}
		found[rel] = true
		if isJournal(rel) {
			return c.copyAppended(rel)
		}
		return c.add(rel, false)
	})
	if err != nil {
		return err
	}
	return c.keepOnly(func(rel string) bool { return found[rel] })
}

// isJournal reports whether a file belongs to the journal, which only grows.
func isJournal(rel string) bool {
	return strings.HasPrefix(rel, ".claude/state/events") && strings.HasSuffix(rel, ".jsonl")
}

const restoreTries = 30

// restore writes a copy back to its file's place, and reports whether it did. A missing or changed
// copy restores nothing.
func (c *copies) restore(rel string) (bool, error) {
	info, err := os.Lstat(c.at(rel))
	if f, kept := c.kept[rel]; kept {
		return true, f.write(c.live(rel))
	}
	if err != nil || !c.intact(rel) {
		return false, nil
	}
	for range restoreTries { // an agent in parallel may be removing the folder
		if err = os.MkdirAll(filepath.Dir(c.live(rel)), 0o755); err == nil {
			_, err = copyFile(c.at(rel), c.live(rel), info.Mode(), false)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrExist) { // its owner has just written it again
		return false, nil
	}
	return err == nil, err
}

func (c *copies) clear() {
	for rel := range c.stamps {
		copied.withdraw(c, rel)
	}
	_ = os.RemoveAll(c.dir)
	clear(c.stamps)
	clear(c.made)
	clear(c.sums)
	clear(c.kept)
}

// copyFile copies a file, or a link as such, to a new path or over an existing file: file systems
// are slow to create a file where another was just removed.
func copyFile(from, to string, mode fs.FileMode, over bool) (made fs.FileInfo, err error) {
	if mode&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return nil, err
		}
		return nil, os.Symlink(target, to)
	}
	in, err := durable.OpenPlain(from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	how := os.O_CREATE | os.O_EXCL
	if over {
		how = os.O_TRUNC
	}
	out, err := os.OpenFile(to, os.O_WRONLY|how, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, in)
	made, bad := out.Stat()
	return made, errors.Join(err, bad, out.Chmod(mode.Perm()), out.Close())
}
