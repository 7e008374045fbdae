package drive

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// vault holds what git does not have while an agent runs: warp's own files, and
// files that git ignores. It lies in git's folder, where cleaning the work tree
// does not reach.
type vault struct {
	root, dir string
	store     *durable.Store
	files     []string // from the root
	stamps    map[string]stamp
	policy    map[string][]byte
	touched   []string // files of people that were changed; as they were, they are kept
	left      []string // files that were too many or too large to be kept
}

// Bounds of what is copied. Larger files are linked: what is deleted is still
// there then, and what is written in place was not destroyed.
const (
	smallFile    = 256 << 10
	smallJournal = 4 << 20 // a journal that is emptied is gone, whoever has a link
	mostFiles    = 5000
)

// policy are the files that say what an agent may do: no agent changes them.
var policyFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

// ownLease is the lease of the engine itself.
const ownLease = ".claude/locks/" + lease + ".lock"

// hidden are parts of .claude that are large, and nobody's loss.
var hidden = []string{".claude/state/runs", ".claude/state/gates", ".claude/state/tests", ".claude/worktrees", ".claude/projects"}

func (e *Engine) lockUp(ctx context.Context, place git.Place, readOnly bool) (*vault, error) {
	v := &vault{root: e.Drive.Root(), store: e.Drive.Store(), dir: filepath.Join(place.GitDir(), "warp", "vault"), policy: map[string][]byte{}, stamps: e.stamps}
	if e.stamps == nil { // what is there is another engine's
		e.stamps = map[string]stamp{}
		v.stamps = e.stamps
		if err := os.RemoveAll(v.dir); err != nil {
			return nil, err
		}
	}
	for _, p := range policyFiles {
		if text, err := os.ReadFile(filepath.Join(v.root, p)); err == nil {
			v.policy[p] = text
		}
	}
	if err := v.walk(".claude"); err != nil {
		return nil, err
	}
	if readOnly && e.kept != nil { // they were looked for a moment ago
		return v, v.addAll(e.kept)
	}
	ignored, err := e.ignored(ctx)
	if err != nil {
		return nil, err
	}
	first := e.kept == nil
	e.kept = append([]string{}, ignored...)
	err = v.addAll(ignored)
	if first && len(v.left) > 0 {
		e.remark("files that git does not have, too many or too large to be kept while an agent runs, are not protected from it: %s", text.Quote(v.left, 5))
	}
	return v, err
}

// sweep removes what is in the vault and is gone since on purpose: an engine that
// finds it after a crash must not bring it back.
func (v *vault) sweep() error {
	held := make(map[string]bool, len(v.files))
	for _, rel := range v.files {
		held[rel] = true
	}
	for rel := range v.stamps {
		if !held[rel] {
			delete(v.stamps, rel)
			if err := os.RemoveAll(filepath.Join(v.dir, filepath.FromSlash(rel))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *vault) addAll(list []string) error {
	for _, p := range list {
		if err := v.add(p); err != nil {
			return err
		}
	}
	return v.sweep()
}

func (v *vault) walk(folder string) error {
	return filepath.WalkDir(filepath.Join(v.root, folder), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(v.root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && slices.Contains(hidden, rel):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(rel, ".tmp") || strings.HasSuffix(rel, ".lock") && rel != ownLease:
			return nil
		}
		return v.add(rel)
	})
}

// add keeps one file; one that is gone by now is none.
func (v *vault) add(rel string) error {
	from, to := filepath.Join(v.root, filepath.FromSlash(rel)), filepath.Join(v.dir, filepath.FromSlash(rel))
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if len(v.files) >= mostFiles {
		v.left = append(v.left, rel)
		return nil
	}
	now := stamp{info.Size(), info.ModTime()}
	if v.stamps[rel] == now && there(to) { // as it was when it was copied
		v.files = append(v.files, rel)
		return nil
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.RemoveAll(to)); err != nil {
		return err
	}
	v.stamps[rel] = now
	if info.Size() > smallFile && (info.Size() > smallJournal || !journal(rel)) && os.Link(from, to) == nil {
		v.files = append(v.files, rel)
		return nil
	}
	if info.Size() > smallFile && !journal(rel) {
		v.left = append(v.left, rel) // another file system, and too large to be copied each time
		return nil
	}
	err = copyFile(from, to, info.Mode().Perm())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		v.files = append(v.files, rel)
	}
	return err
}

// journal tells the journal's files: they only grow, so a link has all of them.
func journal(rel string) bool {
	return strings.HasPrefix(rel, ".claude/state/events") && strings.HasSuffix(rel, ".jsonl")
}

// emptyVault removes the copies when nobody runs any more.
func (e *Engine) emptyVault() {
	if place, ok := e.place(); ok {
		_ = os.RemoveAll(filepath.Join(place.GitDir(), "warp", "vault"))
	}
	e.stamps = nil
}

// stamp tells whether a file is as it was when it was copied.
type stamp struct {
	size int64
	mod  time.Time
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
