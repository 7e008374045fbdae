// Package fleetlink reaches a fleet through the program warp-fleet: it reads its output and
// gives it commands. Only warp-fleet links Temporal.
package fleetlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Program is warp-fleet, with the flags that locate the fleet.
type Program struct {
	path    string
	flags   []string
	environ []string
}

// Find finds the program. The flags are passed to every command.
func Find(a *app.App, flags []string) (*Program, error) {
	path, err := app.Beside("warp-fleet")
	if err != nil {
		return nil, err
	}
	return &Program{path: path, flags: flags, environ: a.AllEnviron()}, nil
}

// Bounds of reading and waiting.
const (
	mostLine = 64 << 20         // a fleet of many thousands
	again    = 3 * time.Second  // before restarting the program after it ended
	slowest  = 30 * time.Second // the delay grows up to this while the server is gone
)

// Run runs a command, given by its name and arguments, with the flags of the fleet after its
// name.
func (p *Program) Run(ctx context.Context, args ...string) app.Said {
	return app.RunProgram(ctx, proc.Cmd{Argv: slices.Concat([]string{p.path, args[0]}, p.flags, args[1:]), Env: p.environ, Keep: mostLine})
}

// Look reads the fleet once.
func (p *Program) Look(ctx context.Context) (v fleetview.View, err error) {
	said := p.Run(ctx, "status", "--json")
	if said.Code != 0 {
		return v, errors.New(said.Text)
	}
	if err := json.Unmarshal(said.Out, &v); err != nil {
		return v, fmt.Errorf("reading what warp-fleet printed: %w", err)
	}
	return v, nil
}

// Follow calls show with every change, or with the error that prevents one, until ctx is done.
// It restarts a program that ended.
func (p *Program) Follow(ctx context.Context, show func(fleetview.View, error)) {
	wait := again
	for ctx.Err() == nil {
		err := p.follow(ctx, func(v fleetview.View) {
			wait = again
			show(v, nil)
		})
		if ctx.Err() != nil {
			return
		}
		show(fleetview.View{}, err)
		_ = app.Sleep(ctx, wait)
		wait = min(2*wait, slowest)
	}
}

func (p *Program) follow(ctx context.Context, show func(fleetview.View)) error {
	var bad error
	res, err := proc.Run(ctx, proc.Cmd{Argv: slices.Concat([]string{p.path, "watch"}, p.flags, []string{"--json"}), Env: p.environ, MaxLine: mostLine, Line: func(line []byte) {
		var v fleetview.View
		if bad = json.Unmarshal(line, &v); bad == nil {
			show(v)
		}
	}})
	switch {
	case err != nil:
		return err
	case bad != nil:
		return fmt.Errorf("reading what warp-fleet printed: %w", bad)
	}
	if said := text.LastLine(string(res.Stderr)); said != "" {
		return errors.New(said)
	}
	return fmt.Errorf("warp-fleet watch ended with exit code %d", res.Exit)
}
