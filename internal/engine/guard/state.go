package guard

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// replacedFolder is where what was not left in its place is kept.
func (g *repository) replacedFolder() string {
	return filepath.Join(g.place.GitDir(), "warp", "replaced")
}

func (g *repository) replacedFile(rel string, content []byte) string {
	h := fnv.New64a()
	h.Write(content)
	return filepath.Join(g.replacedFolder(), filepath.FromSlash(rel)+fmt.Sprintf("-%09x", h.Sum64())[:10])
}

// writeNew writes a file of a person's where others do not read it.
func writeNew(file string, content []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600))
}

// restoreState brings warp's own files back, and the engine's documents.
func (r *Run) restoreState() error {
	gone, changed, err := r.g.putBackState(r.g.own)
	if err != nil {
		return err
	}
	slices.Sort(gone)
	if len(gone) > 0 {
		r.report(Destroyed, "", "the agent deleted files that git does not have; they were put back: %s", text.Quote(gone, 5))
	}
	if len(changed) > 0 {
		r.report(Settings, "", "settings or issues were changed while the agent ran; they were put back, and the changed versions are kept in %s: %s", r.g.replacedFolder(), text.Quote(changed, 5))
	}
	for _, d := range r.Documents {
		repaired, err := d.Repair()
		if err != nil {
			return err
		}
		if repaired {
			r.report(State, "", "the engine's own state was changed or deleted while the agent ran; it was rebuilt from the journal")
		}
	}
	return nil
}

// putBackState restores what is gone of .claude, and policy that was changed.
// Nothing that is there is overwritten otherwise.
func (g *Guard) putBackState(c *copies) (gone, changed []string, err error) {
	for rel := range c.stamps {
		_, err := os.Lstat(c.live(rel))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if comesAndGoes(rel) {
				continue
			}
			if err := c.restore(rel); err != nil {
				return gone, changed, err
			}
			gone = append(gone, rel)
		case isJournal(rel):
			again, err := g.rejoin(c, rel)
			if err != nil {
				return gone, changed, err
			}
			if again {
				gone = append(gone, rel)
			}
		case isPolicy(rel) || isIssue(rel) && !c.filed: // in the main work tree another engine may file one
			again, err := g.asItWas(c, rel)
			if err != nil {
				return gone, changed, err
			}
			if again {
				changed = append(changed, rel)
			}
		}
	}
	for _, p := range policy {
		if _, had := c.stamps[p]; had {
			continue
		}
		added, err := readRegular(c.live(p))
		if err != nil {
			continue
		}
		if err := errors.Join(writeNew(g.replacedFile(p, added), added), os.Remove(c.live(p))); err != nil {
			return gone, changed, err
		}
		changed = append(changed, p)
	}
	return gone, changed, nil
}

