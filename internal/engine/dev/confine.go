package dev

import (
	"context"
	"errors"

	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// home names the home folder of dev.json's commands. Commands that judge have another: a
// long-running server could leave something there.
const home = "dev"

// confine puts a command of dev.json into its sandbox: an agent may have written it. It uses the
// machine's network, since browsers and checks have to reach the server, and the server databases.
// done cleans up after it.
func (p *plan) confine(c proc.Cmd, port int) (confined proc.Cmd, done func() error, err error) {
	if p.Confine == nil {
		return c, func() error { return nil }, nil
	}
	own, err := p.ownVariables(port)
	if err != nil {
		return c, nil, err
	}
	o := contain.Command{Name: home, Env: p.Variables(), Set: own, Network: sandbox.OpenNet}
	if err := p.reach(&o, own); err != nil {
		return c, nil, err
	}
	return p.Confine(c, o)
}

// runConfined runs a command of dev.json in its sandbox.
func (p *plan) runConfined(ctx context.Context, c proc.Cmd, port int) (proc.Result, error) {
	c, done, err := p.confine(c, port)
	if err != nil {
		return proc.Result{}, err
	}
	res, err := proc.Run(ctx, c)
	return res, errors.Join(err, done())
}
