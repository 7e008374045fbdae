package land

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile/documents"
)

// Sweep deletes branches that warp made and whose work has landed, here and on the remote. It
// deletes nothing that moved since, that its target lacks, or that is checked out.
type Sweep struct {
	Work gitwrite.Tree  // a work tree that stays
	Home *durable.Store // its journal lists what has landed
	// Pull reads a pull request; nil: their branches are left alone.
	Pull func(ctx context.Context, number int) (forge.Pull, error)
	// Unfinished maps branches of unfinished drives to a message about each.
	Unfinished map[string]string
	Only       []string             // branches; nil: all
	Conductor  *conductor.Conductor // asked before a remote's branch is deleted; nil: it is allowed
	Now        func() time.Time
}

// askTime is how long a remote may take to list its branches: deleting some can wait.
const askTime = time.Minute

// SweptBranch is a landed branch in one place: here or on the remote.
type SweptBranch struct {
	Name   string
	Remote string // "": here
	At     string // its commit
	Why    string // why it is not needed any more
	Kept   string // why it is kept nevertheless; "": it can go
	// Waits: its pull request is not merged yet.
	Waits bool
}

// String returns the branch's name as people know it.
func (b SweptBranch) String() string {
	if b.Remote != "" {
		return b.Remote + "/" + b.Name
	}
	return b.Name
}

// branchRefs are a repository's branches, and those of its remote.
type branchRefs struct {
	remote      string            // "": none
	here, known map[string]string // known: the remote's, as last seen
	there       map[string]string
	away        error // why the remote could not be reached
}

