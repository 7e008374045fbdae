package drivecmd

import (
	"warp/internal/sys/git"
	"warp/internal/sys/pinned"
	"warp/internal/turnstile"
)

// watchPinned keeps settings, issues and git's hooks as they are while a session works: its hooks
// look after each call, and the engine once more before it uses them. What a person edits before a
// session is asked for something stays. A stash or a branch that the session leaves is named.
func watchPinned(d *turnstile.Drive, remark func(string), isSession func() bool) func() (done func() string) {
	began, none := false, func() string { return "" }
	return func() func() string {
		book, ok := pinned.Open(d.Root())
		if !ok || !isSession() { // a person may change anything
			return none
		}
		before := readGitWork(git.Repo{Dir: d.Root()})
		begin := book.Accept
		if !began {
			begin = book.Begin
		}
		if err := begin(); err != nil {
			remark("settings and issues cannot be watched while the session works: " + err.Error())
			return none
		}
		began = true
		return func() string {
			v, err := d.Read()
			if err != nil {
				return before.stashed() // the error is said where the state is used; git stash -a took it
			}
			undone, err := book.Undo(v.State.AsksFor)
			if undone != "" {
				remark(undone)
			}
			if err != nil {
				remark("putting back what the session changed: " + err.Error())
			}
			if made := before.branched(v.State.BranchName()); made != "" {
				remark(made)
			}
			return before.stashed()
		}
	}
}
