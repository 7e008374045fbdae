package recovery

import (
	"context"
	"fmt"
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// Standing is a drive that has a state here.
type Standing struct {
	Root    string           `json:"root"`
	Issue   string           `json:"issue,omitempty"`
	Phase   drivestate.Phase `json:"phase,omitempty"`
	Branch  string           `json:"branch,omitempty"`
	Here    string           `json:"here,omitempty"`
	There   string           `json:"there,omitempty"`
	Commits []Recorded       `json:"commits"`
	Whole   bool             `json:"whole"` // nothing of it is lost
	Alive   bool             `json:"alive"` // a process drives it
	Error   string           `json:"error,omitempty"`
}

// Recorded is a commit in a drive's state.
type Recorded struct {
	Hash   string `json:"hash"`
	Here   bool   `json:"here"`      // it is in this repository
	Branch bool   `json:"on_branch"` // it, or its rebased version, is on the branch
}

// Status is everything that can be recovered or cleared away.
type Status struct {
	Drives []Standing `json:"drives"`
	Gone   []string   `json:"work_trees_gone"` // their folders
	Found  []Found    `json:"branches"`        // with unmerged work of drives
	Leases []Lease    `json:"leases"`
	Remote string     `json:"remote,omitempty"`
	Notes  []string   `json:"notes,omitempty"`
}

// Status inspects everything. Except for fetching, unless offline, it changes nothing.
func (r *Recovery) Status(ctx context.Context, offline bool) (Status, error) {
	r.notes = nil
	s := Status{Drives: []Standing{}, Gone: []string{}, Found: []Found{}, Leases: []Lease{}, Remote: r.remote}
	if !offline {
		r.fetch(ctx)
	}
	for _, at := range r.listLocalDrives() {
		s.Drives = append(s.Drives, r.inspect(ctx, at))
	}
	gone, err := r.missingWorkTrees(ctx)
	if err != nil {
		return s, err
	}
	for _, w := range gone {
		s.Gone = append(s.Gone, w.Path)
	}
	found, err := Scan(ctx, r.repo, r.remote, r.target)
	if err != nil {
		return s, err
	}
	for _, f := range found {
		if !f.Merged {
			s.Found = append(s.Found, f)
		}
	}
	s.Leases, err = r.leases()
	s.Notes = r.notes
	return s, err
}

// branchless are the phases in which a drive does not need its branch.
var branchless = []drivestate.Phase{drivestate.Idle, drivestate.Prerequisites, drivestate.Discovering, drivestate.AwaitingContinue, drivestate.SessionEnding, drivestate.Aborted, drivestate.Completed}

// inspect examines a drive. It is whole if it has everything it needs: its work tree, its branch,
// its commits.
func (r *Recovery) inspect(ctx context.Context, at localDrive) Standing {
	s := Standing{Root: at.Root(), Commits: []Recorded{}}
	if at.err != nil {
		s.Error = at.err.Error()
		return s
	}
	s.Issue, s.Phase, s.Branch = at.state.Issue(), at.state.Phase, at.state.BranchName()
	s.Alive = s.Phase.Active() && !at.Ownership.IsGone(turnstile.OwnerOf(at.state))
	if s.Branch != "" {
		s.Here, s.There = r.tips(ctx, s.Branch)
	}
	complete := s.Here != "" && (at.state.Chunk.Base == "" || r.hasObject(ctx, at.state.Chunk.Base))
	var t trail
	if s.Here != "" {
		t, _ = r.trail(ctx, s.Issue, s.Here) // on an error, they are not on the branch
	}
	for _, hash := range at.state.CommitHashes {
		c := Recorded{Hash: hash, Here: r.hasObject(ctx, hash)}
		if s.Here != "" {
			c.Branch, _ = r.contains(ctx, s.Here, t, hash)
		}
		complete = complete && c.Branch
		if s.Branch != "" {
			s.Commits = append(s.Commits, c)
		}
	}
	trees, err := r.Tree.Worktrees(ctx)
	// A work tree that git has forgotten has files, but no git command works in it.
	known := s.Root == r.Main.Root() || err == nil && slices.ContainsFunc(trees, func(w gitwrite.Worktree) bool { return w.Path == s.Root && !w.Missing })
	s.Whole = known && (complete || s.Branch == "" || slices.Contains(branchless, s.Phase))
	return s
}

// Step is one action of a reset.
type Step struct {
	What string   `json:"what"` // state, lease, work tree
	Name string   `json:"name"`
	Kept []string `json:"kept,omitempty"`
	Done bool     `json:"done"`
	do   func(context.Context) ([]string, error)
}

// Do carries out the action.
func (s *Step) Do(ctx context.Context) (err error) {
	s.Kept, err = s.do(ctx)
	s.Done = err == nil
	return err
}

// Reset plans how to free a repository: it sets unfinished states aside, takes the leases of dead
// processes, and forgets missing work trees. It touches no file of a work tree, and is refused
// while an engine drives.
func (r *Recovery) Reset(ctx context.Context) ([]*Step, error) {
	list := []*Step{}
	add := func(what, name string, do func(context.Context) ([]string, error)) {
		list = append(list, &Step{What: what, Name: name, do: do})
	}
	for _, s := range r.listLocalDrives() {
		name := s.Root()
		if s.err == nil {
			if !s.state.Phase.Active() {
				continue
			}
			if err := r.refuseDriven(s.Root(), s.state.Issue()); err != nil {
				return nil, err
			}
			name = fmt.Sprintf("#%s in phase %s, in %s", s.state.Issue(), s.state.Phase, s.Root())
		}
		add("state", name, func(context.Context) ([]string, error) { return r.putAside(s.Drive) })
	}
	leases, err := r.leases()
	if err != nil {
		return nil, err
	}
	for _, l := range leases {
		if !l.Dead {
			continue
		}
		add("lease", fmt.Sprintf("%s of process %d, which is gone", l.Name, l.PID), func(context.Context) ([]string, error) {
			hold, err := r.takeLease(turnstile.Open(l.root, r.Env).Store(), l.Name)
			if err != nil {
				return nil, err
			}
			return nil, hold.Release()
		})
	}
	gone, err := r.missingWorkTrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range gone {
		add("work tree", w.Path, func(ctx context.Context) ([]string, error) {
			k := &keeper{tree: r.Tree, env: r.Env, name: "reset"}
			err := k.forgetWorkTree(ctx, w)
			return k.kept, err
		})
	}
	return list, nil
}
