package drive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

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
