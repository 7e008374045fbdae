package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"warp/internal/core/event"
	"warp/internal/core/otelenv"
	"warp/internal/core/redact"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// ExportLog is where the exporter of a project says what is wrong, below its state.
const ExportLog = "state/export.log"

// StartExporter starts the process that sends what this one does to an OpenTelemetry
// collector, and ends with it. Without a variable that names a collector nothing is
// started.
func (a *App) StartExporter(d *turnstile.Drive) error {
	if !otelenv.IsSet(a.Getenv) {
		return nil
	}
	path, err := Beside(uiProgram)
	if err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	// What is over before that process has started counts, too.
	line := []string{path, "export", "--until-gone", strconv.Itoa(os.Getpid()), "--since", event.Stamp(a.Env.Now())}
	log := filepath.Join(d.Project.Home().Dir(), filepath.FromSlash(ExportLog))
	if _, _, err := proc.Detach(line, d.Root(), log, redact.ForMonitoring(a.AllEnviron())); err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	return nil
}
