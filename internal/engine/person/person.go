// Package person determines whether a person or an agent asks for something. It uses what an agent
// cannot take off: its sandbox, its parent processes and their environments, the recorded agents,
// the terminal it does not have. Without a sandbox, an agent that tries hard can still pass for a
// person: docs/explanation/person.md says how. Callers decide what only a person may do.
package person

import (
	"fmt"
	"slices"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Kind is the kind of asker.
type Kind int

// From a person to warp's own agent.
const (
	Person  Kind = iota
	Unknown      // an agent runs here, and nothing tells the two apart
	Session      // started by an agent that a person runs
	Agent        // an agent that warp runs, or something that warp runs for one
)

// Running is a process that works on the project: an agent, or its engine.
type Running struct {
	PID     int
	Session bool // an agent that a person started
}

// Asker is a process that asks for something.
type Asker struct {
	PID     int
	Getenv  func(string) string
	Folder  string // the user's state folder
	Running []Running
}

// Names of variables in agents' processes. warp's own variables prove more than others, which a
// terminal can inherit from the agent that opened it.
var (
	ofRuns     = []string{"WARP_ROLE=", "WARP_RUN_", "WARP_HOOK_SOCKET="}
	ofSessions = []string{"CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "GEMINI_CLI=", "CODEX_SANDBOX=", "CODEX_SANDBOX_NETWORK_DISABLED="}
)

// Who returns who asks, and why it is not taken for a person.
func (a Asker) Who() (Kind, string) {
	if sandbox.Within() {
		return Agent, "this runs in a warp sandbox"
	}
	line := proc.Lineage(a.PID)
	if kind, why := a.below(line); kind == Agent {
		return kind, why
	} else if a.hasToken() {
		return Person, ""
	} else if kind == Session {
		return kind, why
	}
	if len(a.Running) > 0 && !a.ownTerminal(line) {
		return Unknown, fmt.Sprintf("an agent works here (process %d), and this was not started from a person's terminal", a.Running[0].PID)
	}
	return Person, ""
}

// below reports whether the process, or one of its parents, is an agent's.
func (a Asker) below(line []proc.Process) (Kind, string) {
	for _, name := range []string{"WARP_ROLE", "WARP_HOOK_SOCKET"} {
		if a.Getenv(name) != "" {
			return Agent, "warp runs this for an agent (" + name + " is set)"
		}
	}
	kind, why := Person, ""
	for i, p := range line {
		switch r := slices.IndexFunc(a.Running, func(r Running) bool { return r.PID == p.PID }); {
		case i > 0 && r >= 0 && !a.Running[r].Session:
			return Agent, fmt.Sprintf("it was started below process %d, which warp runs", p.PID)
		case proc.HasVariable(p.PID, ofRuns...):
			return Agent, fmt.Sprintf("it was started below process %d, which warp runs (by its environment)", p.PID)
		case kind != Person:
		case i > 0 && r >= 0:
			kind, why = Session, fmt.Sprintf("it was started below process %d, an agent session", p.PID)
		case proc.HasVariable(p.PID, ofSessions...):
			kind, why = Session, fmt.Sprintf("it was started in an agent session (by the environment of process %d)", p.PID)
		}
	}
	for _, name := range []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} { // for systems that hide other processes' environments
		if kind == Person && a.Getenv(name) != "" {
			kind, why = Session, "it was started in an agent session ("+name+" is set)"
		}
	}
	return kind, why
}

// inits adopt processes whose parents have ended: descending from one proves nothing.
var inits = []string{"systemd", "init", "launchd", "tini", "dumb-init", "docker-init", "catatonit", "conmon", "s6-svscan", "runit", "runsvdir", "supervisord", "containerd-shim"}

// ownTerminal reports whether the process is in a terminal that no agent opened: it descends from
// something older than the agents, such as the person's shell, or is in a control group without
// agents, such as a terminal opened since. A process that left its parents is in its agent's group,
// and descends from init.
func (a Asker) ownTerminal(line []proc.Process) bool {
	if len(line) == 0 || line[0].Terminal == 0 {
		return false
	}
	oldest, known := uint64(0), false
	groups := []string{""}
	for _, r := range a.Running {
		if p, ok := proc.Look(r.PID); ok {
			if !known || p.Start < oldest {
				oldest, known = p.Start, true
			}
			groups = append(groups, proc.Cgroup(r.PID))
		}
	}
	for _, p := range line[1:] {
		if p.PID > 1 && p.Start < oldest && !slices.Contains(inits, p.Name) {
			return true
		}
	}
	return !known || !slices.Contains(groups, proc.Cgroup(a.PID))
}
