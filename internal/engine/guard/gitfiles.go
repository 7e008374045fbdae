package guard

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// gitFiles decide how git behaves; gitPatterns are those of which there may be several. Both are
// relative to the common folder.
var (
	gitFiles    = []string{"config", "config.worktree", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates", "shallow"}
	gitPatterns = []string{"hooks/*", "worktrees/*/gitdir", "worktrees/*/commondir", "worktrees/*/config.worktree"}
)

// readGitFiles reads git's own files, by name.
func readGitFiles(place git.Place) map[string]file {
	names := slices.Clone(gitFiles)
	for _, pattern := range gitPatterns {
		found, _ := filepath.Glob(filepath.Join(place.Common(), filepath.FromSlash(pattern))) // the pattern is well-formed
		for _, f := range found {
			if name, err := filepath.Rel(place.Common(), f); err == nil && !strings.HasSuffix(name, ".sample") {
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	files := map[string]file{}
	for _, name := range names {
		if f, err := readFile(filepath.Join(place.Common(), filepath.FromSlash(name))); err == nil {
			files[name] = f
		}
	}
	return files
}

// unchanged reports whether a file is as it was. Git's settings may have gained sections for
// others' branches, which git itself adds.
func unchanged(name string, is, was file, owned []string) bool {
	if is.Link != was.Link || is.Mode != was.Mode {
		return false
	}
	if len(was.Text) == 0 && inWorktrees(name) && filepath.Base(name) != "config.worktree" {
		return true // read while git was writing it, for a new work tree
	}
	more, ok := bytes.CutPrefix(is.Text, was.Text)
	return ok && (len(more) == 0 || name == "config" && bytes.HasSuffix(was.Text, []byte("\n")) && branchesOnly(string(more), string(was.Text), owned))
}

// branchesOnly reports whether the added settings only set upstreams of branches that are not the
// engine's, in a known remote.
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

func inWorktrees(name string) bool { return strings.HasPrefix(name, "worktrees/") }

// differing lists the files that have changed. A work tree that was removed with its folder, or
// created, is the engine's or a person's.
func differing(place git.Place, was map[string]file, owned []string) []string {
	now := readGitFiles(place)
	names := map[string]bool{}
	for name, is := range now {
		w, had := was[name]
		names[name] = had && !unchanged(name, is, w, owned) || !had && (!inWorktrees(name) || isForeignWorkTree(name, is))
	}
	for name, w := range was {
		if _, there := now[name]; !there {
			names[name] = !inWorktrees(name) || workTreeExists(place, name, w, was)
		}
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(names))
}

// isForeignWorkTree reports whether no engine made a work tree: theirs are under the project's
// .claude, or in git's own folder.
func isForeignWorkTree(name string, f file) bool {
	to := filepath.ToSlash(strings.TrimSpace(string(f.Text)))
	return filepath.Base(name) == "gitdir" && !strings.Contains(to, "/.claude/worktrees/") && !strings.Contains(to, "/.git/warp/")
}

// workTreeExists reports whether the folder of a work tree still exists.
func workTreeExists(place git.Place, name string, f file, was map[string]file) bool {
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

// restoreGit restores git's own files, ends operations that the run left unfinished, and removes
// the locks of killed processes, so that git works again.
func (r *Run) restoreGit(ctx context.Context) (err error) {
	g, before := r.g, r.g.Shared.files
	names := differing(g.repo.place, before, r.Refs)
	if r.Beside {
		names = slices.DeleteFunc(names, inWorktrees)
	}
	for _, name := range names {
		path := filepath.Join(g.repo.place.Common(), filepath.FromSlash(name))
		if is, absent := readFile(path); absent == nil {
			if bad := g.repo.setAside(name, is); bad != nil {
				err = errors.Join(err, bad)
				continue
			}
		}
		if was, had := before[name]; had {
			err = errors.Join(err, was.write(path))
			continue
		}
		if inWorktrees(name) {
			path = filepath.Dir(path) // git forgets the work tree; its files stay
		}
		err = errors.Join(err, durable.RemoveFolder(path))
	}
	r.reportPaths(Settings, "", "git's own settings or hooks were changed while the agent ran; they were put back, and the changed versions are kept in "+g.repo.replacedFolder(), names)
	return errors.Join(err, r.repairHead(), r.endUnderWay(), r.unlock(ctx))
}

// repairHead restores a missing HEAD: without one, git does not recognize the repository.
func (r *Run) repairHead() error {
	path := filepath.Join(r.g.repo.place.GitDir(), "HEAD")
	is, _ := readFile(path) // an unreadable one counts as missing
	said := strings.TrimSpace(string(is.Text))
	if git.IsHash(said) || strings.HasPrefix(strings.TrimPrefix(said, "ref: "), "refs/") {
		return nil
	}
	was := r.before.Head
	if r.before.Branch != "" {
		was = "ref: " + heads + r.before.Branch
	}
	r.report(Commit, "", "the agent broke HEAD; it was put back")
	return file{Text: []byte(was + "\n"), Mode: 0o644}.write(path)
}

// Names in git's folder that mark an unfinished operation and its files, and the locks that a
// killed git leaves behind.
var (
	underWay = []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer",
		"MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE", "BISECT_START", "BISECT_LOG"}
	locks = []string{"index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"}
)

// lockFile returns the path of a lock or of an operation's mark: some are shared by all work trees.
func (g *repository) lockFile(name string) string {
	if name == "packed-refs.lock" || name == "config.lock" || strings.HasPrefix(name, "refs/") {
		return filepath.Join(g.place.Common(), filepath.FromSlash(name))
	}
	return filepath.Join(g.place.GitDir(), name)
}

// underWayNow returns those of the names that exist.
func (g *repository) underWayNow(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(g.lockFile(name))
		return err != nil
	})
}

// endUnderWay ends a rebase or merge that the run began; it touches no file.
func (r *Run) endUnderWay() error {
	if r.Beside {
		return nil // a person may be in the middle of something there
	}
	left := r.g.repo.underWayNow(slices.Clone(underWay)...)
	left = slices.DeleteFunc(left, func(name string) bool { return slices.Contains(r.under, name) })
	for _, name := range left {
		if err := durable.RemoveFolder(r.g.repo.lockFile(name)); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(left, func(name string) bool { return name != "AUTO_MERGE" }) { // git stash pop leaves that, too
		r.report(Commit, "", "the agent left an unfinished git operation; it was ended: %s", text.List(left, 5))
	}
	return nil
}

// Another git process may hold a lock briefly: it is polled.
const (
	lookAgain = 20 * time.Millisecond
	lookTimes = 25
)

// unlock removes locks that no process holds any more: the run has ended. A contained run can lock
// only its own work tree: the other locks are a person's, who may have an editor open for a commit
// message.
func (r *Run) unlock(ctx context.Context) error {
	if r.Contained && r.Beside {
		return nil
	}
	names := slices.Clone(locks)
	for _, ref := range r.Refs {
		names = append(names, ref+".lock")
	}
	if r.Contained {
		names = []string{"index.lock", "HEAD.lock"}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(r.under, name) })
	for range lookTimes {
		if names = r.g.repo.underWayNow(names...); len(names) == 0 {
			return nil
		}
		if err := proc.Pause(ctx, lookAgain); err != nil {
			return err
		}
	}
	for _, name := range r.g.repo.underWayNow(names...) {
		if err := durable.RemoveFile(r.g.repo.lockFile(name)); err != nil {
			return err
		}
		r.report(Commit, "", "the agent left git locked; it was unlocked: %s", name)
	}
	return nil
}
