package drive

import (
	"context"
	"errors"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
)

// describeFinish says what is left to do when everything is committed.
func describeFinish(level int) string {
	if level == 2 {
		return "opens its pull request"
	}
	return "merges it"
}

const stopTime = 2 * time.Minute

// stopDrive ends the drive because a person wants it to: it keeps unfinished work and files the
// report. It has its own deadline, because the run's context is already cancelled.
func stopDrive(ctx context.Context, e *Engine) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	v, err := e.Drive.Read()
	if err != nil {
		return err
	}
	if !v.State.Phase.Active() {
		return context.Canceled
	}
	if slices.Contains([]drivestate.Phase{drivestate.RequirementComplete, drivestate.Merging, drivestate.AwaitingContinue, drivestate.SessionEnding}, v.State.Phase) {
		e.recordOutcome(v.State, evidence.Outcome{Result: evidence.Stopped, Why: "it was interrupted after everything was done and committed", Do: "warp resume " + describeFinish(v.State.Session.Level)})
		return context.Canceled
	}
	if v.State.Phase != drivestate.Aborted {
		res, err := e.Drive.Fire(ctx, drivestate.Abort, `{"failure":"stopped by a person"}`)
		if err != nil {
			return err
		}
		e.tellMove(res)
		e.pass(string(drivestate.Abort))
	}
	for {
		again, err := takeStep(ctx, e)
		if err != nil || !again {
			return errors.Join(err, context.Canceled)
		}
	}
}