// Find lists the landed branches that still exist, the remote's before those of the same name here.
// If there are none here, the remote is not asked.
func (s Sweep) Find(ctx context.Context) (list []SweptBranch, err error) {
	landed, err := documents.ListLanded(s.Home)
	if err != nil {
		return nil, err
	}
	landed = slices.DeleteFunc(landed, func(l evidence.Landed) bool {
		return l.Borrowed || l.Branch == l.Target || l.Pull != 0 && s.Pull == nil || s.Only != nil && !slices.Contains(s.Only, l.Branch)
	})
	if len(landed) == 0 {
		return nil, nil
	}
	refs, err := s.readRefs(ctx)
	if err != nil {
		return nil, err
	}
	landed = slices.DeleteFunc(landed, func(l evidence.Landed) bool { return refs.here[l.Branch] == "" && refs.known[l.Branch] == "" })
	if len(landed) == 0 {
		return nil, nil
	}
	if refs.remote != "" {
		refs.there, refs.away = s.askRemote(ctx, refs.remote)
	}
	for _, l := range landed {
		found, err := s.judgeBranch(ctx, l, refs)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (s Sweep) readRefs(ctx context.Context) (r branchRefs, err error) {
	name, ok, err := s.Work.Remotes().Choose(ctx)
	if err != nil {
		return r, err
	}
	if ok {
		r.remote = name
	}
	r.here, r.known = map[string]string{}, map[string]string{}
	out, err := s.Work.Repo().Must(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/", "refs/remotes/" + r.remote + "/"}})
	for line := range strings.Lines(string(out)) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		if branch, is := strings.CutPrefix(ref, "refs/heads/"); is {
			r.here[branch] = hash
		} else if r.remote != "" {
			r.known[strings.TrimPrefix(ref, "refs/remotes/"+r.remote+"/")] = hash
		}
	}
	return r, err
}

func (s Sweep) askRemote(ctx context.Context, remote string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	refs, err := s.Work.Remotes().Refs(ctx, remote)
	if err != nil {
		return nil, err
	}
	branches := map[string]string{}
	for ref, hash := range refs {
		if branch, is := strings.CutPrefix(ref, "refs/heads/"); is {
			branches[branch] = hash
		}
	}
	return branches, nil
}

// judgeBranch decides about a branch in each place. What keeps it here keeps it on the remote: a
// person works with it.
func (s Sweep) judgeBranch(ctx context.Context, l evidence.Landed, refs branchRefs) (list []SweptBranch, err error) {
	merged, why, kept, waits := s.whyMerged(ctx, l)
	here, there := refs.here[l.Branch], refs.there[l.Branch]
	if kept == "" {
		if kept, err = s.whyNeeded(ctx, l.Branch, here, merged); err != nil {
			return nil, err
		}
	}
	if kept == "" && refs.away != nil {
		kept = fmt.Sprintf("%s cannot be reached: %s", refs.remote, text.FirstLine(refs.away.Error()))
	}
	if there != "" {
		b := SweptBranch{Name: l.Branch, Remote: refs.remote, At: there, Why: why, Kept: kept, Waits: waits}
		if b.Kept == "" && there != merged && (l.Pull != 0 || there != l.Pushed) {
			b.Kept = "it has moved on " + refs.remote + " since it was merged"
		}
		if b.Kept == "" && why == "" {
			b.Why, b.Kept, err = s.explainContained(ctx, merged, l.Target, refs.there[l.Target], refs.remote)
		}
		list = append(list, b)
	}
	if here != "" && err == nil {
		b := SweptBranch{Name: l.Branch, At: here, Why: why, Kept: kept, Waits: waits}
		if b.Kept == "" && why == "" {
			b.Why, b.Kept, err = s.explainContained(ctx, merged, l.Target, refs.here[l.Target], "")
		}
		list = append(list, b)
	}
	return list, err
}

// whyMerged returns the merged commit and the forge's confirmation, which counts even if a squash
// made another commit of it; or why the branch is kept.
func (s Sweep) whyMerged(ctx context.Context, l evidence.Landed) (merged, why, kept string, waits bool) {
	if l.Pull == 0 {
		return l.Commit, "", s.Unfinished[l.Branch], false
	}
	p, err := s.Pull(ctx, l.Pull)
	switch {
	case err != nil:
		kept = fmt.Sprintf("its pull request cannot be read: %v", err)
	case p.Open:
		waits, kept = true, fmt.Sprintf("its pull request #%d is open", l.Pull)
	case !p.Merged:
		kept = fmt.Sprintf("its pull request #%d was closed without a merge", l.Pull)
	case p.Commit != "":
		return p.Commit, fmt.Sprintf("its pull request #%d is merged", l.Pull), s.Unfinished[l.Branch], false
	default:
		kept = s.Unfinished[l.Branch]
	}
	return l.Commit, "", kept, waits
}

// whyNeeded returns who needs the local branch, or "".
func (s Sweep) whyNeeded(ctx context.Context, branch, here, merged string) (string, error) {
	if here == "" {
		return "", nil
	}
	user, err := s.Work.FindUser(ctx, branch)
	switch {
	case user != "":
		return "it is checked out in " + user, nil
	case err != nil:
		return "", err
	case !s.isAncestor(merged, here):
		return "it has commits since it was merged", nil
	}
	return "", nil
}

// isAncestor reports whether a commit is in another's history; false if it is unknown here.
func (s Sweep) isAncestor(of, commit string) bool {
	if of == commit {
		return true
	}
	in, err := s.Work.Repo().Descends(of, commit)
	return err == nil && in
}

// explainContained returns that a target has a commit, or why the branch is kept.
func (s Sweep) explainContained(ctx context.Context, commit, target, tip, remote string) (why, kept string, err error) {
	name := target
	if remote != "" {
		name = remote + "/" + target
	}
	if tip == "" {
		return "", name + " is gone", nil
	}
	if a, err := s.Work.Repo().Run(ctx, git.Call{Args: []string{"cat-file", "-e", tip + "^{commit}"}}); err != nil {
		return "", "", err
	} else if a.Exit != 0 && remote != "" {
		if _, err := s.Work.Remotes().Fetch(ctx, remote, target); err != nil {
			return "", fmt.Sprintf("%s cannot be fetched: %s", name, text.FirstLine(err.Error())), nil
		}
	}
	if !s.isAncestor(tip, commit) {
		return "", "it has commits that are not in " + name, nil
	}
	return "all of it is in " + name, "", nil
}
