package drive

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// gitGuard is what of git's own folder is not an agent's to change: its settings,
// its hooks, what it ignores, and the references of others.
type gitGuard struct {
	common, own string
	files       map[string]gitFile // from the common folder
	refs        map[string]string
	stash       []byte // the log of refs/stash, which is all that lists stashes
	under       map[string]bool
}

// Names in git's folder that say that something is under way, and what git
// writes beside them; and the locks that a killed git leaves behind.
var (
	underWay = []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE", "BISECT_START", "BISECT_LOG"}
	locks    = []string{"index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"}
)

const stashLog = "logs/refs/stash"

func (e *Engine) guardGit(ctx context.Context, place git.Place) (gitGuard, error) {
	g := gitGuard{common: place.Common(), own: place.GitDir(), under: map[string]bool{}}
	for _, name := range append(underWay, locks...) {
		_, err := os.Lstat(filepath.Join(g.own, name))
		g.under[name] = err == nil
	}
	g.files = g.read()
	g.stash, _ = os.ReadFile(filepath.Join(g.common, stashLog)) // mostly there is none
	var err error
	g.refs, err = e.allRefs(ctx)
	return g, err
}

// allRefs are the references of people: branches, tags and the stash. They are
// read as files, since that is done around every run of an agent.
func (e *Engine) allRefs(ctx context.Context) (map[string]string, error) {
	refs := map[string]string{}
	place, _ := e.place()
	if _, err := os.Lstat(filepath.Join(place.Common(), "reftable")); err == nil {
		a, err := e.repo().Run(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)"}})
		if err == nil && a.Exit != 0 {
			err = errors.New(a.Stderr)
		}
		addRefs(refs, a.Stdout)
		return refs, err
	}
	packed, err := os.ReadFile(filepath.Join(place.Common(), "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	addRefs(refs, packed)
	for _, part := range []string{"heads", "tags", "stash"} {
		err := filepath.WalkDir(filepath.Join(place.Common(), "refs", part), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && (d.IsDir() || strings.HasSuffix(path, ".lock")) {
				return nil
			}
			if err != nil {
				return err
			}
			name, err := filepath.Rel(place.Common(), path)
			if hash, readErr := os.ReadFile(path); readErr == nil {
				addRefs(refs, append(bytes.TrimSpace(hash), " "+filepath.ToSlash(name)...))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// addRefs adds lines of a hash and a name each; only the names of people count.
func addRefs(refs map[string]string, lines []byte) {
	for line := range strings.Lines(string(lines)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if git.IsHash(hash) && (name == "refs/stash" || strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/")) {
			refs[name] = hash
		}
	}
}

// settle puts git's own files back, ends what the agent left under way, and
// removes the locks of what was killed. Git works again then.
func (g *guard) settle(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(g.git.common, "HEAD")); err != nil {
		return nil // there is no repository any more, which is told elsewhere
	}
	var put []string
	now := g.git.read()
	for name, is := range now {
		if was, had := g.git.files[name]; had && g.unchanged(name, is, was) {
			continue
		}
		put = append(put, name)
		if err := is.write(filepath.Join(g.git.own, "warp", "replaced", name)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(g.git.common, name)); err != nil {
			return err
		}
	}
	for name, was := range g.git.files {
		if !slices.Contains(put, name) {
			if _, there := now[name]; there {
				continue
			}
			put = append(put, name)
		}
		if err := was.write(filepath.Join(g.git.common, name)); err != nil {
			return err
		}
	}
	if len(put) > 0 {
		g.e.intervene(g.s, "settings", "", "git's own settings or hooks were changed while the agent ran; they were put back, and what they had become is in warp/replaced of git's folder: %s", text.Quote(put, 5))
	}
	return errors.Join(g.quit(), g.unlock(ctx))
}

// quit ends a rebase or a merge that the agent began; no file is touched.
func (g *guard) quit() error {
	var left []string
	for _, name := range underWay {
		path := filepath.Join(g.git.own, name)
		if _, err := os.Lstat(path); err != nil || g.git.under[name] {
			continue
		}
		left = append(left, name)
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		g.e.intervene(g.s, "commit", "", "the agent left something under way in git; it was ended: %s", text.Quote(left, 5))
	}
	return nil
}

// unlock removes locks that nobody holds any more: the agent's processes are
// gone, and another's git holds one for a moment only.
func (g *guard) unlock(ctx context.Context) error {
	for _, name := range locks {
		path := filepath.Join(g.git.own, name)
		for range 10 {
			if _, err := os.Lstat(path); err != nil {
				break
			}
			if err := pause(ctx, lookAgain); err != nil {
				return err
			}
		}
		if _, err := os.Lstat(path); err != nil || g.git.under[name] {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		g.e.intervene(g.s, "commit", "", "the agent left git locked; it is unlocked: %s", name)
	}
	return nil
}

// others puts back references of people that the agent deleted, and keeps what
// those had that it moved. What is merged is not lost.
func (g *guard) others(ctx context.Context) error {
	now, err := g.e.allRefs(ctx)
	if err != nil {
		return err
	}
	for name, was := range g.git.refs {
		branch, _ := strings.CutPrefix(name, "refs/heads/")
		_, ours := g.tips[branch]
		is, there := now[name]
		if is == was || ours && branch != name {
			continue
		}
		if there {
			if ahead, err := g.e.repo().Descends(is, was); err == nil && ahead {
				continue
			}
			g.e.intervene(g.s, "commit", g.e.salvage(ctx, g.s, "moved", was), "%s was moved from %s to %s while the agent ran", name, text.Hash(was), text.Hash(is))
			continue
		}
		if in, err := g.e.repo().Descends(g.tips[g.s.MergeTarget], was); err == nil && in && branch != name {
			continue
		}
		a, err := g.e.repo().Run(ctx, git.Call{Args: []string{"update-ref", "--create-reflog", "-m", "warp put it back", name, was}})
		if err == nil && a.Exit != 0 {
			err = errors.New(a.Stderr)
		}
		if err == nil && name == "refs/stash" && len(g.git.stash) > 0 {
			err = os.WriteFile(filepath.Join(g.git.common, stashLog), g.git.stash, 0o644)
		}
		if err != nil {
			return err
		}
		g.e.intervene(g.s, "destroyed", "", "%s was deleted while the agent ran; it was put back", name)
	}
	return nil
}
