package app

import (
	"fmt"
	"slices"

	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// Person refuses what is a person's decision while a drive is active when an
// agent asks for it: its environment says so, or the owner of the drive is among
// the processes that we descend from, whatever the environment says.
func (a *App) Person(d *turnstile.Drive, what string) error {
	v, err := d.Read()
	if err != nil || !v.State.Phase.Active() {
		return nil // nothing is guarded
	}
	owner := turnstile.OwnerOf(v.State)
	inside := a.Getenv("CLAUDECODE") != "" || a.Getenv("CLAUDE_CODE_SESSION_ID") != ""
	if owner.Session != "" && !d.Ownership.IsGone(owner) {
		inside = inside || slices.Contains(proc.Ancestors(a.Env.PID), owner.PID)
	}
	if !inside {
		return nil
	}
	return fmt.Errorf("%s is a person's decision while a drive is active: run it in a terminal outside the agent's session", what)
}

// OutsideAgents refuses what only a person may ever decide to whatever an agent's
// environment, or a running drive, tells to be one.
func (a *App) OutsideAgents(d *turnstile.Drive, what, command string) error {
	for _, name := range []string{"WARP_ROLE", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} {
		if a.Getenv(name) != "" {
			return fmt.Errorf("%s is a person's decision: run %s in a terminal outside the agent's session", what, command)
		}
	}
	if d == nil {
		return nil
	}
	return a.Person(d, what)
}
