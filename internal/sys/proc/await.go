package proc

import (
	"context"
	"time"
)

// stuckAfter is how long a killed process may take to be gone. The kernel needs
// microseconds, unless it will never do it.
const stuckAfter = 10 * time.Second

// dying is how long the rest of a killed group is waited for, so that the caller
// finds it gone.
const dying = time.Second

// poll is how often a group that is about to end is looked at.
const poll = 5 * time.Millisecond

// A group is a running command together with all that it started and that did
// not leave it. Every method may be called at any time and any number of times.
type group interface {
	terminate() // asks
	kill()      // does not ask
	gone() bool // nothing is left; meaningful once the command itself has been waited for
	close()
}

// gentle is a group that is ended in another way.
type gentle struct {
	group
	ask func()
}

func (g gentle) terminate() { g.ask() }

// A reason says why a command is over.
type reason int

const (
	ownExit reason = iota
	timeUp
	fellSilent
	ctxEnded
)

// await returns when the command is over and its group has been killed. left
// says that the command is still there in spite of it.
func await(ctx context.Context, limit <-chan time.Time, silent, exited <-chan struct{}, g group, grace, stuck time.Duration) (why reason, left bool) {
	select {
	case <-exited:
	case <-limit:
		why = timeUp
	case <-silent:
		why = fellSilent
	case <-ctx.Done():
		why = ctxEnded
	}
	// A command that made it to its end at the last moment made it.
	if isClosed(exited) {
		why = ownExit
	}
	if why != ownExit {
		// The grace is for the whole group: a shell dies of the first signal,
		// while what it started may have something to put in order.
		g.terminate()
		untilGone(exited, g, grace)
	}
	// The id of the group is not reused while one process of it lives. When
	// none lives, its number comes up again only after all the others have,
	// so this signal, sent at once, meets the group or no process.
	g.kill()
	if !within(stuck, exited) {
		return why, true
	}
	untilGone(exited, g, dying)
	return why, false
}

// untilGone waits, up to a limit, for the command and then for its group.
func untilGone(exited <-chan struct{}, g group, limit time.Duration) {
	end := time.NewTimer(limit)
	defer end.Stop()
	select {
	case <-exited:
	case <-end.C:
		return
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !g.gone() {
		select {
		case <-tick.C:
		case <-end.C:
			return
		}
	}
}

func within(limit time.Duration, c <-chan struct{}) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return isClosed(c)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
