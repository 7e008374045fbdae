package gitwrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/git"
)

// silent keeps ssh and credential helpers from asking, as terminal prompts are
// off already.
var silent = []string{"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "GCM_INTERACTIVE=never"}

// Remotes are those that the repository of a work tree has.
type Remotes struct{ root git.Root }

// Remotes are the repository's.
func (t Tree) Remotes() Remotes { return Remotes{t.root} }

// Choose returns the remote of the branch that is checked out, else origin, else
// the only one there is.
func (r Remotes) Choose(ctx context.Context) (name string, ok bool, err error) {
	out, err := must(ctx, r.root.Top, git.Call{Args: []string{"remote"}})
	if err != nil {
		return "", false, err
	}
	all := strings.Fields(string(out))
	if len(all) == 0 {
		return "", false, nil
	}
	at, err := readHead(r.root)
	if err != nil {
		return "", false, err
	}
	if at.branch != "" {
		a, err := run(ctx, r.root.Top, git.Call{Args: []string{"config", "--get", "branch." + at.branch + ".remote"}})
		if err != nil {
			return "", false, err
		}
		if name := strings.TrimSpace(string(a.Stdout)); slices.Contains(all, name) {
			return name, true, nil
		}
	}
	switch {
	case slices.Contains(all, "origin"):
		return "origin", true, nil
	case len(all) == 1:
		return all[0], true, nil
	}
	return "", false, nil
}

// Fetch brings branches of a remote, without its tags, into refs/remotes/REMOTE/,
// and returns the commits of those that the remote has. A failure is a
// *RemoteError.
func (r Remotes) Fetch(ctx context.Context, remote string, branches ...string) (map[string]string, error) {
	if err := remoteName(remote); err != nil {
		return nil, err
	}
	list := git.Call{Args: []string{"ls-remote", "--heads", "--", remote}, Env: silent, Limit: slow}
	for _, b := range branches {
		if err := branchName(b); err != nil {
			return nil, err
		}
		list.Args = append(list.Args, "refs/heads/"+b)
	}
	out, err := r.reach(ctx, "fetching from", remote, list)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	fetch := git.Call{Args: []string{"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", remote}, Env: silent, Limit: slow}
	for line := range strings.Lines(string(out)) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		b := strings.TrimPrefix(ref, "refs/heads/")
		if len(branches) > 0 && !slices.Contains(branches, b) {
			continue
		}
		found[b] = hash
		fetch.Args = append(fetch.Args, fmt.Sprintf("+refs/heads/%s:refs/remotes/%s/%s", b, remote, b))
	}
	if len(found) == 0 {
		return found, nil
	}
	_, err = r.reach(ctx, "fetching from", remote, fetch)
	return found, err
}

// maxSaid bounds what is kept of what a remote says: its end, where the error is.
const maxSaid = 64 << 10

// PushOptions say how to push.
type PushOptions struct {
	As string // the remote's branch; "": the one of the same name
	// Lease is the commit that the remote's branch is at; only then may it be
	// replaced by one that does not descend from it. "": it is not replaced.
	Lease string
	Hooks bool // the user's pre-push hook is run, and may refuse
}

// Push brings a branch to a remote. A failure is a *RemoteError.
func (r Remotes) Push(ctx context.Context, remote, branch string, o PushOptions) error {
	as := cmp.Or(o.As, branch)
	if err := errors.Join(remoteName(remote), branchName(branch), branchName(as)); err != nil {
		return err
	}
	ref, to := "refs/heads/"+branch, "refs/heads/"+as
	c := git.Call{Args: []string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"}, Env: silent, Hooks: o.Hooks, Limit: slow, Max: maxSaid, Tail: true}
	if o.Lease != "" {
		if !git.IsHash(o.Lease) {
			return fmt.Errorf("pushing %s: %q is not a full hash", branch, o.Lease)
		}
		c.Args = append(c.Args, "--force-with-lease="+to+":"+o.Lease)
	}
	c.Args = append(c.Args, "--", remote, ref+":"+to)
	_, err := r.reach(ctx, "pushing "+branch+" to", remote, c)
	return err
}

// CheckPush finds out whether a remote would take a push of what is checked out, as a new
// branch: it asks as a push does, and sends nothing. A failure is a *RemoteError.
func (r Remotes) CheckPush(ctx context.Context, remote string, limit time.Duration) error {
	if err := remoteName(remote); err != nil {
		return err
	}
	c := git.Call{Args: []string{"push", "--dry-run", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--", remote, "HEAD:refs/heads/warp/check"}, Env: silent, Limit: limit, Max: maxSaid, Tail: true}
	_, err := r.reach(ctx, "pushing to", remote, c)
	return err
}

// remoteName takes names only: what is named in errors must not be a URL.
func remoteName(name string) error {
	if !git.IsRef(name) || name == "." {
		return &RemoteError{Op: "using", Remote: scrub(name), Kind: Missing, Said: "that is not the name of a remote"}
	}
	return nil
}

// URL is the address of a remote, without credentials.
func (r Remotes) URL(ctx context.Context, remote string) (string, error) {
	out, err := must(ctx, r.root.Top, git.Call{Args: []string{"remote", "get-url", "--", remote}})
	return scrub(strings.TrimSpace(string(out))), err
}

// reach runs a command that talks to a remote, in the main work tree: an address may be a
// relative path, and git takes it from where it is run.
func (r Remotes) reach(ctx context.Context, op, remote string, c git.Call) ([]byte, error) {
	a, err := run(ctx, mainTop(r.root.Top), c)
	switch {
	case errors.Is(err, git.ErrSlow):
		return nil, &RemoteError{Op: op, Remote: remote, Kind: Network, Said: fmt.Sprintf("no answer within %v", c.Limit)}
	case err != nil:
		return nil, err
	case a.Exit != 0:
		return nil, &RemoteError{Op: op, Remote: remote, Kind: classify(a), Said: scrub(strings.TrimSpace(refusal(a) + "\n" + a.Stderr))}
	}
	return a.Stdout, nil
}

// mainTop is the top of the main work tree; where there is none, of the one at hand.
func mainTop(top string) string {
	p, ok := git.Locate(top)
	if main := filepath.Dir(p.Common()); ok && filepath.Base(p.Common()) == ".git" {
		if st, err := os.Stat(main); err == nil && st.IsDir() {
			return main
		}
	}
	return top
}

// Refs asks a remote for its branches and tags. A failure is a *RemoteError.
func (r Remotes) Refs(ctx context.Context, remote string) (map[string]string, error) {
	if err := remoteName(remote); err != nil {
		return nil, err
	}
	out, err := r.reach(ctx, "asking", remote, git.Call{Args: []string{"ls-remote", "--heads", "--tags", "--refs", "--", remote}, Env: silent, Limit: slow})
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if hash, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			refs[ref] = hash
		}
	}
	return refs, nil
}
