package guard

import (
	"errors"
	"fmt"
	"path/filepath"
)

// GoneError says that the repository is gone, and what can be done.
type GoneError struct {
	Top, Copies, Remote string
	Linked              bool // a work tree of the engine's own is gone, not the repository
}

func (e *GoneError) Error() string {
	if e.Linked {
		return fmt.Sprintf("the work tree %s was deleted while an agent ran; what was committed in it is on its branch", e.Top)
	}
	return fmt.Sprintf("the repository of %s is gone: its .git was deleted or moved while an agent ran. Commits, branches and stashes that were never pushed are lost with it; the files in the work tree are still there", e.Top)
}

// Advice is how to recover the rest.
func (e *GoneError) Advice() string {
	if e.Linked {
		return "resume it: the work tree is made again"
	}
	from := "git init, then git add and commit the files that are left"
	if e.Remote != "" {
		from = fmt.Sprintf("git clone %s into another folder, and move its .git here", e.Remote)
	}
	return fmt.Sprintf("%s; copies of your uncommitted and ignored files from before the run are in %s", from, e.Copies)
}

// gone says what is lost with the repository.
func (g *Guard) gone() error {
	e := &GoneError{Top: g.Work.Top(), Copies: filepath.Join(g.Dir, "files"), Remote: g.Shared.url()}
	if g.person != nil {
		_, e.Linked = g.person.locate()
	}
	return e
}

// Gone tells whether an error says so.
func Gone(err error) (*GoneError, bool) {
	var e *GoneError
	return e, errors.As(err, &e)
}
