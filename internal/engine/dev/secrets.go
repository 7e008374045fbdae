package dev

import "warp/internal/core/dev"

// secretsOf is what dev.json itself may hold of secrets, as an environment.
func secretsOf(m dev.Manifest) []string {
	var all []string
	if m.Server != nil {
		for _, v := range m.Server.Env {
			all = append(all, v.Name+"="+v.Value)
		}
	}
	if m.Migrations != nil {
		all = append(all, "DATABASE="+m.Migrations.Database)
	}
	if m.Seed != nil {
		all = append(all, "DATABASE="+m.Seed.Database)
	}
	if m.Auth != nil {
		all = append(all, "DATABASE="+m.Auth.Database)
	}
	return all
}

// clean takes secrets out of an error's text.
func (e *Environment) clean(err error) error {
	if text := e.redact.String(err.Error()); text != err.Error() {
		return &cleaned{text, err}
	}
	return err
}

type cleaned struct {
	text string
	err  error
}

func (c *cleaned) Error() string { return c.text }
func (c *cleaned) Unwrap() error { return c.err }
