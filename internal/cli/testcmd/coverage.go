package testcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/core/coverage"
	"warp/internal/core/redact"
	"warp/internal/core/telemetry"
	"warp/internal/engine/detect"
	"warp/internal/engine/judge"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// errNoCoverage says that no coverage command is known.
var errNoCoverage = errors.New(`no coverage command was detected in the project's files: run warp config set coverage_command "…", with a command that prints the figure (81.5%, or the table of Go, Node, Istanbul or coverage.py)`)

// measure runs the coverage command, where the tests
// themselves run, and notes the figure: sessions tell by how much they have changed it.
func measure(ctx context.Context, a *app.App, d *turnstile.Drive, asJSON bool) error {
	settings, err := d.Project.Settings()
	if err != nil {
		return err
	}
	command := cmp.Or(settings.CoverageCommand, coverage.Command(detect.ReadProject(d.Root())))
	if command == "" {
		return errNoCoverage
	}
	rooms, err := boxes.Rooms(a, d, settings)
	if err != nil {
		return err
	}
	tree, err := d.Tree.Fingerprint()
	if err != nil {
		return err
	}
	a.Notes([]string{"measuring the coverage: " + command})
	site := judge.Site{Dir: d.Root(), Rooms: rooms, Tree: tree, Base: tree}
	said, err := site.Run(ctx, judge.Command{Line: command, Environ: a.AllEnviron(), Redact: redact.New(a.AllEnviron()).String})
	if err != nil {
		return err
	}
	if !said.Passed {
		return fmt.Errorf("measuring the coverage: %s", said)
	}
	percent, ok := coverage.ReadOutput(said.Output)
	if !ok {
		return fmt.Errorf("measuring the coverage: %s prints no readable figure (81.5%%, or the table of Go, Node, Istanbul or coverage.py)", command)
	}
	m := coverage.Measured{Percent: percent, At: telemetry.Stamp(a.Env.Now()), By: command}
	if err := d.Store().EditFile(coverage.File, func([]byte) ([]byte, error) { return m.Text(), nil }); err != nil {
		return fmt.Errorf("recording the coverage: %w", err)
	}
	if asJSON {
		return a.JSON(m)
	}
	a.Printf("%.1f%% covered (%s)\n", m.Percent, render.Printable(command))
	return nil
}
