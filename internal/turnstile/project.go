package turnstile

import (
	"path/filepath"
	"sync"

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
