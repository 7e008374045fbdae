package recovery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// LostError says that commits are recorded and found nowhere.
type LostError struct{ Commits []string }

func (e *LostError) Error() string {
	var names []string
	for _, h := range e.Commits {
		names = append(names, text.Hash(h))
	}
	return fmt.Sprintf("the commits %s are recorded, but neither here nor on the remote: fetch them from where they are, or do their chunks again with --redo", strings.Join(names, ", "))
}

// branch is a drive's branch, as it was found and as it will be.
type branch struct {
	name        string
	here, there string            // where it is
	tip         string            // where it will be; "": nowhere yet
	recorded    []string          // commits that the state or the journal know
	missing     []string          // of those, the ones that the tip lacks and that are here
	lost        []string          // of those, the ones that are nowhere
	picked      map[string]string // commits that were made anew: from what
}

// look finds out where the branch of a drive is, and where it should be.
func (r *Recovery) look(ctx context.Context, issue, name string, recorded []string) (b branch, t trail, err error) {
	b = branch{name: name, recorded: recorded, picked: map[string]string{}}
	if name != "" {
		b.here = r.tip(ctx, "refs/heads/"+name)
	}
	if name != "" && r.remote != "" {
		b.there = r.tip(ctx, "refs/remotes/"+r.remote+"/"+name)
	}
	if b.tip, err = r.further(issue, b.here, b.there); err != nil {
		return b, t, err
	}
	for _, hash := range slices.Backward(recorded) {
		if b.tip == "" && r.obtain(ctx, hash) {
			b.tip = hash // the branch is gone, its last commit is not
		}
	}
	if b.tip == "" {
		b.lost = recorded
		return b, t, nil
	}
	if t, err = r.trail(issue, b.tip); err != nil {
		return b, t, err
	}
	for _, hash := range recorded {
		in, err := r.contains(b.tip, hash, t, issue)
		switch {
		case err != nil:
			return b, t, err
		case in:
		case r.obtain(ctx, hash):
			b.missing = append(b.missing, hash)
		default:
			b.lost = append(b.lost, hash)
		}
	}
	return b, t, nil
}

// further is the one of two commits that has more of the drive.
func (r *Recovery) further(issue, here, there string) (string, error) {
	if here == "" || there == "" || here == there {
		return cmp.Or(here, there), nil
	}
	if ahead, err := r.Tree.Repo().Descends(there, here); ahead || err != nil {
		return there, err
	}
	if behind, err := r.Tree.Repo().Descends(here, there); behind || err != nil {
		return here, err
	}
	x, err := r.trail(issue, here)
	if err != nil {
		return "", err
	}
	y, err := r.trail(issue, there)
	if y.session > x.session || y.session == x.session && len(y.done()) > len(x.done()) {
		return there, err
	}
	return here, err
}

// trail reads what a commit has that the merge target lacks. What was merged
// already is read as far back as the session.
func (r *Recovery) trail(issue, tip string) (trail, error) {
	var lack []string
	for _, ref := range r.targets() {
		lack = append(lack, r.tip(context.Background(), ref))
	}
	commits, err := r.Tree.Repo().Commits(tip, lack...)
	if err != nil {
		return trail{}, err
	}
	t := follow(issue, commits)
	if len(t.marks) > 0 {
		return t, nil
	}
	last, err := r.Tree.Repo().Commits(tip, tip+"^@")
	if err != nil || len(last) == 0 {
		return t, err
	}
	m, ok := ReadMark(last[0])
	if !ok || m.Issue != issue {
		return t, nil
	}
	since, err := r.since(tip, m.Session)
	return follow(issue, since), err
}

// since lists the commits of a session in the past of a commit.
func (r *Recovery) since(tip string, session int64) ([]git.Commit, error) {
	a, err := r.Tree.Repo().Run(context.Background(), git.Call{Args: []string{"log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", "--fixed-strings",
		fmt.Sprintf("--grep=session %d", session), fmt.Sprintf("--since=%d", session/1000), "--end-of-options", tip, "--"}})
	if err := failed("reading the commits of the drive", a, err); err != nil {
		return nil, err
	}
	var list []git.Commit
	for _, text := range git.Split(a.Stdout) {
		hash, message, _ := strings.Cut(text, "\n")
		list = append(list, git.Commit{Hash: hash, Message: strings.TrimSpace(message)})
	}
	return list, nil
}

// targets are the references of the branch that work is merged into.
func (r *Recovery) targets() []string {
	list := []string{"refs/heads/" + r.target}
	if r.remote != "" {
		list = append(list, "refs/remotes/"+r.remote+"/"+r.target)
	}
	return list
}

// contains tells whether a tip has a commit, or the one that a rebase or a pick
// has made of it.
func (r *Recovery) contains(tip, hash string, t trail, issue string) (bool, error) {
	if !git.IsHash(hash) {
		return false, nil
	}
	a, err := r.Tree.Repo().Run(context.Background(), git.Call{Args: []string{"cat-file", "commit", hash}})
	if err != nil {
		return false, err
	}
	if a.Exit == 0 {
		in, err := r.Tree.Repo().Descends(tip, hash)
		if in || err != nil {
			return in, err
		}
		_, message, _ := strings.Cut(string(a.Stdout), "\n\n")
		if m, ok := ReadMark(git.Commit{Hash: hash, Message: message}); ok && m.Issue == issue {
			return slices.ContainsFunc(t.marks, func(x Mark) bool { return x.Chunk == m.Chunk && x.Session == m.Session && x.WIP == m.WIP }), nil
		}
		return false, nil
	}
	for _, e := range r.book.Of(issue, 0).Commits { // it is not here, but known
		if e.Row.Hash == hash {
			return slices.ContainsFunc(t.marks, func(x Mark) bool {
				return x.Chunk == e.Row.Chunk && evidence.InSession(x.Session, e.Row.Epoch, e.At) && x.WIP == e.Row.WIP
			}), nil
		}
	}
	return false, nil
}

// obtain tells whether a commit is here, after it was asked for by its name.
func (r *Recovery) obtain(ctx context.Context, hash string) bool {
	if r.has(ctx, hash) {
		return true
	}
	if r.remote == "" || !git.IsHash(hash) {
		return false
	}
	a, err := r.Tree.Repo().Run(ctx, git.Call{Args: []string{"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", r.remote, hash}, Limit: time.Minute * 10, Pass: identity})
	return err == nil && a.Exit == 0 && r.has(ctx, hash)
}
