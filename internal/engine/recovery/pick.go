package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// identity are the variables by which users say who they are and how remotes are
// reached.
func identity(name string) bool {
	return slices.ContainsFunc([]string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_ASKPASS", "GIT_SSH", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// pick makes the missing commits anew on top of the tip, in a work tree apart.
// A conflict is nobody's to resolve here: nothing has changed then.
func (r *Recovery) pick(ctx context.Context, b *branch) error {
	if len(b.missing) == 0 {
		return nil
	}
	place, _ := git.Locate(r.Tree.Top())
	dir := filepath.Join(place.Common(), "warp", "recover-"+text.Hash(b.missing[0]))
	run := func(at string, args ...string) (git.Answer, error) {
		return git.Repo{Dir: at}.Run(ctx, git.Call{Args: args, Pass: identity, Env: []string{"GIT_EDITOR=:"}, Limit: 10 * time.Minute})
	}
	remove := func() {
		_, _ = run(r.Tree.Top(), "worktree", "remove", "--force", "--force", "--", dir) // it may not be one yet
		_ = os.RemoveAll(dir)
		_ = r.Tree.Prune(ctx)
	}
	if _, err := os.Lstat(dir); err == nil {
		remove() // what a crash has left
	}
	defer remove()
	a, err := run(r.Tree.Top(), "worktree", "add", "-q", "--detach", "--", dir, b.tip)
	if err := failed("making a work tree to pick commits in", a, err); err != nil {
		return err
	}
	for _, hash := range b.missing {
		a, err := run(dir, "cherry-pick", "--allow-empty", hash)
		if err != nil {
			return err
		}
		if a.Exit != 0 {
			if err := unpicked(run, dir, b.name, hash, a.Stderr); err != nil {
				return err
			}
			continue
		}
		now, err := run(dir, "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		b.picked[strings.TrimSpace(string(now.Stdout))] = hash
		b.tip = strings.TrimSpace(string(now.Stdout))
	}
	b.missing = nil
	return nil
}

// unpicked passes over a commit that was not picked because its changes are there
// already, in other words. Any other reason is an error: a commit that was left
// out because git could not sign it was lost without a word.
func unpicked(run func(at string, args ...string) (git.Answer, error), dir, branch, hash, why string) error {
	left, err := run(dir, "diff", "--name-only", "--diff-filter=U")
	if err != nil {
		return err
	}
	if files := strings.Fields(string(left.Stdout)); len(files) > 0 {
		return fmt.Errorf("the commit %s does not apply to %s, which has changed since: %s is in conflict; nothing was changed. Pick it by hand (git switch %s, git cherry-pick %s), then try again", text.Hash(hash), branch, strings.Join(files, ", "), branch, text.Hash(hash))
	}
	same, err := run(dir, "diff", "--cached", "--quiet", "HEAD")
	if err != nil {
		return err
	}
	skipped, err := run(dir, "cherry-pick", "--skip") // it fails where none was begun
	if err == nil && (same.Exit != 0 || skipped.Exit != 0) {
		err = fmt.Errorf("picking the commit %s onto %s: %s; nothing was changed. Pick it by hand (git switch %s, git cherry-pick %s), then try again", text.Hash(hash), branch, strings.TrimSpace(why), branch, text.Hash(hash))
	}
	return err
}

// failed is the error of a git command that did not succeed.
func failed(doing string, a git.Answer, err error) error {
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return err
}
