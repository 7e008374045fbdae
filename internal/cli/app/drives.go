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

// OtherDrive is a drive in another work tree.
type OtherDrive struct {
	*turnstile.Drive
	View turnstile.View
	Err  error // why it cannot be read
}

// FindOtherDrives returns the repository's other unfinished drives, by folder.
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

// TellDrives tells the repository's drives that something other than a drive (who) moved a branch.
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

// IsSameFolder reports whether two paths lead to the same folder.
func IsSameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return a == b || err1 == nil && err2 == nil && os.SameFile(x, y)
}

// FindEngine returns the live holder of an engine's lease; here reports whether it runs on this
// machine.
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

// StopAfterFile asks a repository's night to begin no further issue. It is a file because a
// signal would also end the current issue.
func StopAfterFile(d *turnstile.Drive) string {
	return filepath.Join(d.Project.Home().Dir(), "state", "night.stop")
}

// OpenTree opens a drive's work tree. The location of its repository is cached.
func OpenTree(d *turnstile.Drive) (gitwrite.Tree, error) {
	root, err := d.Project.Repository()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	return gitwrite.At(d.Root(), root), nil
}
