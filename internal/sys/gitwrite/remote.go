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

// silent keeps ssh and credential helpers from prompting; git's terminal prompts are already off.
var silent = []string{"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "GCM_INTERACTIVE=never"}

// Remotes gives access to the remotes of a repository.
type Remotes struct{ root git.Root }

// Remotes returns the repository's remotes.
func (t Tree) Remotes() Remotes { return Remotes{t.root} }

// Choose returns the current branch's remote, else origin, else the only remote.
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

// Fetch fetches branches of a remote, without tags, into refs/remotes/REMOTE/, and returns the
// commits of those that the remote has. A failure is a *RemoteError.
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

// maxSaid bounds how much of a remote's output is kept.
const maxSaid = 64 << 10

// PushOptions configures a push.
type PushOptions struct {
	As  string // the remote's branch; "" means the same name
	Tip string // the commit to push, wherever the branch is by now; "" means the branch's
	// Lease is the commit expected in the remote's branch; only then may the push replace it
	// by one that does not descend from it. If "", it never does.
	Lease string
	Hooks bool // run the user's pre-push hook, which may refuse
}

// Push pushes a branch to a remote. A failure is a *RemoteError.
func (r Remotes) Push(ctx context.Context, remote, branch string, o PushOptions) error {
	as := cmp.Or(o.As, branch)
	if err := errors.Join(remoteName(remote), branchName(branch), branchName(as)); err != nil {
		return err
	}
	ref, to := cmp.Or(o.Tip, "refs/heads/"+branch), "refs/heads/"+as
	var lease []string
	for _, hash := range []string{o.Lease, o.Tip} {
		if hash != "" && !git.IsHash(hash) {
			return fmt.Errorf("pushing %s: %q is not a full hash", branch, hash)
		}
	}
	if o.Lease != "" {
		lease = []string{"--force-with-lease=" + to + ":" + o.Lease}
	}
	return r.push(ctx, "pushing "+branch+" to", remote, git.Call{Args: lease, Hooks: o.Hooks, Limit: slow}, ref+":"+to)
}

// push runs git push with further options. It keeps the end of what the remote says, where the
// error is.
func (r Remotes) push(ctx context.Context, op, remote string, c git.Call, what string) error {
	c.Args = slices.Concat([]string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"}, c.Args, []string{"--", remote, what})
	c.Env, c.Max, c.Tail = silent, maxSaid, true
	_, err := r.reach(ctx, op, remote, c)
	return err
}

// CheckPush checks whether a remote would accept HEAD as a new branch, with a dry run that sends
// nothing. A failure is a *RemoteError.
func (r Remotes) CheckPush(ctx context.Context, remote string, limit time.Duration) error {
	if err := remoteName(remote); err != nil {
		return err
	}
	return r.push(ctx, "pushing to", remote, git.Call{Args: []string{"--dry-run"}, Limit: limit}, "HEAD:refs/heads/warp/check")
}

// remoteName accepts only names, because errors must not contain a URL.
func remoteName(name string) error {
	if !git.IsRef(name) || name == "." {
		return &RemoteError{Op: "using", Remote: scrub(name), Kind: Missing, Said: "that is not the name of a remote"}
	}
	return nil
}

// URL returns the URL of a remote, without credentials.
func (r Remotes) URL(ctx context.Context, remote string) (string, error) {
	out, err := must(ctx, r.root.Top, git.Call{Args: []string{"remote", "get-url", "--", remote}})
	return scrub(strings.TrimSpace(string(out))), err
}

// reach runs a command that talks to a remote. It runs in the main work tree, because git resolves
// a relative URL from the current folder.
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

// mainTop returns the top of the main work tree or, if there is none, of the current one.
func mainTop(top string) string {
	p, ok := git.Locate(top)
	if main := filepath.Dir(p.Common()); ok && filepath.Base(p.Common()) == ".git" {
		if st, err := os.Stat(main); err == nil && st.IsDir() {
			return main
		}
	}
	return top
}

// patience is how long a remote may take to say that it is there.
const patience = 10 * time.Second

// Ping asks whether a remote answers, within seconds. A failure is a *RemoteError.
func (r Remotes) Ping(ctx context.Context, remote string) error {
	if err := remoteName(remote); err != nil {
		return err
	}
	_, err := r.reach(ctx, "asking", remote, git.Call{Args: []string{"ls-remote", "--", remote, "HEAD"}, Env: silent, Limit: patience})
	return err
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

// Clone clones a repository and checks out a branch; "" means the remote's default. The clone is
// complete or absent; anything else at its path is lost. Errors leave out the URL, which may hold a
// password.
func Clone(ctx context.Context, url, dir, branch string) error {
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".clone-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is renamed once it is complete
	c := git.Call{Args: []string{"clone", "-q", "--no-tags"}, Env: silent, Limit: slow}
	if branch != "" {
		if err := branchName(branch); err != nil {
			return err
		}
		c.Args = append(c.Args, "--branch="+branch)
	}
	c.Args = append(c.Args, "--", url, fresh)
	a, err := git.Repo{Dir: filepath.Dir(dir)}.Run(ctx, c)
	if err != nil {
		return err
	}
	if a.Exit != 0 {
		return errors.New(strings.ReplaceAll(strings.TrimSpace(a.Stderr), url, "its address"))
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}
