package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// landSession lands the session's commits on the branch it began on. A non-empty why says what
// blocks that: it waits for a person, and can be resumed.
func (w *lanes) landSession(ctx context.Context) (why string, err error) {
	r := w.run
	if w.own == nil || w.own.target == "" {
		return "", nil
	}
	ahead, err := w.own.hasNewCommits(r.doc.Now())
	if err != nil || !ahead && !r.resumed { // a killed engine may have left its lease
		return "", err
	}
	last := slices.IndexFunc(r.files.units, unit.commits)
	if why, err = w.own.takeBackUnasked(ctx, r.files.units[last]); err != nil || why != "" {
		return why, err
	}
	if why, err = w.own.landCommits(ctx, r.files.units[last]); err != nil || why != "" {
		return why, err
	}
	if ahead {
		w.own.tell("landed on %s", w.own.target)
	}
	return "", nil
}

// waitToLand records that a person has to look at what blocks the landing.
func (w *lanes) waitToLand(why string) {
	r := w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = &step.StoppedError{Why: why, Do: "fix that, then warp sessions resume " + r.Name + " lands the commits"}
}

// landUnit lands the commits of a unit that ran beside others or, in a loop, the session's.
func (w *lanes) landUnit(ctx context.Context, u unit) (why string, err error) {
	r := w.run
	if r.Loop {
		return w.landSession(ctx)
	}
	if !w.isApart(u) {
		return "", nil
	}
	l, err := w.laneOf(ctx, u)
	if err != nil {
		return "", err
	}
	if why, err = l.landCommits(ctx, u); err != nil || why != "" {
		return why, err
	}
	if err := w.handOver(ctx, l.guard, w.own.guard, l.branch, u.name+"-left"); err != nil {
		return "", err
	}
	if err := w.removePlace(ctx, l.place, l.branch, true); err != nil {
		r.remark("the work tree of stage %s is kept: %v", u.name, err)
	}
	return "", nil
}

// isApart reports whether a unit has its own work tree, from which it lands on the session's
// branch.
func (w *lanes) isApart(u unit) bool { return u.apart && w.own != nil && w.own.place != "" }

// laneOf returns the lane of a unit that commits while others run.
func (w *lanes) laneOf(ctx context.Context, u unit) (*lane, error) {
	r := w.run
	from, err := w.own.land.Tip(w.own.branch)
	if err != nil {
		return nil, err
	}
	name, branch := stageLane(r.doc.Now(), u)
	l, err := w.openLane(ctx, name, branch, from, u.name)
	if err != nil {
		return nil, err
	}
	l.target, l.onto = w.own.branch, w.own.guard
	return l, nil
}

// markApart marks the units that commit and may run at the same time as another: neither waits for
// the other.
func markApart(units []unit) {
	waits := make([]map[int]bool, len(units)) // everything each waits for, transitively
	var find func(i int) map[int]bool
	find = func(i int) map[int]bool {
		if waits[i] == nil {
			waits[i] = map[int]bool{}
			for _, a := range units[i].after {
				waits[i][a] = true
				for k := range find(a) {
					waits[i][k] = true
				}
			}
		}
		return waits[i]
	}
	for i := range units {
		u := &units[i]
		if !u.stage.Commit || u.member != nil || u.gathers != nil {
			continue
		}
		for k := range units {
			u.apart = u.apart || k != i && !find(i)[k] && !find(k)[i]
		}
	}
}

// landCommits rebases the lane's commits onto its target, checks each rewritten one, and moves the
// target, one lane of the repository at a time. The unit's agent resolves conflicts.
func (l *lane) landCommits(ctx context.Context, u unit) (why string, err error) {
	free, err := l.land.TakeMergeLease(ctx)
	if err != nil {
		return "", err
	}
	defer free()
	for range land.Tries {
		why, late, err := l.landOnce(ctx, u)
		var overlap *land.OverlapError
		var blocked *gitwrite.BlockedError
		var refused land.Refusal
		switch {
		case errors.As(err, &overlap), errors.As(err, &blocked), errors.Is(err, gitwrite.ErrBusy):
			return err.Error(), nil
		case errors.As(err, &refused):
			return refused.Brief(), nil
		case err != nil || why != "" || !late:
			return why, err
		}
	}
	return fmt.Sprintf("%s moved %d times while %s was landing", l.target, land.Tries, l.branch), nil
}

