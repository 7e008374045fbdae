package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	short "warp/internal/core/text"
	"warp/internal/sys/proc"
)

// MissingError reports that none of the agents to ask can be started. Do is what installs or repairs
// the first of them, or "".
type MissingError struct{ Why, Do string }

func (e *MissingError) Error() string { return "no agent can be started: " + e.Why }

// explainMissing says which program was not found.
func explainMissing(err error) string {
	if e, is := errors.AsType[*exec.Error](err); is {
		return fmt.Sprintf("the program %s is not installed, or not on the PATH", e.Name)
	}
	return err.Error()
}

// CheckInstalled checks whether an agent of the chain can be started, and each that a role has of its
// own, without starting one. The error is a *MissingError.
func (r *Runner) CheckInstalled() error {
	return r.eachChain(findInstalled)
}

// CheckLogin checks whether an agent of the chain is logged in, and each that a role has of its own,
// without a run. It returns a *MissingError if every installed agent reports a missing login; an
// unknown login counts as present.
func (r *Runner) CheckLogin(ctx context.Context) error {
	return r.eachChain(func(chain []Adapter) *MissingError { return findLogin(ctx, chain) })
}

// eachChain checks the chain, and the agents of single roles, for which no other stands in: a person
// chose them, to judge for instance.
func (r *Runner) eachChain(look func([]Adapter) *MissingError) error {
	if m := look(r.Adapters); m != nil {
		return m
	}
	for _, role := range slices.Sorted(maps.Keys(r.Own)) {
		if m := look([]Adapter{r.Own[role]}); m != nil {
			m.Why = "for the role " + string(role) + ", " + m.Why
			return m
		}
	}
	return nil
}

// findInstalled returns what is missing if none of the agents can be started.
func findInstalled(chain []Adapter) *MissingError {
	why, do := []string{"none is configured"}, ""
	for i, a := range chain {
		inv, err := a.Invoke(Task{Role: Iterate, Prompt: "x"}, "", nil)
		if err == nil && len(inv.Argv) > 0 {
			if _, missing := exec.LookPath(inv.Argv[0]); errors.Is(missing, exec.ErrNotFound) {
				err = errors.New(explainMissing(missing))
			} else {
				err = missing
			}
		}
		if err == nil {
			return nil
		}
		why = append(why[:i], a.Name()+": "+err.Error())
		do = cmp.Or(do, a.Check(context.Background()).Do())
	}
	return &MissingError{Why: strings.Join(why, "; "), Do: do}
}

// findLogin returns what is missing if none of the installed agents can be used.
func findLogin(ctx context.Context, chain []Adapter) *MissingError {
	var why []string
	for _, a := range chain {
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
		return nil // findInstalled reports this case
	}
	return &MissingError{Why: strings.Join(why, "; ")}
}

// maxVersion bounds a version's length: a program may print anything.
const maxVersion = 60

// FindProgram looks for an agent's program and asks for its version. It reports whether the agent
// can be asked further; install is the command that installs it.
func FindProgram(ctx context.Context, program string, patience time.Duration, name, install string) (h Health, works bool) {
	path, err := exec.LookPath(program)
	if err != nil {
		return Health{Advice: "install " + name + ": " + install}, false
	}
	h = Health{Installed: true, Path: path}
	if h.Version, h.Broken = askVersion(ctx, path, patience); h.Broken != "" {
		h.Advice = "install " + name + " again: " + install
	}
	return h, h.Broken == ""
}

// askVersion asks a program for its version, the first line that it prints. broken says why there
// is none: then the agent is unusable too.
func askVersion(ctx context.Context, path string, patience time.Duration) (version, broken string) {
	asked := filepath.Base(path) + " --version"
	r, err := proc.Run(ctx, proc.Cmd{Argv: []string{path, "--version"}, Timeout: patience})
	switch {
	case r.TimedOut, errors.Is(err, context.DeadlineExceeded):
		return "", asked + " did not answer in time"
	case err != nil:
		return "", fmt.Sprintf("%s cannot be run: %v", asked, err)
	case r.Exit != 0:
		return "", fmt.Sprintf("%s fails with exit code %d%s", asked, r.Exit, LastWords(string(r.Stderr)))
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(r.Stdout)), "\n")
	return short.ClipRunes(short.Flat(line), maxVersion), ""
}
