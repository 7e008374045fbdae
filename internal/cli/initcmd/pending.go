package initcmd

import (
	"context"
	"errors"
	"slices"

	"warp/internal/core/lossless"
	"warp/internal/turnstile"
)

// Registered names the agents whose settings in the project call warp.
func Registered(d *turnstile.Drive) []string {
	var names []string
	for _, ag := range agents {
		text, err := d.Store().ReadFile(ag.file)
		if err == nil && callsOurs(text) {
			names = append(names, ag.name)
		}
	}
	return names
}

func callsOurs(text []byte) bool {
	doc, err := lossless.Parse(text)
	if err != nil || doc.Get("hooks") == nil {
		return false
	}
	return slices.ContainsFunc(doc.Get("hooks").Members, func(event lossless.Member) bool {
		return slices.ContainsFunc(event.Value.Elems, func(g *lossless.Value) bool { return len(ours(g.Get("hooks"))) > 0 })
	})
}

// Pending lists the files that warp init would change, for the agents that the
// project is set up for: none where all is as this version has it.
func Pending(ctx context.Context, d *turnstile.Drive) ([]Change, error) {
	var p *plan
	for _, name := range Registered(d) {
		ag, err := findAgent(name)
		if err != nil {
			return nil, err
		}
		if p == nil {
			p, err = compose(ctx, d, ag, extras{})
		} else {
			err = p.alsoFor(ag)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case p == nil:
		return nil, nil
	case p.blind != "":
		return nil, errors.New(p.blind)
	}
	return slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Action == unchanged || c.Action == kept }), nil
}

// alsoFor plans the registration for one more agent.
func (p *plan) alsoFor(ag agent) error {
	prog, err := systemProgram()
	if err != nil {
		return err
	}
	return p.hooksFile(ag, ag.render(prog.command))
}
