package control

import (
	"errors"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// stopAfter asks the night to begin no further issue.
func stopAfter(a *app.App, d *turnstile.Drive) error {
	_, _, runs := app.FindEngine(d, a, drivestate.Lease)
	for _, o := range app.FindOtherDrives(d, a.Env) {
		_, _, also := app.FindEngine(o.Drive, a, drivestate.Lease)
		runs = runs || also
	}
	if !runs {
		return &app.UsageError{Err: errors.New("no warp drive runs here, so there is nothing to stop")}
	}
	if err := durable.WriteNote(app.StopAfterFile(d), nil); err != nil {
		return fmt.Errorf("asking the night to stop: %w", err)
	}
	a.Printf("the night ends after the issue that is under way\n")
	return nil
}
