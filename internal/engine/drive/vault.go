package drive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	policy    map[string][]byte
	touched   []string // files of people that were changed; as they were, they are kept
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
var hidden = []string{".claude/state/runs", ".claude/worktrees", ".claude/projects"}

func (e *Engine) lockUp(ctx context.Context, place git.Place, readOnly bool) (*vault, error) {
	v := &vault{root: e.Drive.Root(), store: e.Drive.Store(), dir: filepath.Join(place.GitDir(), "warp", "vault"), policy: map[string][]byte{}}
	if err := os.RemoveAll(v.dir); err != nil {
		return nil, err
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
	e.kept = ignored
	return v, v.addAll(ignored)
}

func (v *vault) addAll(list []string) error {
	for _, p := range list {
		if err := v.add(p); err != nil {
			return err
		}
	}
	return nil
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
	if len(v.files) >= mostFiles {
		return nil
	}
	from, to := filepath.Join(v.root, filepath.FromSlash(rel)), filepath.Join(v.dir, filepath.FromSlash(rel))
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if info.Size() > smallFile && (info.Size() > smallJournal || !journal(rel)) && os.Link(from, to) == nil {
		v.files = append(v.files, rel)
		return nil
	}
	if info.Size() > smallFile && !journal(rel) {
		return nil // another file system, and too large to be copied each time
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

// rejoin puts the rows of a journal that was deleted before those that were
// written since, and tells whether it had to.
func (v *vault) rejoin(rel string) (bool, error) {
	kept, err := os.Stat(filepath.Join(v.dir, filepath.FromSlash(rel)))
	if err != nil {
		return false, err
	}
	now, err := os.Stat(filepath.Join(v.root, filepath.FromSlash(rel)))
	if err != nil || os.SameFile(kept, now) {
		return false, err
	}
	old, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(rel)))
	if err != nil {
		return false, err
	}
	if now, err := os.ReadFile(filepath.Join(v.root, filepath.FromSlash(rel))); err == nil && bytes.HasPrefix(now, old) {
		return false, nil
	}
	joined := false
	err = v.store.EditFile(rel, func(since []byte) ([]byte, error) {
		if bytes.HasPrefix(since, old) {
			return since, nil // a copy of it
		}
		joined = true
		return append(old, since...), nil
	})
	return joined, err
}

// putBack restores what is gone, and policy that was changed. Nothing that is
// there is overwritten otherwise.
func (v *vault) putBack() (gone, changed []string, err error) {
	for _, rel := range v.files {
		to := filepath.Join(v.root, filepath.FromSlash(rel))
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			if journal(rel) {
				again, err := v.rejoin(rel)
				if err != nil {
					return gone, changed, err
				}
				if again {
					gone = append(gone, rel)
				}
			}
			if err := v.keepOld(rel); err != nil {
				return gone, changed, err
			}
			if tracked(rel) {
				again, err := v.asItWas(rel)
				if err != nil {
					return gone, changed, err
				}
				if again {
					changed = append(changed, rel)
				}
			}
			continue
		}
		if strings.HasPrefix(rel, ".claude/state/session/") || strings.HasPrefix(rel, ".claude/state/agents/") || strings.HasSuffix(rel, "owner.json") {
			continue // those come and go with the sessions they tell of
		}
		from := filepath.Join(v.dir, filepath.FromSlash(rel))
		info, err := os.Lstat(from)
		if err != nil {
			return gone, changed, err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return gone, changed, err
		}
		if os.Link(from, to) != nil {
			if err := copyFile(from, to, info.Mode().Perm()); err != nil {
				return gone, changed, err
			}
		}
		gone = append(gone, rel)
	}
	for _, p := range policyFiles {
		now, err := os.ReadFile(filepath.Join(v.root, p))
		was, had := v.policy[p]
		switch {
		case err == nil && had && bytes.Equal(now, was), errors.Is(err, fs.ErrNotExist) && !had:
			continue
		case !had:
			err = os.Remove(filepath.Join(v.root, p))
		default:
			err = os.WriteFile(filepath.Join(v.root, p), was, 0o600)
		}
		if err != nil {
			return gone, changed, err
		}
		changed = append(changed, p)
	}
	return gone, changed, nil
}

// tracked tells the files of the local tracker: an agent that could write them
// could approve its own work.
func tracked(rel string) bool {
	return (strings.HasPrefix(rel, ".claude/issues/") || strings.HasPrefix(rel, ".claude/pulls/")) && path.Ext(rel) == ".md"
}

// asItWas puts a file back that was changed, and keeps what it had become.
func (v *vault) asItWas(rel string) (bool, error) {
	was, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(rel)))
	if err != nil {
		return false, err
	}
	now, err := os.ReadFile(filepath.Join(v.root, filepath.FromSlash(rel)))
	if err != nil || bytes.Equal(was, now) {
		return false, err
	}
	if err := v.replaced(rel, now); err != nil {
		return false, err
	}
	return true, v.store.EditFile(rel, func([]byte) ([]byte, error) { return was, nil })
}

// replaced keeps a text that was not left where it was.
func (v *vault) replaced(rel string, text []byte) error {
	to := filepath.Join(filepath.Dir(v.dir), "replaced", filepath.FromSlash(rel)+fmt.Sprintf("-%.9x", sha256.Sum256(text)))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// keepOld keeps a file that git does not have and nobody can make again as it
// was, where it was changed meanwhile: by the agent or the user, who can tell.
func (v *vault) keepOld(rel string) error {
	base := path.Base(rel)
	if !strings.HasPrefix(base, ".env") && !slices.Contains([]string{".env", ".pem", ".key", ".p12"}, path.Ext(base)) {
		return nil
	}
	from := filepath.Join(v.dir, filepath.FromSlash(rel))
	was, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(filepath.Join(v.root, filepath.FromSlash(rel)))
	if err == nil && bytes.Equal(was, now) {
		return nil
	}
	v.touched = append(v.touched, rel)
	return v.replaced(rel, was)
}
