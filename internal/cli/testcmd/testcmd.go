// Package testcmd is warp test: the project's tests as a drive runs them.
package testcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/prover"
	"warp/internal/engine/gate"
	"warp/internal/engine/mind"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON, covered bool
	c := &cobra.Command{
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
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			free, err := takeTurn(ctx, a, d)
			if err != nil {
				return err
			}
			defer free()
			if covered {
				return measure(ctx, a, d, asJSON)
			}
			p, err := prover.Open(ctx, a, d)
			if err != nil {
				return err
			}
			r, err := p.Test(ctx)
			if err != nil {
				return err
			}
			return print(a, r, asJSON)
		}),
	}
	c.Flags().BoolVar(&covered, "coverage", false, "measure test coverage")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// takeTurn waits for another warp test of the work tree: what that one finds out need not
// be found out again.
func takeTurn(ctx context.Context, a *app.App, d *turnstile.Drive) (free func(), err error) {
	state, err := trust.Folder(a.Getenv)
	if err != nil {
		return func() {}, nil // then it may be found out twice
	}
	tell := func(format string, args ...any) { a.Notes([]string{fmt.Sprintf(format, args...)}) }
	return step.TakeTurn(ctx, mind.At(state, d.Root()).Tests(), "another warp test is running here", tell)
}

func print(a *app.App, r drive.TestResult, asJSON bool) error {
	var failed error
	if !r.OK() {
		failed = &app.Silent{Code: app.Failed}
	}
	if asJSON {
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
