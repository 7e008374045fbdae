package app

import (
	"os"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/engine/agent"
	"warp/internal/engine/person"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/typed"
	"warp/internal/turnstile"
)

// Person reports whether the caller is recognised as a person.
func (a *App) Person() bool {
	d, _ := a.Project() // without a project, nothing runs in it
	kind, _, near := a.identifyCaller(d)
	return kind == person.Person || kind != person.Agent && !near.driven
}

// IsPersons reports whether a person started a process. An agent's own process counts, but nothing
// that the agent started.
func (a *App) IsPersons(d *turnstile.Drive, pid int) bool {
	asks := person.Asker{PID: pid, Getenv: func(string) string { return "" }}
	asks.Running = a.lookAround(d).running
	kind, _ := asks.Who()
	return kind == person.Person
}

// identifyCaller returns who calls, why that is not a person, and what runs in the project.
func (a *App) identifyCaller(d *turnstile.Drive) (kind person.Kind, why string, near surroundings) {
	asks := person.Asker{PID: a.Env.PID, Getenv: a.Getenv}
	asks.Folder, _ = trust.Folder(a.Getenv) // without a folder there is no token
	if d != nil {
		near = a.lookAround(d)
		asks.Running = near.running
	}
	kind, why = asks.Who()
	return kind, why, near
}

// surroundings describe what runs in a project.
type surroundings struct {
	running []person.Running // agents and engines in all its work trees
	driven  bool             // the folder's drive is active, or an agent or engine runs
	engine  bool             // an engine runs the folder's drive
	pid     int              // of that engine
}

func (a *App) lookAround(d *turnstile.Drive) (near surroundings) {
	roots := []string{d.Root()}
	if place, ok := git.Locate(d.Root()); ok {
		roots = append(roots, turnstile.ActiveProjects(place)...)
	}
	for i, root := range roots {
		one := d
		if i > 0 {
			one = turnstile.Open(root, a.Env)
		}
		v, err := one.Peek()
		if i == 0 && len(v.Notes) > 0 { // the first reader repairs a damaged state
			a.Notes(v.Notes)
			a.printed = v.Notes
		}
		if err == nil && v.State.Phase.Active() {
			owner := turnstile.OwnerOf(v.State)
			near.driven = near.driven || i == 0
			if i == 0 && drivestate.EngineAt(v.State) {
				near.pid, near.engine = owner.PID, !one.Ownership.IsGone(owner)
			}
			if (owner.Session != "" || v.State.Session.Headless) && !one.Ownership.IsGone(owner) {
				near.running = append(near.running, person.Running{PID: owner.PID, Session: !v.State.Session.Headless})
			}
			if mind := v.State.Session.MindPID; mind > 0 {
				near.running = append(near.running, person.Running{PID: mind, Session: true})
			}
		}
		near.running = append(near.running, a.recordedProcesses(one)...)
		if i == 0 && one.Project.Home().Dir() != one.Store().Dir() {
			near.running = append(near.running, a.recordedProcesses(turnstile.Open(homeRoot(one), a.Env))...)
		}
	}
	near.driven = near.driven || len(near.running) > 0
	return near
}

// wasTyped reports whether a person typed exactly this command line in the agent's session, which
// counts once.
func (a *App) wasTyped(d *turnstile.Drive) bool {
	b, ok := typed.Here(a.Getenv, homeRoot(d))
	return ok && b.Take("", a.Line, a.Env.Now())
}

func homeRoot(d *turnstile.Drive) string {
	return strings.TrimSuffix(d.Project.Home().Dir(), string(os.PathSeparator)+".claude")
}

// recordedProcesses returns the recorded agents and engines. An agent may have written a record,
// so each must match its process.
func (a *App) recordedProcesses(d *turnstile.Drive) (list []person.Running) {
	host := Hostname()
	agents, _ := agent.Running(d.Store())
	for _, l := range agents {
		stamp, alive := a.Env.Started(l.PID)
		if l.Host == host && alive && (l.Stamp == "" || l.Stamp == stamp) && (proc.HasVariable(l.PID, agent.MarkPrefix) || !proc.TellsVariables) {
			list = append(list, person.Running{PID: l.PID})
		}
	}
	leases, _ := d.Store().Leases()
	for _, f := range leases {
		p, ok := proc.Look(f.PID)
		if ok && f.PID != a.Env.PID && f.Host == host && strings.HasPrefix(p.Name, "warp") && !f.Stale(host, a.Env.Started, a.Env.Now()) {
			list = append(list, person.Running{PID: f.PID})
		}
	}
	return list
}
