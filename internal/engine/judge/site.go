package judge

import (
	"context"
	"errors"

	"warp/internal/sys/proc"
)

// Rooms opens a clean room that has a tree and nothing else. Base is a commit or tree
// whose own files say what is installed there.
type Rooms func(ctx context.Context, tree, base string) (Room, error)

// Room is a checkout that one judgement has for itself.
type Room interface {
	// Confine makes a command one that runs in the room; done ends what it needed.
	Confine(c proc.Cmd) (confined proc.Cmd, done func() error, err error)
	Leave() error
	// Folder is the project's folder in it.
	Folder() string
	// Top is that of the whole checkout.
	Top() string
	// Taken is the tree with what was made of its files.
	Taken(ctx context.Context) (tree string, err error)
	// Report is a file that a runner may write to.
	Report() string
}

// Site is where commands run: in a folder as it is, or, where there are rooms, on exactly
// a tree. There, nothing is left that an agent prepared besides its work.
type Site struct {
	Dir        string
	Rooms      Rooms // nil: in Dir
	Tree, Base string
}

// CommandSetup is what all commands of a run have in common.
type CommandSetup struct {
	Environ   []string // of the commands
	Rooms     Rooms    // that they are run in; nil: in the work tree
	Protected []string // patterns of files that decide how they are run
	State     string   // the user's state folder, where no agent can write; "": there is none
}

// Place is a site that was entered. Commands that are run in one place see what those
// before them have left, as they do in a folder.
type Place struct {
	dir      string
	room     Room
	unusable *UnusableWorkError // nothing can be run
}

// UnusableWorkError says that no room can be made of the work, because of the work
// itself: every command on it fails.
type UnusableWorkError struct{ Err error }

func (e *UnusableWorkError) Error() string { return e.Err.Error() }
func (e *UnusableWorkError) Unwrap() error { return e.Err }

// Enter makes a place of a site.
func (s Site) Enter(ctx context.Context) (*Place, error) {
	if s.Rooms == nil || s.Tree == "" {
		return &Place{dir: s.Dir}, nil
	}
	room, err := s.Rooms(ctx, s.Tree, s.Base)
	var unfit *UnusableWorkError
	if errors.As(err, &unfit) {
		return &Place{unusable: unfit}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Place{room: room}, nil
}

// Leave gives the place back.
func (p *Place) Leave() error {
	if p.room == nil {
		return nil
	}
	return p.room.Leave()
}

// folder is where the commands run.
func (p *Place) folder() string {
	if p.room == nil {
		return p.dir
	}
	return p.room.Folder()
}

// report is a file for what a runner says of its tests; "": there is none.
func (p *Place) report() string {
	if p.room == nil {
		return ""
	}
	return p.room.Report()
}

// confine makes a command one that runs in this place.
func (p *Place) confine(c proc.Cmd) (proc.Cmd, func() error, error) {
	if p.room == nil {
		c.Dir = p.dir
		return c, func() error { return nil }, nil
	}
	return p.room.Confine(c)
}

// Run runs one command on a site.
func (s Site) Run(ctx context.Context, c Command) (said CommandResult, err error) {
	p, err := s.Enter(ctx)
	if err != nil {
		return CommandResult{}, err
	}
	said, err = p.Run(ctx, c)
	return said, errors.Join(err, p.Leave())
}
