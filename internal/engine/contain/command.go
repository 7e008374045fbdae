package contain

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"warp/internal/core/redact"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Command is what one of the project's own commands may see, write and reach: a test, a gate, a
// criterion's check, a checkout's set-up, the dev server. An agent may have written it, so it is
// confined like an agent; but it has no agent's configuration, no model's host and no home folder
// that an agent writes to.
type Command struct {
	Top     string   // the checkout that it runs in, writable
	Frozen  []string // read-only paths below Top
	Name    string   // selects its home folder; "": that of the commands that judge
	Home    string   // its home folder, if elsewhere
	Git     string   // git's folder, whose settings may hold logins; "": nothing to hide
	Read    []string // further visible paths, such as git's objects
	Write   []string // further writable folders
	Env     []string // further names of variables; a trailing * matches any suffix
	Set     []string // variables it gets as they are, overriding the sandbox's
	Ports   []int    // of the outside loopback, such as the dev environment's
	Network sandbox.Network
	// Refused is called for each host that it may not reach; may be nil.
	Refused func(host string)
}

// commandsHome is the home folder of the commands that judge. No agent or server shares it: what
// one left there could influence the judgement.
const commandsHome = "tests"

// ConfineCommand creates the sandbox of one of the project's own commands; its variables are
// selected from the command's environment. It reaches the loopback of its own sandbox,
// sandbox_hosts and o.Ports, unless o.Network says otherwise. Tokens of forges and of the bridge
// are never passed, whatever names are listed; o.Set is a person's own choice.
//
// Without a sandbox the command is unchanged; its limits are still measured.
func (w *Walls) ConfineCommand(c proc.Cmd, o Command) (*Run, error) {
	if w.Box.Holds() == sandbox.Not {
		return w.Unconfined(c, append([]string{o.Top}, o.Write...)), nil
	}
	for _, path := range slices.Concat(o.Read, o.Write) {
		if Contains(path, w.State) {
			return nil, fmt.Errorf("%s contains warp's state, which no sandbox may see: move the needed files to another folder", path)
		}
	}
	c.Env = redact.ForProject(c.Env)
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	return w.Confine(c, Order{
		Name: cmp.Or(o.Name, commandsHome), Top: o.Top, Frozen: o.Frozen, Git: o.Git, Write: o.Write,
		Needs: Needs{Env: o.Env, Set: o.Set}, Refused: o.Refused, own: &o,
	})
}

// Contains reports whether a path is a folder or below it.
func Contains(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// ports returns the outside loopback ports, as hosts.
func (o *Command) ports() (hosts []string) {
	if o == nil {
		return nil
	}
	for _, port := range slices.Compact(slices.Sorted(slices.Values(o.Ports))) {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return hosts
}
