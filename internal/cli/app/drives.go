package app

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// OtherDrive is a drive as it stands in its work tree.
type OtherDrive struct {
	*turnstile.Drive
	View turnstile.View
	Err  error // it cannot be read
}

// FindOtherDrives lists the unfinished drives of a repository besides its own, by their
// folders.
func FindOtherDrives(d *turnstile.Drive, env turnstile.Env) (list []OtherDrive) {
	place, ok := git.Locate(d.Root())
	if !ok {
		return nil
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if !turnstile.HasState(root) || IsSameFolder(root, d.Root()) {
			continue
		}
		o := OtherDrive{Drive: turnstile.Open(root, env)}
		o.View, o.Err = o.Read()
		if o.Err == nil && !o.View.State.Phase.Active() {
			continue
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b OtherDrive) int { return cmp.Compare(a.Root(), b.Root()) })
	return list
}

// TellDrives tells the drives of the repository that something else than a drive moved a
// branch; who is what did.
func TellDrives(d *turnstile.Drive, who string, say func(string)) func(branch, old, new string) {
	return func(branch, old, new string) {
		place, ok := git.Locate(d.Root())
		if !ok {
			return
		}
		for _, err := range turnstile.TellDrives(place, "", who, drivestate.Move{Branch: branch, Old: old, New: new}) {
			say(err.Error())
		}
	}
}

// IsSameFolder reports whether two paths lead to one folder.
func IsSameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return a == b || err1 == nil && err2 == nil && os.SameFile(x, y)
}

// FindEngine is the process that holds the lease of an engine now; here reports whether it
// does so on this machine.
func FindEngine(d *turnstile.Drive, a *App, lease string) (f durable.LeaseFile, here, runs bool) {
	list, err := d.Store().Leases()
	if err != nil {
		return f, false, false
	}
	host := Hostname()
	for _, f := range list {
		if f.Session == lease && !f.Stale(host, a.Env.Started, a.Env.Now()) {
			return f, f.Host == host, true
		}
	}
	return f, false, false
}

// StopAfterFile asks the night of a repository to begin no further issue. It is a file and
// no signal: a signal ends the issue that is under way, too.
func StopAfterFile(d *turnstile.Drive) string {
	return filepath.Join(d.Project.Home().Dir(), "state", "night.stop")
}

// OpenTree opens the work tree of a drive. Where its repository is, is looked for once.
func OpenTree(d *turnstile.Drive) (gitwrite.Tree, error) {
	root, err := d.Project.Repository()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	return gitwrite.At(d.Root(), root), nil
}