// restore writes a copy where its file was.
func (c *copies) restore(rel string) error {
	info, err := os.Lstat(c.at(rel))
	if err != nil {
		return nil // a copy that is gone brings nothing back
	}
	for range restoreTries { // an agent that runs beside may be removing the folder
		if err = os.MkdirAll(filepath.Dir(c.live(rel)), 0o755); err == nil {
			err = copyFile(c.at(rel), c.live(rel), info.Mode())
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrExist) { // its owner has just written it again
		return nil
	}
	return err
}

const restoreTries = 30

// comesAndGoes tells files that live and die with the sessions they tell of, and
// leases, which their holders take again.
func comesAndGoes(rel string) bool {
	return strings.HasPrefix(rel, ".claude/state/session/") || strings.HasPrefix(rel, ".claude/state/agents/") || strings.HasPrefix(rel, ".claude/locks/") ||
		strings.HasSuffix(rel, "owner.json") || strings.HasSuffix(rel, ".lock")
}

// policy are the files that say what an agent may do: no agent changes them.
var policy = []string{".claude/settings.json", ".claude/settings.local.json"}

func isPolicy(rel string) bool { return slices.Contains(policy, rel) }

// isIssue tells the files of the local tracker: an agent that could write them
// could approve its own work.
func isIssue(rel string) bool {
	return (strings.HasPrefix(rel, ".claude/issues/") || strings.HasPrefix(rel, ".claude/pulls/")) && path.Ext(rel) == ".md"
}

// rejoin puts the rows of a journal that was deleted or emptied before those that
// were written since, and tells whether it had to. A journal only grows: whether it
// is still the one that was copied is told by its beginning and by the end of what
// was copied, so that this costs the same however long it is.
func (g *Guard) rejoin(c *copies, rel string) (bool, error) {
	if sameStart(c.at(rel), c.live(rel)) {
		return false, nil
	}
	old, ok := c.read(rel)
	if !ok {
		return false, nil
	}
	if _, err := readRegular(c.live(rel)); errors.Is(err, errOdd) {
		if err := os.RemoveAll(c.live(rel)); err != nil {
			return false, err
		}
	}
	joined := false
	err := g.Store.EditFile(rel, func(since []byte) ([]byte, error) {
		if bytes.HasPrefix(since, old) {
			return since, nil
		}
		joined = true
		return append(old, since...), nil
	})
	return joined, err
}

var errOdd = errors.New("it is no file")

// readRegular reads what an agent may have put something else in the place of: a
// pipe would be read for ever, a device without end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostRead {
		return nil, errOdd
	}
	return os.ReadFile(path)
}

const mostRead = 1 << 30

// sameStart tells whether a file begins with what a copy has, by two samples.
func sameStart(kept, live string) bool {
	a, err := os.Open(kept)
	if err != nil {
		return true // there is nothing to put back
	}
	defer a.Close()
	info, err := a.Stat()
	if err != nil {
		return true
	}
	if info, err := os.Lstat(live); err != nil || !info.Mode().IsRegular() {
		return false
	}
	b, err := os.Open(live)
	if err != nil {
		return false
	}
	defer b.Close()
	const sample = 4 << 10
	for _, at := range []int64{0, max(0, info.Size()-sample)} {
		x, y := make([]byte, min(sample, info.Size()-at)), make([]byte, min(sample, info.Size()-at))
		if _, err := a.ReadAt(x, at); err != nil {
			return false
		}
		if _, err := b.ReadAt(y, at); err != nil || !bytes.Equal(x, y) {
			return false
		}
	}
	return true
}

// asItWas puts a file back that was changed, and keeps what it had become.
func (g *Guard) asItWas(c *copies, rel string) (bool, error) {
	was, ok := c.read(rel)
	if !ok {
		return false, nil
	}
	now, err := readRegular(c.live(rel))
	if err == nil && bytes.Equal(was, now) {
		return false, nil
	}
	if errors.Is(err, errOdd) {
		err = os.RemoveAll(c.live(rel))
	}
	if err != nil {
		return false, err
	}
	if err := writeNew(g.replacedFile(rel, now), now); err != nil {
		return false, err
	}
	return true, g.Store.EditFile(rel, func([]byte) ([]byte, error) { return was, nil })
}

// keepSecret keeps a file that git does not have and no tool can make again as it
// was, where it was changed meanwhile: by the agent or the person, who can tell.
func (r *Run) keepSecret(rel string, was, now fs.FileInfo) error {
	base := path.Base(rel)
	secret := strings.HasPrefix(base, ".env") || slices.Contains([]string{".env", ".pem", ".key", ".p12"}, path.Ext(base))
	if !secret || now.Size() == was.Size() && now.ModTime().Equal(r.g.files.stamps[rel].mod) {
		return nil
	}
	old, ok := r.g.files.read(rel)
	if is, err := readRegular(r.g.files.live(rel)); !ok || err != nil || bytes.Equal(is, old) {
		return nil
	}
	file := r.g.replacedFile(rel, old)
	r.report(Yours, file, "%q, which git does not have, was changed while the agent ran; as it was, it is kept in %s", rel, file)
	return writeNew(file, old)
}
