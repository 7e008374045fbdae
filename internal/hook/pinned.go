package hook

import (
	"warp/internal/core/drivestate"
	"warp/internal/sys/pinned"
)

// pinnedFiles returns the book of the files that only warp and people change, while the session
// works as the mind of a drive; nil otherwise.
func (c *call) pinnedFiles() (*pinned.Book, *drivestate.State, error) {
	if !c.mayWrite() {
		return nil, nil, nil
	}
	s, err := c.sight.glance()
	if err != nil || s == nil || !c.who.guides(s) || s.Phase != drivestate.Planning && s.Phase != drivestate.Coding {
		return nil, nil, err
	}
	book, ok := pinned.Open(c.drive.Root())
	if !ok {
		return nil, nil, nil
	}
	return &book, s, nil
}

// acceptPersons takes what changed since the session's last call for a person's.
func acceptPersons(c *call) error {
	book, _, err := c.pinnedFiles()
	if err != nil || book == nil {
		return err
	}
	return book.Accept()
}

// undoPinned puts back settings, issues, git's hooks and instructions to agents that the call
// changed.
func undoPinned(c *call) error {
	book, s, err := c.pinnedFiles()
	if err != nil || book == nil {
		return err
	}
	undone, err := book.Undo(s.AsksFor)
	switch {
	case undone == "":
		return err
	case c.answer.Block == "":
		c.warn(undone)
	default:
		c.answer.tell(undone)
	}
	c.recordDenial("undone", undone)
	return err
}
