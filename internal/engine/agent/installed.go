package agent

import (
	"cmp"
	"context"
	"os/exec"
	"strings"
)

// MissingError reports that none of the agents to ask can be started.
type MissingError struct{ Why string }

func (e *MissingError) Error() string { return "no agent can be started: " + e.Why }

// CheckInstalled checks whether an agent of the chain can be started, without starting one. The
// error is a *MissingError.
func (r *Runner) CheckInstalled() error {
	why := []string{"none is configured"}
	for i, a := range r.Adapters {
		inv, err := a.Invoke(Task{Role: Iterate, Prompt: "x"}, "", nil)
		if err == nil && len(inv.Argv) > 0 {
			_, err = exec.LookPath(inv.Argv[0])
		}
		if err == nil {
			return nil
		}
		why = append(why[:i], a.Name()+": "+err.Error())
	}
	return &MissingError{strings.Join(why, "; ")}
}

// CheckLogin checks whether an agent of the chain is logged in, without a run. It returns a
// *MissingError if every installed agent reports a missing login; an unknown login counts as
// present.
func (r *Runner) CheckLogin(ctx context.Context) error {
	var why []string
	for _, a := range r.Adapters {
		h := a.Check(ctx)
		switch {
		case h.Broken != "":
			why = append(why, a.Name()+": "+h.Do())
		case h.Installed && (h.LoggedIn == nil || *h.LoggedIn):
			return nil
		case h.Installed:
			why = append(why, a.Name()+": not logged in; "+cmp.Or(h.Advice, "warp agent check says how"))
		}
	}
	if len(why) == 0 {
		return nil // CheckInstalled reports this case
	}
	return &MissingError{strings.Join(why, "; ")}
}
