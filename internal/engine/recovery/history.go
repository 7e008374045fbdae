package recovery

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/sys/git"
)

// history reads what drives committed, here and on the remote as last fetched, and what the journal
// knows of it.
type history struct {
	repo   git.Repo
	target string // the branch that work is merged into
	remote string // "": none
	book   *evidence.Book
}

// line returns one line of git's output, or "".
func (h history) line(ctx context.Context, args ...string) string {
	out, err := h.repo.Must(ctx, git.Call{Args: args})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// tip returns the commit of a ref, or "".
func (h history) tip(ctx context.Context, ref string) string {
	return h.line(ctx, "rev-parse", "--verify", "-q", ref+"^{commit}")
}

// tips returns the commits of a branch, here and on the remote.
func (h history) tips(ctx context.Context, branch string) (here, there string) {
	if here = h.tip(ctx, "refs/heads/"+branch); h.remote != "" {
		there = h.tip(ctx, "refs/remotes/"+h.remote+"/"+branch)
	}
	return here, there
}

// hasObject reports whether an object, and for a commit everything it references, is in this
// repository.
func (h history) hasObject(ctx context.Context, object string) bool {
	return git.IsHash(object) && h.line(ctx, "rev-list", "--objects", "--max-count=1", "--end-of-options", object, "--") != ""
}

// fetchCommit reports whether a commit is here, after trying to fetch it by hash.
func (h history) fetchCommit(ctx context.Context, hash string) bool {
	if h.hasObject(ctx, hash) {
		return true
	}
	if h.remote == "" || !git.IsHash(hash) {
		return false
	}
	args := []string{"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--", h.remote, hash}
	_, err := h.repo.Must(ctx, git.Call{Args: args, Limit: 10 * time.Minute, Pass: isIdentity})
	return err == nil && h.hasObject(ctx, hash)
}

// isIdentity reports whether a variable says who a user is or how remotes are reached.
func isIdentity(name string) bool {
	return slices.ContainsFunc([]string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_ASKPASS", "GIT_SSH", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// trail reads what a commit has that the merge target lacks. If all is merged already, it reads
// back to the session's start.
func (h history) trail(ctx context.Context, issue, tip string) (trail, error) {
	here, there := h.tips(ctx, h.target)
	commits, err := h.repo.Commits(tip, here, there)
	if err == nil && len(commits) == 0 {
		if commits, err = h.repo.Commits(tip, tip+"^@"); len(commits) == 1 { // the commit itself
			if m, ok := readMark(commits[0]); ok && m.Issue == issue {
				commits, err = h.session(ctx, tip, m.Session)
			}
		}
	}
	return readTrail(issue, commits), err
}

// session lists a session's commits in a commit's history.
func (h history) session(ctx context.Context, tip string, session int64) (list []git.Commit, err error) {
	out, err := h.repo.Must(ctx, git.Call{Args: []string{"log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", "--fixed-strings",
		fmt.Sprintf("--grep=session %d", session), fmt.Sprintf("--since=%d", session/1000), "--end-of-options", tip, "--"}})
	if err != nil {
		return nil, fmt.Errorf("reading the commits of the drive: %w", err)
	}
	for _, text := range git.Split(out) {
		hash, message, _ := strings.Cut(text, "\n")
		list = append(list, git.Commit{Hash: hash, Message: strings.TrimSpace(message)})
	}
	return list, nil
}

// furthest returns which of two commits has more of the drive.
func (h history) furthest(ctx context.Context, issue, here, there string) (string, error) {
	if here == "" || there == "" || here == there {
		return cmp.Or(here, there), nil
	}
	if ahead, err := h.repo.Descends(there, here); ahead || err != nil {
		return there, err
	}
	if behind, err := h.repo.Descends(here, there); behind || err != nil {
		return here, err
	}
	x, err := h.trail(ctx, issue, here)
	if err != nil {
		return "", err
	}
	y, err := h.trail(ctx, issue, there)
	if y.isAheadOf(x) {
		return there, err
	}
	return here, err
}

// contains reports whether a tip with the given trail has a commit, or its rebased or cherry-picked
// version.
func (h history) contains(ctx context.Context, tip string, t trail, hash string) (bool, error) {
	if !git.IsHash(hash) {
		return false, nil
	}
	if commit := h.line(ctx, "cat-file", "commit", hash); commit != "" {
		if in, err := h.repo.Descends(tip, hash); in || err != nil {
			return in, err
		}
		_, message, _ := strings.Cut(commit, "\n\n")
		m, ok := readMark(git.Commit{Hash: hash, Message: message})
		return ok && m.Issue == t.issue && slices.ContainsFunc(t.marks, func(x trailMark) bool {
			return x.Chunk == m.Chunk && x.Session == m.Session && x.WIP == m.WIP
		}), nil
	}
	e, known := evidence.Last(h.book.Of(t.issue, 0).Commits, func(c evidence.Commit) bool { return c.Hash == hash }) // it is not here
	return known && slices.ContainsFunc(t.marks, func(x trailMark) bool {
		return x.Chunk == e.Row.Chunk && evidence.InSession(x.Session, e.Row.Epoch, e.At) && x.WIP == e.Row.WIP
	}), nil
}

// Found is a branch with a drive's work.
type Found struct {
	Issue   string `json:"issue"`
	Branch  string `json:"branch"`
	Here    string `json:"here,omitempty"`  // its commit in this repository
	There   string `json:"there,omitempty"` // its commit on the remote, as last fetched
	Done    []int  `json:"chunks_done"`
	Total   int    `json:"chunks"`
	Session int64  `json:"session"`
	Stopped bool   `json:"stopped,omitempty"` // a person stopped it
	Merged  bool   `json:"merged,omitempty"`  // all of it is in the merge target
}

// Scan finds the branches with commits of drives, here and on the remote as last fetched. It uses
// only git, and no network.
func Scan(ctx context.Context, repo git.Repo, remote, target string) ([]Found, error) {
	h := history{repo: repo, remote: remote, target: target}
	here, there := h.tips(ctx, target)
	byName := map[string]Found{}
	places := []string{"refs/heads/"}
	if remote != "" {
		places = append(places, "refs/remotes/"+remote+"/")
	}
	for i, prefix := range places {
		out, err := repo.Must(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00", prefix}})
		if err != nil {
			return nil, fmt.Errorf("listing the branches: %w", err)
		}
		for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] {
			branch, tip := strings.TrimPrefix(strings.TrimPrefix(fields[0], "\n"), prefix), fields[1]
			if branch == target || branch == "HEAD" {
				continue
			}
			f, err := h.read(ctx, git.Commit{Hash: tip, Message: fields[2]}, here, there)
			if err != nil {
				return nil, err
			}
			if f.Issue == "" {
				continue
			}
			f.Branch, f.Here = branch, tip
			if i == 1 { // the remote
				was := byName[branch]
				f.Here, f.There, was.There = was.Here, tip, tip
				if f.Session < was.Session || f.Session == was.Session && len(f.Done) <= len(was.Done) {
					f = was
				}
			}
			byName[branch] = f
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Found) int {
		return cmp.Or(cmp.Compare(len(a.Issue), len(b.Issue)), cmp.Compare(a.Issue, b.Issue), cmp.Compare(a.Branch, b.Branch))
	}), nil
}

// Unfinished returns those that are neither merged nor stopped by a person.
func Unfinished(list []Found) []Found {
	return slices.DeleteFunc(slices.Clone(list), func(f Found) bool { return f.Merged || f.Stopped })
}

// read reads what a branch has that the merge target lacks. Issue is "" if no drive worked on it.
func (h history) read(ctx context.Context, tip git.Commit, targets ...string) (f Found, err error) {
	commits, err := h.repo.Commits(tip.Hash, targets...)
	if err != nil {
		return f, err
	}
	merged := len(commits) == 0
	if merged {
		commits = []git.Commit{tip}
	}
	var newest trailMark
	for _, c := range commits {
		if m, ok := readMark(c); ok && m.Session >= newest.Session {
			newest = m
		}
	}
	if newest.Issue == "" {
		return f, nil
	}
	t := readTrail(newest.Issue, commits)
	for _, target := range targets {
		if merged || target == "" {
			continue
		}
		if merged, err = h.isRebased(ctx, t, target); err != nil {
			return f, err
		}
	}
	return Found{Issue: t.issue, Done: t.done(), Total: t.total, Session: t.session, Stopped: t.stopped(), Merged: merged}, nil
}

// isRebased reports whether a trail's commits are in the merge target under other hashes: a drive
// rebases its branch here, and the remote keeps the old one. A session may drive several
// requirements: chunks of another one prove nothing about this one.
func (h history) isRebased(ctx context.Context, t trail, target string) (bool, error) {
	commits, err := h.session(ctx, target, t.session)
	there := readTrail(t.issue, commits)
	if err != nil || there.session != t.session || len(there.done()) == 0 {
		return false, err
	}
	return !slices.ContainsFunc(t.done(), func(chunk int) bool { return !slices.Contains(there.done(), chunk) }), nil
}
