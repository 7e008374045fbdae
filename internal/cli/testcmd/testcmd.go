// Package testcmd is warp test: it runs the project's tests as a drive does.
package testcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/coverage"
	"warp/internal/core/redact"
	"warp/internal/core/telemetry"
	"warp/internal/engine/detect"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/mind"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	var covered bool
	c := a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "test",
		Short: "Run the project's tests as a drive does: in a clean room, compared with the old tests",
		Long: `Run the project's tests as a drive does: on the current content of the work tree, in
a clean room, and compared with the tests before the work.

During a drive the result is kept as evidence: warp state transition . tests_passed
and merge_ready find it, and nothing runs twice for the same tree. Without a drive the
tree is compared with the last commit. The command is the setting test_command, or is
detected.

--coverage measures test coverage instead, with the setting coverage_command or a
detected command (Go, JavaScript, Python), and records it: the figures of an agent
session show the change.

Exit codes: 0 the tests pass and are not weaker than before; 1 they are not.`,
		Example: "  warp test\n  warp test --coverage\n  warp test --json | jq .failing",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			free, err := takeTurn(ctx, a, d)
			if err != nil {
				return err
			}
			defer free()
			if covered {
				return measure(ctx, a, d)
			}
			p, err := drivecmd.OpenProver(ctx, a, d)
			if err != nil {
				return err
			}
			r, err := p.Test(ctx)
			if err != nil {
				return err
			}
			return print(a, r)
		}),
	})
	c.Flags().BoolVar(&covered, "coverage", false, "measure test coverage")
	return c
}

// takeTurn waits for another warp test of the work tree, whose result can be reused.
func takeTurn(ctx context.Context, a *app.App, d *turnstile.Drive) (free func(), err error) {
	state, err := trust.Folder(a.Getenv)
	if err != nil {
		return func() {}, nil // the tests may run twice
	}
	tell := func(format string, args ...any) { a.Note(format, args...) }
	return step.TakeTurn(ctx, mind.At(state, d.Root()).Tests(), "another warp test is running here", tell)
}

func print(a *app.App, r drive.TestResult) error {
	var failed error
	if !r.OK() {
		failed = &app.Silent{Code: app.Failed}
	}
	if a.AsJSON {
		if err := a.JSON(r); err != nil {
			return err
		}
		return failed
	}
	switch {
	case r.NotRun:
		a.Printf("the tests were not run: test_before_commit is false\n")
	case r.Command != "":
		a.Printf("%s\n", render.Printable(gate.Describe(r.Tested)))
	}
	for _, part := range []string{r.Excerpt, r.Why} {
		if part = strings.TrimSpace(part); part != "" {
			a.Printf("%s\n", render.Printable(part))
		}
	}
	if r.Log != "" && failed != nil {
		a.Printf("the whole output is in %s\n", r.Log)
	}
	return failed
}

// errNoCoverage means that no coverage command is known.
var errNoCoverage = errors.New(`no coverage command was detected in the project's files: run warp config set coverage_command "…", with a command that prints the figure (81.5%, or the table of Go, Node, Istanbul or coverage.py)`)

// measure runs the coverage command where the tests run, and records the figure: sessions report
// how they changed it.
func measure(ctx context.Context, a *app.App, d *turnstile.Drive) error {
	settings, err := d.Project.Settings()
	if err != nil {
		return err
	}
	command := cmp.Or(settings.CoverageCommand, coverage.Command(detect.ReadProject(d.Root())))
	if command == "" {
		return errNoCoverage
	}
	rooms, err := sandboxes.Rooms(a, d, settings)
	if err != nil {
		return err
	}
	tree, err := d.Tree.Fingerprint()
	if err != nil {
		return err
	}
	a.Note("measuring the coverage: %s", command)
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
	return a.Show(m, func() { a.Printf("%.1f%% covered (%s)\n", m.Percent, render.Printable(command)) })
}
