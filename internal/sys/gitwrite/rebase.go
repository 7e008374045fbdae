package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// A Conflict is a rebase that has stopped to be resolved: in Dir, a
// separate worktree, Files are in conflict.
type Conflict struct {
	Dir   string
	Files []string
}

// Rebase makes again, on top of another commit, the commits that a tip has and
// it lacks. It happens in a separate worktree, so it does not matter what else
// is going on; no branch is moved. It returns the new tip, or a Conflict, which
// stays open until Resume has brought it to an end or Abandon removes it. Called
// again meanwhile, it returns the same Conflict.
func (a Apart) Rebase(ctx context.Context, tip, onto string) (newTip string, c *Conflict, err error) {
	if !git.IsHash(tip) || !git.IsHash(onto) {
		return "", nil, fmt.Errorf("forRebase %q onto %q: these must be full hashes", tip, onto)
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

// Resume takes what was done about a Conflict for its resolution and goes on. It
// is an *UnresolvedError when conflict markers are left, or files that were not
// has touched. Like Rebase, it returns the new tip or the next Conflict. After
// an error nothing of the resolution is lost, and it can be tried again.
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
	if !r.open() { // «git rebase --continue» or --abort was run there
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
	if same.Exit == 0 { // nothing is left of the commit, or it has been made
		return r.step(ctx, s, "--skip")
	}
	return r.step(ctx, s, "--continue")
}

// A rebase is one that runs in a separate worktree.
type rebase struct {
	apart Apart
	dir   string
}

// rebase takes only folders that Rebase makes.
func (a Apart) rebase(dir string) (rebase, error) {
	if !a.ours(dir) || !strings.HasPrefix(filepath.Base(dir), forRebase) {
		return rebase{}, fmt.Errorf("%s is not the folder of a rebase of %s", dir, a.root.Top)
	}
	return rebase{a, dir}, nil
}

func (r rebase) git(ctx context.Context, args ...string) ([]byte, error) {
	return must(ctx, r.dir, git.Call{Args: args, Limit: slow})
}

// add stages all that was done, but for new files of .claude: agents keep things
// for themselves there.
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

// open reports whether git is in the middle of it.
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

// step lets git rebase until it stops.
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

// finish takes the result over.
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
