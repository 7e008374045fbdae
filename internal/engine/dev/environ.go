package dev

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/dev"
)

// environ is the environment of the project's commands: ours, what dev.json adds,
// and the port.
func (e *Environment) environ(p plan, port int) ([]string, error) {
	env := slices.Clone(e.Environ)
	if p.Server == nil {
		return env, nil
	}
	env = append(env, "PORT="+strconv.Itoa(port)) // 0 where nothing was started yet, and nothing is run
	for _, v := range p.Server.Env {
		value, err := dev.Expand(v.Value, lookup(env))
		if err != nil {
			return nil, fmt.Errorf("%s: server.env.%s: %w", dev.File, v.Name, err)
		}
		env = append(env, v.Name+"="+value)
	}
	return env, nil
}

// lookup finds the value of a variable, the last one where there are several.
func lookup(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// lookup finds the value of a variable as the project's commands see it.
func (e *Environment) lookup(p plan) (func(string) (string, bool), error) {
	env, err := e.environ(p, e.port(p))
	if err != nil {
		return nil, err
	}
	return lookup(env), nil
}

// port is the server's: the one that dev.json names, or that it was given, or
// that it is to be given.
func (e *Environment) port(p plan) int {
	switch {
	case p.Server == nil:
		return 0
	case p.Server.Port > 0:
		return p.Server.Port
	}
	if r, err := e.known(); err == nil && r.Server != nil {
		return r.Server.Port
	}
	return p.port
}

// database is the address of a database, its variables put in.
func (e *Environment) database(p plan, address string) (string, error) {
	if address == "" {
		return "", nil
	}
	find, err := e.lookup(p)
	if err != nil {
		return "", err
	}
	full, err := dev.Expand(address, find)
	if err != nil {
		return "", fmt.Errorf("%s: the database: %w", dev.File, err)
	}
	return full, nil
}
