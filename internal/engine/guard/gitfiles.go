package guard

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// gitFile is a file, or where a link leads to.
type gitFile struct {
	Text []byte      `json:"text"`
	Link bool        `json:"link,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
}

// readGitFiles reads the files that say how git behaves, from the common folder.
func readGitFiles(place git.Place) map[string]gitFile {
	files := map[string]gitFile{}
	names := []string{"config", "config.worktree", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates", "shallow"}
	for _, pattern := range []string{"hooks/*", "worktrees/*/gitdir", "worktrees/*/commondir", "worktrees/*/config.worktree"} {
		found, _ := filepath.Glob(filepath.Join(place.Common(), filepath.FromSlash(pattern))) // the pattern is well-formed
		for _, f := range found {
			if name, err := filepath.Rel(place.Common(), f); err == nil && !strings.HasSuffix(name, ".sample") {
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	for _, name := range names {
		if f, ok := readGitFile(filepath.Join(place.Common(), filepath.FromSlash(name))); ok {
			files[name] = f
		}
	}
	return files
}

// readGitFile reads a file of git's, and a link without following it.
func readGitFile(path string) (f gitFile, ok bool) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		f.Mode = info.Mode().Perm()
		f.Text, err = os.ReadFile(path)
	case info.Mode()&fs.ModeSymlink != 0:
		var to string
		to, err = os.Readlink(path)
		f.Text, f.Link = []byte(to), true
	default:
		return f, false
	}
	return f, err == nil
}

func (f gitFile) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && (f.Link || !info.Mode().IsRegular()) {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if f.Link {
		return os.Symlink(string(f.Text), path)
	}
	temp := path + ".warp"
	return errors.Join(os.WriteFile(temp, f.Text, f.Mode), os.Chmod(temp, f.Mode), os.Rename(temp, path))
}

// unchanged tells whether a file is as it was; git's settings may have got
// branches of others, which git itself adds.
func unchanged(name string, is, was gitFile, owned []string) bool {
	if is.Link != was.Link || is.Mode != was.Mode {
		return false
	}
	if len(was.Text) == 0 && strings.HasPrefix(name, "worktrees/") && filepath.Base(name) != "config.worktree" {
		return true // git was writing it when it was read: a work tree was being made
	}
	more, ok := bytes.CutPrefix(is.Text, was.Text)
	return ok && (len(more) == 0 || name == "config" && bytes.HasSuffix(was.Text, []byte("\n")) && branchesOnly(string(more), string(was.Text), owned))
}

// branchesOnly tells whether settings only say what branches follow that are none
// of the engine's, in a remote that is known.
func branchesOnly(more, was string, owned []string) bool {
	in := false
	for line := range strings.Lines(more) {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, `[branch "`); is {
			name, in = strings.CutSuffix(name, `"]`)
			if !in || slices.Contains(owned, heads+name) || strings.ContainsAny(name, `"\`) {
				return false
			}
			continue
		}
		key, value, _ := strings.Cut(line, " = ")
		switch {
		case !in || strings.ContainsAny(value, `"\;#`):
			return false
		case key == "remote" && (value == "." || strings.Contains("\n"+was, "\n[remote \""+value+"\"]\n")):
		case key == "merge" && strings.HasPrefix(value, heads):
		default:
			return false
		}
	}
	return true
}

