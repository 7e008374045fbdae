package initcmd

import (
	"context"
	"errors"
	"slices"

	"warp/internal/core/lossless"
	"warp/internal/turnstile"
)

// Registered names the agents whose settings in the project call warp.
func Registered(d *turnstile.Drive) (names []string) {
	for _, ag := range registered(d) {
		names = append(names, ag.name)
	}
	return names
}

func registered(d *turnstile.Drive) []agent {
	return slices.DeleteFunc(slices.Clone(agents), func(ag agent) bool {
		text, err := d.Store().ReadFile(ag.file)
		return err != nil || !callsOurs(text)
	})
}

func callsOurs(text []byte) bool {
	doc, err := lossless.Parse(text)
	if err != nil || doc.Get("hooks") == nil {
		return false
	}
	return slices.ContainsFunc(doc.Get("hooks").Members, func(event lossless.Member) bool {
		return slices.ContainsFunc(event.Value.Elems, func(g *lossless.Value) bool { return len(ourEntries(g.Get("hooks"))) > 0 })
	})
}

// Pending lists the files that warp init would change, for the agents the project is set up for.
func Pending(ctx context.Context, d *turnstile.Drive) ([]Change, error) {
	set := registered(d)
	if len(set) == 0 {
		return nil, nil
	}
	p, err := compose(ctx, d, extras{}, set...)
	if err == nil && p.blind != "" {
		err = errors.New(p.blind)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Action == unchanged || c.Action == kept }), nil
}
