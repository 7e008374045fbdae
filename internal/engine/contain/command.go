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

// Command says what one of the project's own commands may see, write and reach: a test,
// a gate, a criterion's check, what makes a checkout ready, the dev environment's server.
// It is code that an agent may have written, so it is confined as an agent is; but it
// has no agent's configuration, no model's host and no home folder that an agent writes.
type Command struct {
	Top     string   // the checkout that it runs in, writable
	Frozen  []string // below it, read-only
	Name    string   // whose home folder it has; "": that of the commands that judge
	Home    string   // its home folder, where it is elsewhere
	Git     string   // git's folder, whose settings may hold logins; "": nothing is hidden there
	Read    []string // further paths that it sees, such as git's objects
	Write   []string // further folders that it may write to
	Env     []string // further names of variables; one that ends with * stands for all that begin so
	Set     []string // variables that it gets as they are, whatever the sandbox would give it
	Ports   []int    // of the loopback outside, such as the dev environment's
	Network sandbox.Network
	// Refused is called for each host that it may not reach; nil: not called.
	Refused func(host string)
}

// commandsHome is the home folder of the commands that judge. No agent has it, and no
// server: what one leaves there would be judged by.
const commandsHome = "tests"

// ConfineCommand makes the sandbox of one of the project's own commands, whose
// environment is all that there is to choose from. It reaches the loopback of its own
// sandbox, sandbox_hosts and o.Ports, unless o.Network says otherwise. Tokens of forges
// and of the bridge are never in it, whatever names are on a list; what o.Set says is a
// person's own word.
//
// Without a sandbox the command is as it was; its limits are measured all the same.
func (w *Walls) ConfineCommand(c proc.Cmd, o Command) (*Run, error) {
	if w.Box.Holds() == sandbox.Not {
		return w.Unconfined(c, append([]string{o.Top}, o.Write...)), nil
	}
	for _, path := range slices.Concat(o.Read, o.Write) {
		if rest, err := filepath.Rel(path, w.State); err == nil && filepath.IsLocal(rest) {
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

// leadsOut reports whether a command needs a way out. One that reaches nothing is not
// told of a proxy either, which its tests may not expect.
func (w *Walls) leadsOut(network sandbox.Network, o *Command) bool {
	return network == sandbox.ByProxy && len(w.Settings.Hosts)+len(o.Ports) > 0
}

// ports are those of the loopback outside, as hosts.
func (o *Command) ports() (hosts []string) {
	if o == nil {
		return nil
	}
	for _, port := range slices.Compact(slices.Sorted(slices.Values(o.Ports))) {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return hosts
}
