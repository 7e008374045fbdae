package proc

import (
	"context"
	"time"
)

// stuckAfter is how long a killed process may take to disappear. The kernel needs microseconds,
// unless it is stuck for ever.
const stuckAfter = 10 * time.Second

// dying is how long to wait for the rest of a killed group, so that the caller finds it gone.
const dying = time.Second

// poll is the interval between checks of a group that is about to end.
const poll = 5 * time.Millisecond

// A group is a running command with all its descendants that did not leave it. Every method may be
// called at any time and repeatedly.
type group interface {
	terminate() // asks it to end
	kill()      // forces it
	gone() bool // reports that nothing is left; valid once the command was waited for
	close()
}

// gentle is a group with its own way to ask the command to end.
type gentle struct {
	group
	ask func()
}

func (g gentle) terminate() { g.ask() }

// A reason is why a command ended.
type reason int

const (
	ownExit reason = iota
	timeUp
	fellSilent
	ctxEnded
)

// await returns when the command is over and its group was killed. left means that the command is
// still there nevertheless.
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
	// A command that finished at the last moment counts as finished.
	if isClosed(exited) {
		why = ownExit
	}
	if why != ownExit {
		// The grace is for the whole group: a shell dies of the first signal, while its children
		// may have to clean up.
		g.terminate()
		untilGone(exited, g, grace)
	}
	// The group's id is not reused while a process of it lives. Once none does, the number comes up
	// again only after all others, so this signal, sent at once, reaches the group or nothing.
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
