// Package turnstile is the only way from one phase to the next. It gathers the facts that an event
// needs (configuration, gates, the work tree), asks core/drivestate for the outcome, and writes the
// result through durable. The command line, the hooks and the engines share it, so that all obey
// the same table, gates and budgets. What to do in a phase is up to them.
//
// A Drive consists of parts, each of which knows only the parts before it: Project (folder, store,
// settings), WorkTree (its fingerprint and changes), Watch (the guarded branches), Ownership,
// Criteria. No part knows the Drive.
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

// Env holds the dependencies on the outside, which tests replace.
type Env struct {
	Now     func() time.Time
	Started durable.Started
	PID     int
	FS      durable.FS // nil means the operating system's
	// Signer signs what is written. It is nil in a hook, whose rows are only observations.
	Signer durable.Signer
	// Trust returns why the content of a file must not be run. It is nil in a hook, which runs no
	// commands.
	Trust func(path string, content []byte) error
	// Hide removes secrets from the output of gates, for logs and the journal. If nil, output is
	// kept as it is. A hook runs no gates.
	Hide func([]byte) []byte
	// Environ returns the environment of gates; nil means that of the process.
	Environ func() []string
	// RunGate runs a gate's command where no agent has prepared anything; nil means in the
	// project's folder.
	RunGate func(ctx context.Context, g GateCommand) (proc.Result, error)
	// UserSettings is the path of the user's settings, which each project's settings override; ""
	// if there are none.
	UserSettings string
	inputs       *gateInputs // nil if the work tree is not examined
}

// gateInputs examine the work tree. They are large, and a hook fires no event that needs them, so
// it is linked without them.
type gateInputs struct {
	diff        func(*WorkTree, *drivestate.State) (tree, reason string, err error) // the gate before code_complete
	fingerprint func(*WorkTree) (string, error)
	excerpt     func(output string, most int) string // the failing part of a gate command's output
	sign        func(failure string) string
}

// System returns the environment of a real process.
func System() Env {
	env := Bare()
	env.inputs = &gateInputs{(*WorkTree).checkRelevance, (*WorkTree).Fingerprint, testoutput.Excerpt, testoutput.Signature}
	return env
}

// Bare returns the environment of a hook, which cannot fire code_complete.
func Bare() Env { return Env{Now: time.Now, Started: proc.Started, PID: os.Getpid()} }

// Drive is the drive of one project: it moves the document from phase to phase. Its parts point at
// each other, so it must not be copied.
type Drive struct {
	Project   Project
	Tree      WorkTree
	Watch     Watch
	Ownership Ownership
	Criteria  Criteria
	Sleep     Sleep
	doc       document
	gates     gateRunner
}

// Kind is the drive's kind of document.
var Kind = durable.Kind[drivestate.State]{Name: "drive", Version: drivestate.Version, Validate: drivestate.Validate, Alone: drivestate.EngineAt, Discard: "warp stop --hard sets it aside"}

// Open returns the drive of the project at root. It reads nothing yet.
func Open(root string, env Env) *Drive {
	store := newStore(root, env)
	d := &Drive{Project: Project{root: root, env: env, store: store}}
	p := &d.Project
	d.doc = document{project: p, file: durable.Open(store, StateFile, Kind)}
	d.Tree = WorkTree{project: p}
	d.Watch = Watch{project: p, doc: &d.doc}
	d.Ownership = Ownership{project: p}
	d.Criteria = Criteria{project: p, doc: &d.doc}
	d.Sleep = Sleep{doc: &d.doc}
	d.gates = gateRunner{project: p, tree: &d.Tree}
	return d
}

// Root returns the project's folder.
func (d *Drive) Root() string { return d.Project.root }

// Store returns the store that holds the drive.
func (d *Drive) Store() *durable.Store { return d.Project.store }

// Doc returns the drive's document.
func (d *Drive) Doc() *durable.Doc[drivestate.State] { return d.doc.file }

// Read returns the drive with all observations folded in. Unreadable settings only cost the
// doom-loop threshold here.
func (d *Drive) Read() (View, error) { return d.doc.read() }

// Peek is a faster Read, which does not determine whether the drive is stale or had doom loops.
func (d *Drive) Peek() (View, error) { return d.Glance().Peek() }