// differing lists the files that are not as they were. A work tree that was
// removed with its folder, or made, is the engine's or a person's.
func differing(place git.Place, was map[string]gitFile, owned []string) (names []string) {
	now := readGitFiles(place)
	for name, is := range now {
		if w, had := was[name]; had && unchanged(name, is, w, owned) || !had && strings.HasPrefix(name, "worktrees/") && !strange(name, is) {
			continue
		}
		names = append(names, name)
	}
	for name, w := range was {
		if _, there := now[name]; there || strings.HasPrefix(name, "worktrees/") && !stands(place, name, w, was) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// strange tells a work tree that no engine has made: theirs are under the
// project's .claude, or in git's own folder.
func strange(name string, f gitFile) bool {
	to := filepath.ToSlash(strings.TrimSpace(string(f.Text)))
	return filepath.Base(name) == "gitdir" && !strings.Contains(to, "/.claude/worktrees/") && !strings.Contains(to, "/.git/warp/")
}

// stands tells whether the folder of a work tree is still there.
func stands(place git.Place, name string, f gitFile, was map[string]gitFile) bool {
	if filepath.Base(name) != "gitdir" {
		f = was[filepath.ToSlash(filepath.Join(filepath.Dir(name), "gitdir"))]
	}
	to := strings.TrimSpace(string(f.Text))
	if to == "" {
		return false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(place.Common(), filepath.FromSlash(filepath.Dir(name)), to)
	}
	_, err := os.Lstat(to)
	return err == nil
}

// restoreGit puts git's own files back, ends what the run left under way, and
// removes the locks of what was killed. Git works again then.
func (r *Run) restoreGit(ctx context.Context) error {
	g := r.g
	g.Shared.mu.Lock()
	was := g.Shared.files
	g.Shared.mu.Unlock()
	names := differing(g.place, was, r.Refs)
	if r.Beside {
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "worktrees/") })
	}
	for _, name := range names {
		path := filepath.Join(g.place.Common(), filepath.FromSlash(name))
		if is, there := readGitFile(path); there {
			if _, had := was[name]; !had && strings.HasPrefix(name, "worktrees/") {
				path = filepath.Dir(path) // git forgets the work tree; its files stay
			}
			err := is.write(g.replacedFile(name, is.Text))
			if _, had := was[name]; err == nil && !had {
				err = os.RemoveAll(path)
			}
			if err != nil {
				return err
			}
		}
		if w, had := was[name]; had {
			if err := w.write(path); err != nil {
				return err
			}
		}
	}
	if len(names) > 0 {
		r.report(Settings, "", "git's own settings or hooks were changed while the agent ran; they were put back, and the changed versions are kept in %s: %s", g.replacedFolder(), text.Quote(names, 5))
	}
	return errors.Join(r.endUnderWay(), r.unlock(ctx))
}

// Names in git's folder that say that something is under way, and what git
// writes beside them; and the locks that a killed git leaves behind.
var (
	underWay = []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE", "BISECT_START", "BISECT_LOG"}
	locks    = []string{"index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"}
)

// lockFile is where a lock is, or what says that something is under way: some are
// of all work trees.
func (g *repository) lockFile(name string) string {
	if name == "packed-refs.lock" || name == "config.lock" || strings.HasPrefix(name, "refs/") {
		return filepath.Join(g.place.Common(), filepath.FromSlash(name))
	}
	return filepath.Join(g.place.GitDir(), name)
}

// underWayNow are the names of those that are there.
func (g *repository) underWayNow() map[string]bool {
	names := map[string]bool{}
	for _, name := range slices.Concat(underWay, locks) {
		if _, err := os.Lstat(g.lockFile(name)); err == nil {
			names[name] = true
		}
	}
	return names
}

// endUnderWay ends a rebase or a merge that the run began; no file is touched.
func (r *Run) endUnderWay() error {
	if r.Beside {
		return nil // a person may be in the middle of something there
	}
	var left []string
	for _, name := range underWay {
		path := filepath.Join(r.g.place.GitDir(), name)
		if _, err := os.Lstat(path); err != nil || r.under[name] {
			continue
		}
		left = append(left, name)
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		r.report(Commit, "", "the agent left something under way in git; it was ended: %s", text.List(left, 5))
	}
	return nil
}

// lookAgain is how long another's git may hold a lock for a moment.
const lookAgain = 20 * time.Millisecond

// unlock removes locks that no process holds any more: the run's are gone.
func (r *Run) unlock(ctx context.Context) error {
	names := slices.Clone(locks)
	for _, ref := range r.Refs {
		names = append(names, ref+".lock")
	}
	for _, name := range names {
		path := r.g.lockFile(name)
		for range 25 {
			if _, err := os.Lstat(path); err != nil {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(lookAgain):
			}
		}
		if _, err := os.Lstat(path); err != nil || r.under[name] {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		r.report(Commit, "", "the agent left git locked; it is unlocked: %s", name)
	}
	return nil
}
