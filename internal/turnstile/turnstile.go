// Package turnstile is the one way from a phase to the next. It gathers the
// facts that an event needs (configuration, gates, the work tree), asks
// core/drive what becomes of it, and lets durable write the result. It is
// shared by the command line, the hooks and the engines, so that all obey the
// same table, gates and budgets. What to do in a phase is left to them.
package turnstile

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/failure"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/sys/git"
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
	// Trust says why the content of a file may not be run. A hook has none: it
	// runs no commands.
	Trust func(path string, content []byte) error
	eyes  *eyes // nil: the work tree is not looked into
}

// eyes look into the work tree. They are large, and a hook fires no event that
// needs them: so it is linked without.
type eyes struct {
	diff    func(*Drive, *drive.State) (tree, reason string, err error) // the gate before code_complete
	tree    func(*Drive) (string, error)
	excerpt func(output string, most int) string // of what a gate that is a command said
}

// System is the environment of a real process.
func System() Env {
	env := Bare()
	env.eyes = &eyes{(*Drive).diffRelevance, (*Drive).tree, failure.Excerpt}
	return env
}

// Bare is the environment of a hook, which cannot fire code_complete.
func Bare() Env { return Env{Now: time.Now, Started: proc.Started, PID: os.Getpid()} }

// Drive is the drive of one project.
type Drive struct {
	root    string
	env     Env
	store   *durable.Store
	doc     *durable.Doc[drive.State]
	found   *git.Root // once it was looked for
	tracked *bool     // whether git tracks the settings, once it was asked
	still   string    // the work tree's fingerprint, while an engine vouches for it
	last    compared  // what was compared last: gates ask the same one after the other
}

// compared is how two trees differ, which never changes.
type compared struct {
	from, to string
	list     []git.Change
}

// Changes is how two trees of the repository differ.
func (d *Drive) Changes(from, to string) ([]git.Change, error) {
	if d.last.from == from && d.last.to == to && from != "" {
		return d.last.list, nil
	}
	repo, err := d.repo()
	if err != nil {
		return nil, err
	}
	list, err := repo.Changes(from, to)
	if err == nil {
		d.last = compared{from, to, list}
	}
	return list, err
}

// Open names the drive of the project at root. Nothing is read yet.
func Open(root string, env Env) *Drive {
	store := newStore(root, env)
	return &Drive{root: root, env: env, store: store, doc: durable.Open(store, StateFile, Kind)}
}

func newStore(root string, env Env) *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), FS: env.FS, Now: env.Now, PID: env.PID})
}

// Kind is the drive's kind of document.
var Kind = durable.Kind[drive.State]{Name: "drive", Version: drive.Version, Validate: drive.Validate}

// Root is the project's folder.
func (d *Drive) Root() string { return d.root }

// Store is where the drive is kept.
func (d *Drive) Store() *durable.Store { return d.store }

// Doc is the drive's document.
func (d *Drive) Doc() *durable.Doc[drive.State] { return d.doc }

// View is a drive as it stands now.
type View struct {
	State *drive.State
	Stale bool // the process that began it is gone
	Notes []string
	// Foreign: the file is not what the journal last recorded.
	Foreign bool
	// Pending is how many rows of observers the document lacks; they are in
	// State all the same.
	Pending int
	tree    *lossless.Value
}

// JSON is the document as it stands now, with every member that warp does not
// know, and the given ones at its end.
func (v View) JSON(more ...lossless.Member) []byte {
	doc := lossless.Encode(v.State, v.tree)
	for _, m := range more {
		doc = doc.With(m.Key, m.Value)
	}
	return append(lossless.AppendIndent(nil, doc), '\n')
}

// Read returns the drive with everything that observers have reported taken
// in. Settings that cannot be read only cost the doom-loop threshold here.
func (d *Drive) Read() (View, error) {
	v, err := d.doc.Read()
	if err != nil {
		return View{}, err
	}
	if len(v.Since) > 0 {
		s, _ := d.Settings()
		v.Doc.Fold(v.Since, s.Limits)
	}
	out := seen(v)
	out.Stale = d.stale(v.Doc)
	if w := v.Doc.Waiting; w != nil {
		if until, err := time.Parse(time.RFC3339, w.Until); err != nil || d.env.Now().After(until) {
			v.Doc.Waiting = nil // whoever waited is gone
		}
	}
	return out, nil
}

