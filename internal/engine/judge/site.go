package judge

import (
	"context"
	"errors"

	"warp/internal/core/redfirst"
	"warp/internal/sys/proc"
)

// Rooms opens a clean room that contains a tree and nothing else. The files of base, a commit or
// tree, decide what is installed there.
type Rooms func(ctx context.Context, tree, base string) (Room, error)

// Room is a checkout for one judgement alone.
type Room interface {
	// Confine makes a command run in the room; done cleans up after it.
	Confine(c proc.Cmd) (confined proc.Cmd, done func() error, err error)
	Leave() error
	// Folder returns the project's folder in the room.
	Folder() string
	// Top returns the top of the checkout.
	Top() string
	// Taken returns the tree with the changes made to its files.
	Taken(ctx context.Context) (tree string, err error)
	// Left lists the files that are new or changed since the room was opened, relative to its top.
	Left(ctx context.Context) (files []string, err error)
	// Lay writes files over those of the tree, until the room is opened again.
	Lay(files []redfirst.File) error
	// Report returns a file that a runner may write to.
	Report() string
}

// Site is where commands run: in a folder as it is or, with rooms, on exactly a tree, without
// anything that an agent prepared besides its work.
type Site struct {
	Dir        string
	Rooms      Rooms // nil: in Dir
	Tree, Base string
	Over       []redfirst.File // files laid over the tree; in rooms alone
}

// CommandSetup is what all commands of a run share.
type CommandSetup struct {
	Environ   []string // of the commands
	Rooms     Rooms    // where they run; nil: in the work tree
	Protected []string // patterns of files that decide how they run
	State     string   // the user's state folder, where no agent can write; "": none
}

// Place is an entered site. As in a folder, commands in one place see what earlier ones left.
type Place struct {
	dir      string
	room     Room
	unusable *UnusableWorkError // nothing can run
}

// UnusableWorkError reports that the work itself prevents a room from being made of it: every
// command on it fails.
type UnusableWorkError struct{ Err error }

func (e *UnusableWorkError) Error() string { return e.Err.Error() }
func (e *UnusableWorkError) Unwrap() error { return e.Err }

// Enter opens a site for commands.
func (s Site) Enter(ctx context.Context) (*Place, error) {
	if s.Rooms == nil || s.Tree == "" {
		return &Place{dir: s.Dir}, nil
	}
	room, err := s.Rooms(ctx, s.Tree, s.Base)
	if unfit, is := errors.AsType[*UnusableWorkError](err); is {
		return &Place{unusable: unfit}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := room.Lay(s.Over); err != nil {
		return nil, errors.Join(err, room.Leave())
	}
	return &Place{room: room}, nil
}

// Leave gives up the place.
func (p *Place) Leave() error {
	if p.room == nil {
		return nil
	}
	return p.room.Leave()
}

func (p *Place) folder() string {
	if p.room == nil {
		return p.dir
	}
	return p.room.Folder()
}

func (p *Place) confine(c proc.Cmd) (proc.Cmd, func() error, error) {
	if p.room == nil {
		c.Dir = p.dir
		return c, func() error { return nil }, nil
	}
	return p.room.Confine(c)
}

// Run enters a site, runs one command there, and leaves it.
func (s Site) Run(ctx context.Context, c Command) (said CommandResult, err error) {
	p, err := s.Enter(ctx)
	if err != nil {
		return CommandResult{}, err
	}
	said, err = p.Run(ctx, c)
	return said, errors.Join(err, p.Leave())
}
