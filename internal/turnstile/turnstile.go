// Package turnstile is the one way from a phase to the next. It gathers the
// facts that an event needs (configuration, gates, the work tree), asks
// core/drive what becomes of it, and lets durable write the result. It is
// shared by the command line, the hooks and the engines, so that all obey the
// same table, gates and budgets. What to do in a phase is left to them.
//
// A Drive is put together from parts that know only what stands before them:
// Project (folder, store, settings), WorkTree (its fingerprint and changes),
// Watch (the guarded branches), Ownership, Criteria. No part knows the Drive.
package turnstile

import (
	"context"
	"os"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/testoutput"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// StateFile is the drive's document, under the project's .claude folder.
const StateFile = ".warp-drive-state.json"

// Env is what the outside gives: tests put other things in its place.
type Env struct {
	Now     func() time.Time
	Started durable.Started
	PID     int
	FS      durable.FS // nil: the operating system's
	// Signer has the key with which what is written is signed; nil for a hook,
	// whose rows are observations.
	Signer durable.Signer
	// Trust says why the content of a file may not be run. A hook has none: it
	// runs no commands.
	Trust func(path string, content []byte) error
	// Hide takes secrets out of what gates say, for logs and the journal; nil: they
	// are kept as they are. A hook runs no gates.
	Hide func([]byte) []byte
	// Environ is what gates get; nil: that of the process.
	Environ func() []string
	// RunGate runs the command of a gate where no agent has prepared anything; nil: in
	// the project's folder.
	RunGate func(ctx context.Context, g GateCommand) (proc.Result, error)
	// UserSettings is the path of the user's own settings, below those of each project;
	// "": there are none.
	UserSettings string
	inputs       *gateInputs // nil: the work tree is not looked into
}

// gateInputs look into the work tree. They are large, and a hook fires no event
// that needs them: so it is linked without.
type gateInputs struct {
	diff        func(*WorkTree, *drivestate.State) (tree, reason string, err error) // the gate before code_complete
	fingerprint func(*WorkTree) (string, error)
	excerpt     func(output string, most int) string // of what a gate that is a command said
	sign        func(failure string) string
}

// System is the environment of a real process.
func System() Env {
	env := Bare()
	env.inputs = &gateInputs{(*WorkTree).checkRelevance, (*WorkTree).Fingerprint, testoutput.Excerpt, testoutput.Signature}
	return env
}

// Bare is the environment of a hook, which cannot fire code_complete.
func Bare() Env { return Env{Now: time.Now, Started: proc.Started, PID: os.Getpid()} }

// Drive is the drive of one project: it moves the document from phase to phase.
// Its parts point at each other, so it is never copied.
type Drive struct {
	Project   Project
	Tree      WorkTree
	Watch     Watch
	Ownership Ownership
	Criteria  Criteria
	doc       document
	gates     gateRunner
}

// Kind is the drive's kind of document.
var Kind = durable.Kind[drivestate.State]{Name: "drive", Version: drivestate.Version, Validate: drivestate.Validate, Alone: drivestate.EngineAt, Discard: "warp stop --hard sets it aside"}

// Open names the drive of the project at root. Nothing is read yet.
func Open(root string, env Env) *Drive {
	store := newStore(root, env)
	d := &Drive{Project: Project{root: root, env: env, store: store}}
	p := &d.Project
	d.doc = document{project: p, file: durable.Open(store, StateFile, Kind)}
	d.Tree = WorkTree{project: p}
	d.Watch = Watch{project: p, doc: &d.doc}
	d.Ownership = Ownership{project: p}
	d.Criteria = Criteria{project: p, doc: &d.doc}
	d.gates = gateRunner{project: p, tree: &d.Tree}
	return d
}

// Root is the project's folder.
func (d *Drive) Root() string { return d.Project.root }

// Store is where the drive is kept.
func (d *Drive) Store() *durable.Store { return d.Project.store }

// Doc is the drive's document.
func (d *Drive) Doc() *durable.Doc[drivestate.State] { return d.doc.file }

// Read returns the drive with everything that observers have reported taken
// in. Settings that cannot be read only cost the doom-loop threshold here.
func (d *Drive) Read() (View, error) { return d.doc.read() }

// Peek is Read for those who are in a hurry: whether the drive is stale, and
// which doom loops there were, is left open.
func (d *Drive) Peek() (View, error) { return d.Glance().Peek() }
