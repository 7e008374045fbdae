package turnstile

import (
	"os"
	"path/filepath"
	"sync"

	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// stateFolder holds files of warp and the agent. It is never part of a chunk's diff.
const stateFolder = ".claude"

// Project is the driven folder, with its store, settings, logs and repository. It knows nothing of
// phases and works without a drive.
type Project struct {
	root    string
	env     Env
	store   *durable.Store
	finding sync.Mutex
	found   *git.Root // nil until looked up
	tracked *bool     // whether git tracks the settings; nil until asked
}

func newStore(root string, env Env) *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(root, stateFolder), FS: env.FS, Now: env.Now, PID: env.PID, Signer: env.Signer, First: HideState})
}

// Home returns the store with the settings. A linked worktree uses the main one's, since the file
// is not under version control.
func (p *Project) Home() *durable.Store {
	place, ok := git.Locate(p.root)
	if !ok || place.GitDir() == place.Common() || filepath.Base(place.Common()) != ".git" { // a submodule is a separate project
		return p.store
	}
	rel, err := filepath.Rel(place.Top, p.root)
	if err != nil {
		return p.store
	}
	return newStore(filepath.Join(filepath.Dir(place.Common()), rel), p.env)
}

// Repository finds the project's repository, once.
func (p *Project) Repository() (git.Root, error) {
	p.finding.Lock()
	defer p.finding.Unlock()
	if p.found == nil {
		_, root, err := git.OpenRoot(p.root)
		if err != nil {
			return root, err
		}
		p.found = &root
	}
	return *p.found, nil
}

// openRepo opens the project's repository, or returns why there is none.
func (p *Project) openRepo() (git.Repo, error) {
	root, err := p.Repository()
	return root.Repo(p.root), err
}

// Find returns the project around a folder: the nearest folder with a session in this repository
// or, without one, the nearest with .claude or .git. The user's ~/.claude does not make the home
// folder a project.
func Find(dir, home string) (root string, ok bool) {
	home = filepath.Clean(home)
	for {
		top := git.IsTop(dir)
		if HasState(dir) {
			return dir, true
		}
		if !ok && (top || dir != home && exists(filepath.Join(dir, stateFolder))) {
			root, ok = dir, true
		}
		up := filepath.Dir(dir)
		if top || up == dir {
			return root, ok
		}
		dir = up
	}
}

// HasState reports whether a project has a drive, finished or not.
func HasState(root string) bool { return exists(filepath.Join(root, stateFolder, StateFile)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// QueueKind is the work queue's kind of document. Hooks, commands and the quality loop all update
// it through the store, so that none loses another's entries.
var QueueKind = durable.Kind[workqueue.Queue]{Name: workqueue.DocumentName, Version: workqueue.Version, Validate: workqueue.Validate}

// Queue returns the project's work queue, which is kept in the main work tree.
func (p *Project) Queue() *durable.Doc[workqueue.Queue] {
	return durable.Open(p.Home(), workqueue.File, QueueKind)
}
