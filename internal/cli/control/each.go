package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// aborted is a stopped drive and its engine.
type aborted struct {
	*turnstile.Drive
	engine     durable.LeaseFile
	here, runs bool
}

// stopEach stops drives, continuing after a failure. It signals their processes once all are
// stopped, because one process may run several.
func stopEach(ctx context.Context, a *app.App, targets []*turnstile.Drive, o stopOptions) error {
	var errs []error
	var list []aborted
	for _, d := range targets {
		nameDrive(a, d, targets)
		s := aborted{Drive: d}
		s.engine, s.here, s.runs = app.FindEngine(d, a, drivestate.Lease)
		switch more, err := s.stopDrive(ctx, a, o); {
		case err != nil:
			errs = append(errs, err)
			if len(targets) > 1 {
				a.Printf("not stopped\n")
			}
		case more:
			list = append(list, s)
		}
	}
	signalled := map[int]bool{} // by PID
	for _, s := range list {
		nameDrive(a, s.Drive, targets)
		a.Printf("%s\n", s.follow(a, targets, signalled, o.skip))
	}
	return errors.Join(errs...)
}

func nameDrive(a *app.App, d *turnstile.Drive, targets []*turnstile.Drive) {
	if len(targets) > 1 {
		a.Printf("%s: ", render.Printable(d.Root()))
	}
}

// stopDrive stops one drive, and reports whether a process has to clean up.
func (s aborted) stopDrive(ctx context.Context, a *app.App, o stopOptions) (more bool, err error) {
	if o.hard {
		if s.runs {
			return false, fmt.Errorf("the state is in use by a running warp drive, so it was not deleted: %w; run warp stop first",
				s.engine.Locked(a.Env.Now()))
		}
		notes, err := s.Reset()
		a.Notes(notes)
		if err == nil {
			a.Printf("state deleted; uncommitted work stays in the work tree\n")
		}
		return false, err
	}
	if v, err := s.Read(); err == nil && v.State.Phase == drivestate.Aborted && s.runs {
		a.Printf("it is being stopped already: process %d cleans up\n", s.engine.PID)
		return false, nil
	} else if err == nil && v.State.Phase == drivestate.Aborted {
		a.Printf("it is stopped already; warp next or warp resume cleans up: it commits work in progress, files a report, and begins nothing else\n")
		return false, nil
	} else if err == nil && !v.State.Phase.Active() {
		a.Printf("the last drive here has ended (%s); there is nothing to stop\n", v.State.Phase)
		return false, nil
	}
	if v, err := s.Read(); err == nil && s.runs && s.here && slices.Contains(finishedPhases, v.State.Phase) {
		if o.skip {
			a.Printf("everything is done and committed, and is being merged: there is nothing left to skip\n")
			return false, nil
		}
		last := "merges it"
		if v.State.Session.Level == 2 {
			last = "opens its pull request"
		}
		a.Printf("everything is done and committed: %s %s\n", evidence.RepeatCaps("warp resume", v.State.Issue(), v.State.Session.Caps), last)
		return true, nil
	}
	res, err := s.Fire(ctx, drivestate.Abort, "")
	err = a.Report(res, err)
	return err == nil, err
}

// finishedPhases are the phases in which only the merge is left: a drive interrupted there is
// not given up.
var finishedPhases = []drivestate.Phase{drivestate.RequirementComplete, drivestate.Merging, drivestate.AwaitingContinue, drivestate.SessionEnding}

// follow makes the drive's process clean up, and describes it.
func (s aborted) follow(a *app.App, targets []*turnstile.Drive, signalled map[int]bool, skip bool) string {
	const later = "cleans up when the agent's current run ends"
	owner, pid := s.Ownership.ReadOwner(), s.engine.PID
	switch {
	case s.runs && !s.here:
		return fmt.Sprintf("process %d on %s runs it, and %s", pid, render.Printable(s.engine.Host), later)
	case s.runs && skip:
		return fmt.Sprintf("process %d %s, and continues with the next issue", pid, later)
	case s.runs && signalled[pid]:
		return fmt.Sprintf("process %d cleans up", pid)
	case s.runs && sharesEngine(a, s.Drive, targets, pid):
		return fmt.Sprintf("process %d also drives other issues, so it is not interrupted: it %s", pid, later)
	case s.runs:
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(os.Interrupt)
		}
		if err != nil {
			return fmt.Sprintf("process %d could not be interrupted (%v): it %s", pid, err, later)
		}
		signalled[pid] = true
		return fmt.Sprintf("process %d was interrupted and cleans up", pid)
	case owner.Session != "" && !s.Ownership.IsGone(owner):
		return fmt.Sprintf("the agent session in process %d is notified and cleans up", owner.PID)
	}
	return "no engine runs it: warp resume or warp next cleans up (commits work in progress, files a report)"
}

// sharesEngine reports whether the engine also runs a drive that must not be stopped.
func sharesEngine(a *app.App, d *turnstile.Drive, targets []*turnstile.Drive, pid int) bool {
	for _, o := range app.FindOtherDrives(d, a.Env) {
		e, here, runs := app.FindEngine(o.Drive, a, drivestate.Lease)
		stopped := slices.ContainsFunc(targets, func(t *turnstile.Drive) bool { return t.Root() == o.Root() })
		if runs && here && e.PID == pid && !stopped {
			return true
		}
	}
	return false
}

// stopAfter asks the night to begin no further issue.
func stopAfter(a *app.App, d *turnstile.Drive) error {
	_, _, runs := app.FindEngine(d, a, drivestate.Lease)
	for _, o := range app.FindOtherDrives(d, a.Env) {
		_, _, also := app.FindEngine(o.Drive, a, drivestate.Lease)
		runs = runs || also
	}
	if !runs {
		return app.WrongUsage("no warp drive runs here, so there is nothing to stop")
	}
	if err := durable.WriteNote(app.StopAfterFile(d), nil); err != nil {
		return fmt.Errorf("asking the night to stop: %w", err)
	}
	a.Printf("the night ends after the current issue\n")
	return nil
}
