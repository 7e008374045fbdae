package gitwrite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// A Conflict is a rebase that stopped for resolution: Files are in conflict in Dir, a separate
// worktree.
type Conflict struct {
	Dir   string
	Files []string
}

// Rebase reapplies the commits that a tip has and onto lacks on top of onto. It works in a separate
// worktree, so it disturbs nothing, and moves no branch. It returns the new tip, or a Conflict that
// stays open until Resume completes it or Abandon removes it. Called again meanwhile, it returns
// the same Conflict.
func (a Apart) Rebase(ctx context.Context, tip, onto string) (newTip string, c *Conflict, err error) {
	if !git.IsHash(tip) || !git.IsHash(onto) {
		return "", nil, fmt.Errorf("rebasing %q onto %q: these must be full hashes", tip, onto)
	}
	if ok, err := a.root.Repo(a.root.Top).Descends(tip, onto); ok || err != nil {
		return tip, nil, err
	}
	if ok, err := a.root.Repo(a.root.Top).Descends(onto, tip); ok || err != nil {
		return onto, nil, err
	}
	r := rebase{a, filepath.Join(a.folder(), forRebase+text.Hash(tip)+"-"+text.Hash(onto))}
	if s, err := r.load(); err == nil && r.open() {
		return "", &Conflict{r.dir, s.paths()}, nil
	}
	if err := a.detached(ctx, r.dir, tip); err != nil {
		return "", nil, err
	}
	newTip, c, err = r.step(ctx, stop{onto: onto}, "-q", "--no-fork-point", "--no-autosquash", "--no-autostash", onto)
	if err != nil {
		err = errors.Join(err, a.Abandon(context.WithoutCancel(ctx), r.dir))
	}
	return newTip, c, err
}

// Resume takes the current files as the resolution of a Conflict and continues. The error is an
// *UnresolvedError if conflict markers or untouched files are left. Like Rebase, it returns the new
// tip or the next Conflict. An error loses nothing of the resolution, and Resume can be called
// again.
func (a Apart) Resume(ctx context.Context, dir string) (newTip string, c *Conflict, err error) {
	r, err := a.rebase(dir)
	if err != nil {
		return "", nil, err
	}
	s, err := r.load()
	if err != nil {
		return "", nil, fmt.Errorf("resuming the rebase in %s: %w; abandon it and rebase again", dir, err)
	}
	branch, err := git.At(r.gitDir()).Checked()
	if err != nil {
		return "", nil, err
	}
	if branch != "" {
		return "", nil, fmt.Errorf("the branch %s was checked out in the middle of the rebase in %s, and would be moved; abandon it and rebase again", branch, dir)
	}
	if !r.open() { // someone ran «git rebase --continue» or --abort there
		return r.finish(ctx, s)
	}
	unmerged, err := r.unmerged(ctx)
	if err != nil {
		return "", nil, err
	}
	if left := s.unresolved(r.dir, unmerged); len(left) > 0 {
		return "", nil, &UnresolvedError{r.dir, left}
	}
	if err := r.add(ctx); err != nil {
		return "", nil, err
	}
	same, err := run(ctx, r.dir, git.Call{Args: []string{"diff-index", "--cached", "--quiet", "HEAD", "--"}})
	if err != nil {
		return "", nil, err
	}
	if same.Exit == 0 { // the commit is empty now, or already made
		return r.step(ctx, s, "--skip")
	}
	return r.step(ctx, s, "--continue")
}

// A rebase is in progress in a separate worktree.
type rebase struct {
	apart Apart
	dir   string
}

// rebase accepts only folders that Rebase created.
func (a Apart) rebase(dir string) (rebase, error) {
	if !a.ours(dir) || !strings.HasPrefix(filepath.Base(dir), forRebase) {
		return rebase{}, fmt.Errorf("%s is not the folder of a rebase of %s", dir, a.root.Top)
	}
	return rebase{a, dir}, nil
}

func (r rebase) git(ctx context.Context, args ...string) ([]byte, error) {
	return must(ctx, r.dir, git.Call{Args: args, Limit: slow})
}

// add stages all changes except new files in .claude, where agents keep their own files.
func (r rebase) add(ctx context.Context) error {
	if _, err := r.git(ctx, "add", "-u"); err != nil {
		return err
	}
	_, err := must(ctx, r.dir, git.Call{Args: []string{"add", "-A", "--", ":(top)", ":(top,exclude,glob)**/.claude/**"}, Env: []string{"GIT_LITERAL_PATHSPECS=0"}, Limit: slow})
	return err
}

