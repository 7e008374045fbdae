package agent

import (
	"os/exec"
	"strings"
)

// MissingError says that none of the agents that are to be asked can be started.
type MissingError struct{ Why string }

func (e *MissingError) Error() string { return "no agent can be started: " + e.Why }

// CheckInstalled tells whether an agent of the chain can be started, without starting
// one; the error is a *MissingError.
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
