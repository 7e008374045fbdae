package recovery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// Found is a branch with the work of a drive on it.
type Found struct {
	Issue   string `json:"issue"`
	Branch  string `json:"branch"`
	Here    string `json:"here,omitempty"`  // its commit in this repository
	There   string `json:"there,omitempty"` // its commit on the remote, as far as was fetched
	Done    []int  `json:"chunks_done"`
	Total   int    `json:"chunks"`
	Session int64  `json:"session"`
	Stopped bool   `json:"stopped,omitempty"` // a person stopped it
	Merged  bool   `json:"merged,omitempty"`  // all of it is in the merge target
}

// Scan finds the branches, here and on the remote as it was fetched last, that
// carry commits of drives. It asks nothing but git, and no network.
func Scan(ctx context.Context, repo git.Repo, remote, target string) ([]Found, error) {
	refs, err := references(ctx, repo, remote)
	if err != nil {
		return nil, err
	}
	lack := targets(refs, target)
	byName := map[string]*Found{}
	for _, r := range refs {
		if r.branch == target || r.branch == "HEAD" {
			continue
		}
		f, err := walk(repo, r, lack)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		was := byName[f.Branch]
		if was == nil {
			byName[f.Branch] = f
			continue
		}
		if r.remote {
			was.There = r.tip
		} else {
			was.Here = r.tip
		}
		if f.Session > was.Session || f.Session == was.Session && len(f.Done) > len(was.Done) {
			f.Here, f.There = was.Here, was.There
			byName[f.Branch] = f
		}
	}
	var list []Found
	for _, f := range byName {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Found) int {
		return cmp.Or(cmp.Compare(len(a.Issue), len(b.Issue)), cmp.Compare(a.Issue, b.Issue), cmp.Compare(a.Branch, b.Branch))
	})
	return list, nil
}

// Unfinished are those that are not in the merge target yet and that nobody
// stopped.
func Unfinished(list []Found) (out []Found) {
	for _, f := range list {
		if !f.Merged && !f.Stopped {
			out = append(out, f)
		}
	}
	return out
}

// reference is a branch, here or on the remote.
type reference struct {
	name, branch, tip, message string
	remote                     bool
}

// references lists the branches here and those of a remote.
func references(ctx context.Context, repo git.Repo, remote string) ([]reference, error) {
	args := []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00", "refs/heads"}
	there := "refs/remotes/" + remote + "/"
	if remote != "" {
		args = append(args, there)
	}
	a, err := repo.Run(ctx, git.Call{Args: args})
	if err := failed("listing the branches", a, err); err != nil {
		return nil, err
	}
	fields := strings.Split(string(a.Stdout), "\x00")
	var list []reference
	for ; len(fields) >= 3; fields = fields[3:] {
		r := reference{name: strings.TrimPrefix(fields[0], "\n"), tip: fields[1], message: fields[2]}
		if b, ok := strings.CutPrefix(r.name, "refs/heads/"); ok {
			r.branch = b
		} else {
			r.branch, r.remote = strings.TrimPrefix(r.name, there), true
		}
		list = append(list, r)
	}
	return list, nil
}

// targets are the commits of the branch that work is merged into.
func targets(refs []reference, target string) (tips []string) {
	for _, r := range refs {
		if r.branch == target && !slices.Contains(tips, r.tip) {
			tips = append(tips, r.tip)
		}
	}
	return tips
}

// walk reads what a branch has that the merge target lacks; nil when no drive
// has worked on it.
func walk(repo git.Repo, r reference, lack []string) (*Found, error) {
	commits, err := repo.Commits(r.tip, lack...)
	if err != nil {
		return nil, err
	}
	merged := len(commits) == 0
	if merged {
		commits = []git.Commit{{Hash: r.tip, Message: r.message}}
	}
	var newest Mark
	for _, c := range commits {
		if m, ok := ReadMark(c); ok && m.Session >= newest.Session {
			newest = m
		}
	}
	if newest.Issue == "" {
		return nil, nil
	}
	t := follow(newest.Issue, commits)
	if !merged {
		if merged, err = rebased(repo, newest.Issue, t, lack); err != nil {
			return nil, err
		}
	}
	f := &Found{Issue: newest.Issue, Branch: r.branch, Done: t.done(), Total: t.total, Session: t.session, Stopped: t.stopped(), Merged: merged}
	if r.remote {
		f.There = r.tip
	} else {
		f.Here = r.tip
	}
	return f, nil
}

// rebased tells whether the commits of a trail are in the merge target under
// other names: a drive rebases its branch here, and the remote keeps the old one.
// A session may drive several requirements: the chunks of another one, merged
// before, say nothing about this one.
func rebased(repo git.Repo, issue string, t trail, targets []string) (bool, error) {
	for _, target := range targets {
		args := []string{"log", "-z", "--format=%H%n%B", "--fixed-strings", fmt.Sprintf("--grep=session %d", t.session), fmt.Sprintf("--since=%d", t.session/1000), "--end-of-options", target, "--"}
		a, err := repo.Run(context.Background(), git.Call{Args: args})
		if err != nil || a.Exit != 0 {
			return false, err
		}
		var there []int
		for _, text := range git.Split(a.Stdout) {
			hash, message, _ := strings.Cut(text, "\n")
			if m, ok := ReadMark(git.Commit{Hash: hash, Message: message}); ok && m.Issue == issue && m.Session == t.session && !m.WIP {
				there = append(there, m.Chunk)
			}
		}
		missing := func(chunk int) bool { return !slices.Contains(there, chunk) }
		if len(there) > 0 && !slices.ContainsFunc(t.done(), missing) {
			return true, nil
		}
	}
	return false, nil
}