// Peek is Read for those who are in a hurry: whether the drive is stale, and
// which doom loops there were, is left open.
func (d *Drive) Peek() (View, error) {
	v, err := d.doc.Read()
	if err != nil {
		return View{}, err
	}
	v.Doc.Fold(v.Since, drive.Limits{EditsPerFile: math.MaxInt32})
	return seen(v), nil
}

func seen(v durable.View[drive.State]) View {
	return View{State: v.Doc, Notes: v.Notes, Foreign: v.Foreign, Pending: len(v.Since), tree: v.Tree}
}

func (d *Drive) stale(s *drive.State) bool { return d.Gone(OwnerOf(s)) }

// Settings reads the project's configuration.
func (d *Drive) Settings() (config.Settings, error) {
	text, err := d.home().ReadFile(config.File)
	if err != nil {
		return config.Settings{Workflow: config.Default()}, err
	}
	s, err := config.Parse(text)
	if d.env.Trust != nil {
		if why := d.env.Trust(d.SettingsPath(), text); why != nil && d.came() {
			s.Refused = why
		}
	}
	return s, err
}

// SettingsPath is where the settings are.
func (d *Drive) SettingsPath() string {
	return filepath.Join(filepath.Dir(d.home().Dir()), filepath.FromSlash(config.File))
}

// came tells whether the settings came with the repository, because git tracks
// them: what somebody wrote here is theirs, and needs nobody's trust.
func (d *Drive) came() bool {
	if d.tracked == nil {
		tracked := false
		if repo, err := git.Open(filepath.Dir(d.home().Dir())); err == nil {
			a, err := repo.Run(context.Background(), git.Call{Args: []string{"ls-files", "--error-unmatch", "--", d.SettingsPath()}})
			tracked = err != nil || a.Exit == 0
		}
		d.tracked = &tracked
	}
	return *d.tracked
}

// home is the store that has the settings: a linked worktree has those of the
// main one, since the file is not under version control.
func (d *Drive) home() *durable.Store {
	place, ok := git.Locate(d.root)
	if !ok || place.GitDir() == place.Common() || filepath.Base(place.Common()) != ".git" { // a submodule is a project of its own
		return d.store
	}
	rel, err := filepath.Rel(place.Top, d.root)
	if err != nil {
		return d.store
	}
	return newStore(filepath.Join(filepath.Dir(place.Common()), rel), d.env)
}

// repo opens the project's repository, or says why there is none.
func (d *Drive) repo() (git.Repo, error) {
	if d.found != nil {
		return git.Repo{Dir: d.root}, nil
	}
	r, err := git.Open(d.root)
	if err != nil {
		return r, err
	}
	root, err := r.Root()
	if err != nil {
		return r, err
	}
	d.found = &root
	return r, nil
}

// ActiveError refuses a new session while another is unfinished.
type ActiveError struct {
	Issue string
	Phase drive.Phase
	PID   int
	Stale bool
}

func (e *ActiveError) Error() string {
	what := fmt.Sprintf("Active session exists: issue %s in phase %s", orNone(e.Issue), e.Phase)
	if e.Stale {
		return fmt.Sprintf("%s (stale: process %d is gone); go on with it, or reset it with warp stop --hard", what, e.PID)
	}
	return fmt.Sprintf("%s (process %d); warp status shows it, warp stop ends it", what, e.PID)
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// EditSettings changes the settings' text, whole or not at all.
func (d *Drive) EditSettings(edit func([]byte) ([]byte, error)) error {
	return d.home().EditFile(config.File, edit)
}

// Configure sets one setting; every other byte of the file stays.
func (d *Drive) Configure(key string, value *lossless.Value) error {
	return d.EditSettings(func(text []byte) ([]byte, error) {
		next, err := lossless.Set(text, value, config.Section, key)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be edited, nothing was changed: %w", config.File, err)
		}
		return next, nil
	})
}

// update changes the drive's document. A project without a store has no
// session, and a look at it must not make one.
func (d *Drive) update(fn func(*durable.Tx[drive.State]) error) ([]string, error) {
	missing := &durable.MissingError{Path: d.doc.Path()}
	if !d.store.Exists() {
		return nil, missing
	}
	return d.doc.Update(func(tx *durable.Tx[drive.State]) error {
		if tx.Doc == nil {
			return missing
		}
		return fn(tx)
	})
}