func (r rebase) gitDir() string {
	return filepath.Join(r.apart.common, "worktrees", filepath.Base(r.dir))
}

// open reports whether the rebase is still in progress.
func (r rebase) open() bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(r.gitDir(), name)); err == nil {
			return true
		}
	}
	return false
}

func (r rebase) unmerged(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "diff", "--name-only", "--no-ext-diff", "--diff-filter=U", "-z")
	return slices.Compact(git.Split(out)), err
}

// step runs git rebase until it stops.
func (r rebase) step(ctx context.Context, s stop, args ...string) (newTip string, c *Conflict, err error) {
	_, failed := r.git(ctx, slices.Concat([]string{"-c", "rebase.updateRefs=false", "-c", "rerere.enabled=false", "rebase"}, args)...)
	if failed == nil {
		return r.finish(ctx, s)
	}
	files, err := r.unmerged(ctx)
	if err == nil && len(files) > 0 && r.open() {
		if err := r.save(s, files); err != nil {
			return "", nil, err
		}
		return "", &Conflict{r.dir, files}, nil
	}
	return "", nil, errors.Join(failed, err)
}

// finish returns the new tip and removes the worktree.
func (r rebase) finish(ctx context.Context, s stop) (string, *Conflict, error) {
	out, err := r.git(ctx, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return "", nil, err
	}
	tip := strings.TrimSpace(string(out))
	ok, err := r.apart.root.Repo(r.apart.root.Top).Descends(tip, s.onto)
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, fmt.Errorf("the rebase in %s was ended there without its result; abandon it and rebase again", r.dir)
	}
	return tip, nil, r.apart.Abandon(ctx, r.dir)
}

// A stop is a point where a rebase waits: the files in conflict, and how git left them.
type stop struct {
	onto  string
	files []stopped
}

type stopped struct{ sum, path string }

func (s stop) paths() []string {
	var list []string
	for _, f := range s.files {
		list = append(list, f.path)
	}
	return list
}

// unresolved lists the files with conflict markers, and those that are neither changed nor added
// since git stopped: conflicts of binary or deleted files have no markers.
func (s stop) unresolved(dir string, unmerged []string) []string {
	var left []string
	for _, f := range s.files {
		at := filepath.Join(dir, filepath.FromSlash(f.path))
		if marked(at) || slices.Contains(unmerged, f.path) && sum(at) == f.sum {
			left = append(left, f.path)
		}
	}
	for _, p := range unmerged { // of a later stop
		if !slices.Contains(s.paths(), p) && marked(filepath.Join(dir, filepath.FromSlash(p))) {
			left = append(left, p)
		}
	}
	return left
}

// marked reports whether a file has a complete conflict marked by git.
func marked(name string) bool {
	text, err := durable.ReadPlain(name)
	if err != nil {
		return false
	}
	want := 0
	for line := range bytes.Lines(text) {
		mark := []string{"<<<<<<<", "=======", ">>>>>>>"}[want]
		if rest, ok := strings.CutPrefix(string(line[:min(len(line), 9)]), mark); ok && strings.Trim(rest[:min(1, len(rest))], " \r\n") == "" {
			if want++; want == 3 {
				return true
			}
		}
	}
	return false
}

// sum returns a file's checksum, "" if it is not a file.
func sum(name string) string {
	text, err := durable.ReadPlain(name)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

func (r rebase) file() string { return filepath.Join(r.gitDir(), "warp-stop") }

// save records a stop. Without the record, a rebase starts over.
func (r rebase) save(s stop, files []string) error {
	list := []string{s.onto}
	for _, p := range files {
		list = append(list, sum(filepath.Join(r.dir, filepath.FromSlash(p))), p)
	}
	return durable.WriteNote(r.file(), []byte(strings.Join(list, "\x00")))
}

func (r rebase) load() (stop, error) {
	text, err := durable.ReadPlain(r.file())
	if err != nil {
		return stop{}, err
	}
	f := strings.Split(string(text), "\x00")
	if len(f) < 3 || len(f)%2 != 1 {
		return stop{}, errTorn
	}
	s := stop{onto: f[0]}
	for f = f[1:]; len(f) > 0; f = f[2:] {
		s.files = append(s.files, stopped{f[0], f[1]})
	}
	return s, nil
}
