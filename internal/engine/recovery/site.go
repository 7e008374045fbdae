package recovery

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// engineLease is the lease of an engine while it drives.
const engineLease = "warp-drive"

// site knows the work trees of a repository with drives: their states, and who works there.
type site struct {
	Main *turnstile.Drive // in the main work tree
	Env  turnstile.Env
	Host string
}

// separateTree returns the path of an issue's separate work tree.
func (r *site) separateTree(issue string) string { return place.Path(r.Main.Root(), "issue-"+issue) }

// localDrive is a drive with its state.
type localDrive struct {
	*turnstile.Drive
	state *drivestate.State
	err   error // the state exists but cannot be read
}

// listRoots returns the main work tree and the drives' own ones, even if git does not know them.
func (r *site) listRoots() []string {
	list := []string{r.Main.Root()}
	dirs, _ := filepath.Glob(place.Path(r.Main.Root(), "issue-*")) // the pattern is well-formed
	for _, root := range dirs {
		if !strings.Contains(filepath.Base(root), setAside) {
			list = append(list, root)
		}
	}
	return list
}

// listLocalDrives returns the drives of this repository that have a state.
func (r *site) listLocalDrives() (list []localDrive) {
	for _, root := range r.listRoots() {
		if !turnstile.HasState(root) {
			continue
		}
		d := turnstile.Open(root, r.Env)
		if v, err := d.Read(); !durable.IsMissing(err) {
			list = append(list, localDrive{d, v.State, err})
		}
	}
	return list
}

// Lease is a name that a process holds, or held.
type Lease struct {
	Name string        `json:"name"`
	PID  int           `json:"pid"`
	Dead bool          `json:"dead"`
	Age  time.Duration `json:"-"`
	root string
}

// leases lists the leases of all work trees.
func (r *site) leases() ([]Lease, error) {
	list := []Lease{}
	now := r.Env.Now()
	for _, root := range r.listRoots() {
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

// takeLease takes a lease, such as the one that keeps an engine out of a work tree during a change.
func (r *site) takeLease(store *durable.Store, name string) (*durable.Lease, error) {
	stamp, _ := proc.Started(r.Env.PID)
	hold, _, err := store.Acquire(name, durable.Process{PID: r.Env.PID, Stamp: stamp, Host: r.Host}, r.Env.Started)
	return hold, err
}

// refuseDriven refuses, before anything changes, a work tree in which an engine works, even if its
// state is gone, or in which another requirement's drive is unfinished.
func (r *site) refuseDriven(root, issue string) error {
	for _, s := range r.listLocalDrives() {
		if s.Root() != root || s.err != nil || !s.state.Phase.Active() {
			continue
		}
		owner := turnstile.OwnerOf(s.state)
		if gone := s.Ownership.IsGone(owner); !gone || s.state.Issue() != issue {
			return &turnstile.ActiveError{Issue: s.state.Issue(), Phase: s.state.Phase, PID: owner.PID, Stale: gone, Caps: s.state.Session.Caps}
		}
	}
	leases, err := r.leases()
	for _, l := range leases {
		if l.root == root && l.Name == engineLease && !l.Dead {
			return &durable.LockedError{What: "the drive", PID: l.PID, Age: l.Age}
		}
	}
	return err
}

// putAside keeps a copy of the state next to its place, and removes the state.
func (r *site) putAside(d *turnstile.Drive) ([]string, error) {
	text, err := d.Store().ReadFile(".claude/" + turnstile.StateFile)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf(".claude/%s.reset-%d", turnstile.StateFile, r.Env.Now().UnixMilli())
	if err := d.Store().EditFile(name, func([]byte) ([]byte, error) { return text, nil }); err != nil {
		return nil, err
	}
	_, err = d.Reset()
	return []string{name}, err
}