func (l *lane) landOnce(ctx context.Context, u unit) (why string, late bool, err error) {
	if at, err := l.land.Tip(l.target); err != nil || at == "" {
		return l.target + ", the branch to land on, is gone", false, err
	}
	if why, err := l.findDropped(); err != nil || why != "" {
		return why, false, err
	}
	r, conflict, err := l.land.Rebase(ctx, l.branch, l.target)
	if err != nil {
		return "", false, err
	}
	if conflict != nil {
		if why, err = l.resolveConflicts(ctx, u, conflict, &r); err != nil || why != "" {
			return why, false, err
		}
	}
	if r.Next != r.Tip {
		if why, err = l.checkEach(ctx, u, r); err != nil || why != "" {
			return why, false, err
		}
		if err := l.land.Follow(ctx, l.branch, r.Next); err != nil {
			return "", false, err
		}
		l.run.Passed("rebased")
	}
	// The target must not move while an agent works where it is checked out.
	free, err := step.TakeTurn(ctx, l.onto.TurnFile(), "another agent is working where "+l.target+" is checked out", l.run.remark)
	if err != nil {
		return "", false, err
	}
	defer free()
	late, err = l.land.Merge(ctx, l.branch, l.target, r.Next)
	return "", late, err
}

// findDropped finds commits the session began with that its target no longer has: a person amended
// or dropped them, perhaps because of a secret. They must not come back under the session's own
// commits.
func (l *lane) findDropped() (why string, err error) {
	tip, err := l.land.Tip(l.branch)
	if err != nil {
		return "", err
	}
	target, err := l.land.Tip(l.target)
	if err != nil {
		return "", err
	}
	list, err := l.land.Work.Repo().Commits(tip, target)
	own := slices.IndexFunc(list, func(c git.Commit) bool { // oldest first
		return slices.Contains(strings.Split(c.Message, "\n"), "Warp-Session: "+l.run.doc.Now().Session)
	})
	if err != nil || own < 1 {
		return "", err
	}
	last := list[own-1]
	return fmt.Sprintf("%s no longer has %s (%s), which %s began on: git rebase --onto %[1]s %[2]s %[4]s leaves it out",
		l.target, text.Hash(last.Hash), text.FirstLine(last.Message), l.branch), nil
}

// checkEach checks every commit that a rebase made: a history with a broken commit is useless for
// bisecting.
func (l *lane) checkEach(ctx context.Context, u unit, made land.Rebased) (why string, err error) {
	lines := l.run.lanes.landingChecks()
	if len(lines) == 0 || l.run.Checks.Rooms == nil {
		return "", nil
	}
	list, err := l.land.Work.Repo().Commits(made.Next, made.Target)
	if err != nil {
		return "", err
	}
	slices.Reverse(list) // newest first: it is the most likely to fail
	for _, c := range list {
		failed, err := l.checkCommit(ctx, c, lines)
		if err != nil {
			return "", err
		}
		if failed != "" {
			return fmt.Sprintf("on top of %s the checks fail at %q: %s", l.target, text.FirstLine(c.Message), text.Opening(failed)), nil
		}
	}
	l.run.tell(Note{Kind: Verified, Stage: u.shown, Text: fmt.Sprintf("%s on top of %s", l.branch, l.target), Passed: new(true)})
	return "", nil
}

func (l *lane) checkCommit(ctx context.Context, c git.Commit, lines []string) (failed string, err error) {
	tree, err := gate.TreeOf(ctx, l.land.Work.Repo(), c.Hash)
	if err != nil {
		return "", err
	}
	return l.checkLines(ctx, tree, lines)
}

// checkLines runs checks on a tree, and returns the output of the first that fails.
func (l *lane) checkLines(ctx context.Context, tree string, lines []string) (failed string, err error) {
	room, err := judge.Site{Dir: l.guard.Root, Rooms: l.run.Checks.Rooms, Tree: tree, Base: l.run.shield.recordedBase(0)}.Enter(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, room.Leave()) }()
	for _, line := range lines {
		if failed, err = l.run.runCheck(ctx, line, room, 0); err != nil || failed != "" {
			return failed, err
		}
	}
	return "", nil
}

// landingChecks returns the checks that must pass on what lands: those of all committing stages.
func (w *lanes) landingChecks() (lines []string) {
	r := w.run
	for _, u := range r.files.units {
		if !u.commits() {
			continue
		}
		for _, line := range r.checkCommands(u) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
