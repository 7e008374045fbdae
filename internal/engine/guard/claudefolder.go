package guard

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/durable"
)

// restoreState restores warp's own files and the engine's documents. It overwrites nothing except
// what says what an agent may do.
func (r *Run) restoreState() (err error) {
	g, c := r.g, r.g.own
	var gone, changed, lost []string
	planted, err := removePlanted(r)
	for rel := range c.stamps {
		if was, kept := c.kept[rel]; kept {
			if now, err := readFile(c.live(rel)); err == nil && was.equal(now) {
				continue // as most issues are: a long drive has a hundred, and looked twice at each
			}
		}
		list, put, bad := &gone, false, error(nil)
		switch _, absent := os.Lstat(c.live(rel)); {
		case errors.Is(absent, fs.ErrNotExist):
			if !isTransient(rel) {
				if put, bad = c.restore(rel); !put && bad == nil && !c.intact(rel) {
					lost = append(lost, rel)
				}
			}
		case isJournal(rel):
			put, bad = g.restoreJournal(rel)
		case (isInstruction(rel) || isIssue(rel)) && notByWarp(r, rel):
			list = &changed
			if put, bad = g.restoreChanged(rel); !put && bad == nil && !c.intact(rel) {
				lost = append(lost, rel)
			}
		}
		if err = errors.Join(err, bad); put {
			*list = append(*list, rel)
		}
	}
	r.reportPaths(Destroyed, "", "the agent deleted files that git does not have; they were put back", gone)
	r.reportPaths(Settings, "", "settings, instructions or issues were changed while the agent ran; they were put back, and the changed versions are kept in "+g.repo.replacedFolder(), changed)
	r.reportPaths(Settings, g.repo.replacedFolder(), "settings, instructions or issues were added while the agent ran; they were removed, and are kept in "+g.repo.replacedFolder(), planted)
	r.reportPaths(Settings, "", "these were changed or deleted while the agent ran, and could not be put back because their copies are missing or changed; check them", lost)
	for _, d := range r.Documents {
		repaired, bad := d.Repair()
		if err = errors.Join(err, bad); repaired {
			r.report(State, "", "the engine's own state was changed or deleted while the agent ran; it was rebuilt from the journal")
		}
	}
	return err
}

// isTransient reports whether a file lives and dies with its session, is a lease, which its holder
// takes again, or is the output of a background process, which is renamed once that works.
func isTransient(rel string) bool {
	if _, pid, found := strings.Cut(rel, ".out."); found && strings.HasPrefix(rel, ".claude/state/") {
		_, err := strconv.Atoi(pid)
		return err == nil
	}
	under := func(folder string) bool { return strings.HasPrefix(rel, folder) }
	return slices.ContainsFunc([]string{".claude/state/session/", ".claude/state/agents/", ".claude/locks/"}, under) ||
		strings.HasSuffix(rel, "owner.json") || strings.HasSuffix(rel, ".lock")
}

// isIssue reports whether a file belongs to the local tracker: an agent that could write it could
// approve its own work.
func isIssue(rel string) bool {
	return (strings.HasPrefix(rel, ".claude/issues/") || strings.HasPrefix(rel, ".claude/pulls/")) && path.Ext(rel) == ".md"
}

// restoreJournal puts the rows of a deleted or emptied journal before those written since, and
// reports whether it had to. It compares only the beginning and the end of what was copied, so that
// the cost does not grow with the journal.
func (g *Guard) restoreJournal(rel string) (joined bool, err error) {
	if sameStart(g.own.at(rel), g.own.live(rel)) {
		return false, nil
	}
	old, ok := g.own.read(rel)
	if !ok {
		return false, nil
	}
	if now, err := readFile(g.own.live(rel)); now.Link || errors.Is(err, errNotFile) {
		if err := durable.RemoveFolder(g.own.live(rel)); err != nil {
			return false, err
		}
	}
	err = g.Store.EditFile(rel, func(since []byte) ([]byte, error) {
		if joined = !bytes.HasPrefix(since, old.Text); joined {
			since = append(old.Text, since...)
		}
		return since, nil
	})
	return joined, err
}

// sameStart reports whether a file begins with its copy, by two samples.
func sameStart(kept, live string) bool {
	a, err := durable.OpenPlain(kept)
	if err != nil {
		return true // nothing to restore
	}
	defer a.Close()
	copied, err := a.Stat()
	if err != nil {
		return true
	}
	if info, err := os.Lstat(live); err != nil || !info.Mode().IsRegular() {
		return false
	}
	b, err := durable.OpenPlain(live)
	if err != nil {
		return false
	}
	defer b.Close()
	const sample = 4 << 10
	for _, at := range []int64{0, max(0, copied.Size()-sample)} {
		size := min(sample, copied.Size()-at)
		x, badX := io.ReadAll(io.NewSectionReader(a, at, size))
		y, badY := io.ReadAll(io.NewSectionReader(b, at, size))
		if badX != nil || badY != nil || !bytes.Equal(x, y) {
			return false
		}
	}
	return true
}

// restoreChanged restores a changed file, keeps the changed version, and reports whether it had to.
func (g *Guard) restoreChanged(rel string) (bool, error) {
	was, ok := g.own.read(rel)
	now, err := readFile(g.own.live(rel))
	if !ok || err == nil && was.equal(now) {
		return false, nil
	}
	if err == nil {
		err = g.repo.setAside(rel, now)
	}
	if err != nil && !errors.Is(err, errNotFile) {
		return false, err
	}
	return true, was.write(g.own.live(rel))
}

// keepSecret keeps the old version of a changed file that git does not have and no tool can
// recreate: the agent or the person may have changed it.
func (r *Run) keepSecret(rel string) error {
	base := path.Base(rel)
	if !strings.HasPrefix(base, ".env") && !slices.Contains([]string{".env", ".pem", ".key", ".p12"}, path.Ext(base)) {
		return nil
	}
	old, ok := r.g.files.read(rel)
	now, err := readFile(r.g.files.live(rel))
	if !ok || err != nil || bytes.Equal(now.Text, old.Text) {
		return nil
	}
	kept := r.g.repo.replacedFile(rel, old.Text)
	r.report(Yours, kept, "%q, which is not in git, was changed while the agent ran; the old version is kept in %s", rel, kept)
	return r.g.repo.setAside(rel, old)
}
