package recovery

import (
	"context"
	"path/filepath"
	"time"

	"warp/internal/core/drive"
	"warp/internal/turnstile"
)

// Standing is a drive that has a state here.
type Standing struct {
	Root    string      `json:"root"`
	Issue   string      `json:"issue,omitempty"`
	Phase   drive.Phase `json:"phase,omitempty"`
	Branch  string      `json:"branch,omitempty"`
	Here    string      `json:"here,omitempty"`
	There   string      `json:"there,omitempty"`
	Commits []Recorded  `json:"commits"`
	Whole   bool        `json:"whole"` // nothing of it is lost
	Alive   bool        `json:"alive"` // somebody drives it
	Error   string      `json:"error,omitempty"`
}

// Recorded is a commit that a state knows.
type Recorded struct {
	Hash   string `json:"hash"`
	Here   bool   `json:"here"`      // it is in this repository
	Branch bool   `json:"on_branch"` // it, or what a rebase made of it
}

// Lease is a name that a process holds, or held.
type Lease struct {
	Name string        `json:"name"`
	PID  int           `json:"pid"`
	Dead bool          `json:"dead"`
	Age  time.Duration `json:"-"`
	root string
}

// Status is all that there is to bring back, or to clear away.
type Status struct {
	Drives []Standing `json:"drives"`
	Gone   []string   `json:"work_trees_gone"` // their folders
	Found  []Found    `json:"branches"`        // with work of drives that is not merged
	Leases []Lease    `json:"leases"`
	Remote string     `json:"remote,omitempty"`
	Notes  []string   `json:"notes,omitempty"`
}

// Status looks at everything. Besides fetching, unless offline, it changes
// nothing.
func (r *Recovery) Status(ctx context.Context, offline bool) (Status, error) {
	r.notes = nil
	s := Status{Drives: []Standing{}, Gone: []string{}, Found: []Found{}, Leases: []Lease{}, Remote: r.remote}
	if !offline {
		r.fetch(ctx)
	}
	for _, at := range r.standings() {
		s.Drives = append(s.Drives, r.standing(ctx, at))
	}
	gone, err := r.gone(ctx)
	if err != nil {
		return s, err
	}
	for _, w := range gone {
		s.Gone = append(s.Gone, w.Path)
	}
	found, err := Scan(ctx, r.Tree.Repo(), r.remote, r.target)
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

func (r *Recovery) standing(ctx context.Context, at standing) Standing {
	s := Standing{Root: at.Root(), Commits: []Recorded{}}
	if at.err != nil {
		s.Error = at.err.Error()
		return s
	}
	s.Issue, s.Phase, s.Branch = at.state.Issue(), at.state.Phase, at.state.BranchName()
	s.Whole, s.Alive = r.whole(ctx, at.state), at.state.Phase.Active() && !at.Ownership.IsGone(turnstile.OwnerOf(at.state))
	if s.Branch == "" {
		return s
	}
	s.Here = r.tip(ctx, "refs/heads/"+s.Branch)
	if r.remote != "" {
		s.There = r.tip(ctx, "refs/remotes/"+r.remote+"/"+s.Branch)
	}
	var t trail
	if s.Here != "" {
		t, _ = r.trail(s.Issue, s.Here) // then it is not on the branch
	}
	for _, hash := range at.state.CommitHashes {
		c := Recorded{Hash: hash, Here: r.has(ctx, hash)}
		if s.Here != "" {
			c.Branch, _ = r.contains(s.Here, hash, t, s.Issue)
		}
		s.Commits = append(s.Commits, c)
	}
	return s
}

// leases lists the leases of all work trees.
func (r *Recovery) leases() ([]Lease, error) {
	list := []Lease{}
	roots := []string{r.Main.Root()}
	dirs, _ := filepath.Glob(filepath.Join(r.Main.Root(), filepath.FromSlash(Worktrees), "issue-*")) // the pattern is well-formed
	now := r.Env.Now()
	for _, root := range append(roots, dirs...) {
		files, err := turnstile.Open(root, r.Env).Store().Leases()
		if err != nil {
			return list, err
		}
		for _, f := range files {
			list = append(list, Lease{Name: f.Session, PID: f.PID, Dead: f.Stale(r.Host, r.Env.Started, now), Age: f.Age(now), root: root})
		}
	}
	return list, nil
}
