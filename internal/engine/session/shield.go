package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// shield is what protects a session's work tree, and those of its members. Its
// fields are nil where there is no repository.
type shield struct {
	ground
	*files
	guard  *guard.Guard
	shared *guard.Shared
	remote *guard.Remote
	places *place.Places
	dir    string // of the session, in the user's state folder
	main   string // the main branch
	// branches are the session's own, and the one it began on.
	branches []string
	claimed  bool // what was uncommitted before the first run is known

	mu      sync.Mutex
	members map[int]*guard.Guard
}

// ground is what a shield stands on.
type ground struct {
	root, state string
	document    guard.Document // the session's
	now         func() time.Time
	pid         int
	remark      func(format string, args ...any)
	report      func(guard.Finding)
}

// StateFolder is where the guard of a session keeps its copies, in the user's
// state folder: each session has its own, since several may share a work tree.
func StateFolder(state, root, name string) string {
	if state == "" {
		return ""
	}
	return filepath.Join(state, "sessions", sum([]byte(root)), name)
}

func sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// protect makes the guard of the work tree, and looks after a run whose engine was
// killed.
func (r *run) protect(ctx context.Context) error {
	r.shield = &shield{ground: ground{r.Root, r.State, r.doc, r.Now, r.Process.PID, r.remark, r.intervened}, files: r.files,
		dir: StateFolder(r.State, r.Root, r.Name), shared: guard.NewShared(), members: map[int]*guard.Guard{}}
	err := r.shield.raise(ctx)
	if errors.Is(err, git.ErrNotRepo) {
		r.remark("there is no git repository here: nothing is protected from agents, and what they say they changed cannot be checked")
		return nil
	}
	return err
}

func (r *shield) raise(ctx context.Context) error {
	g, err := r.open(ctx, r.root, "", r.store, "")
	if err != nil {
		return err
	}
	r.guard, r.places = g, &place.Places{Root: r.root, Work: g.Work}
	name, ok, err := g.Work.Remote(ctx)
	if err != nil || !ok {
		return err
	}
	r.remote = &guard.Remote{Work: g.Work, Name: name, Remark: r.remark}
	return r.remote.Check(ctx)
}

// open makes the guard of a work tree, for one of its owners.
func (r *shield) open(ctx context.Context, root, main string, store *durable.Store, member string) (*guard.Guard, error) {
	g, err := guard.New(guard.Options{Root: root, Store: store, Main: main, State: r.dir, Name: "session", Now: r.now, Remark: r.remark, Shared: r.shared})
	if err != nil {
		return nil, err
	}
	_, err = g.Recover(ctx, r.scope(g, member, ""))
	var changed *guard.ChangedError
	if errors.As(err, &changed) {
		return nil, &step.StoppedError{Why: changed.Error(), Do: fmt.Sprintf("compare them with %s, then warp sessions resume %s", changed.Before, r.name)}
	}
	return g, err
}

// scope is what a run in a work tree may do: what it is asked to says the rest.
func (r *shield) scope(g *guard.Guard, member, label string) guard.Scope {
	sc := guard.Scope{Owner: strings.TrimSpace("session " + r.name + " " + member), Label: label, Documents: []guard.Document{r.document}, Report: r.report}
	on := ""
	if at, ok := git.Locate(g.Root); ok { // a file is read, which costs nothing: this is asked before every run
		on, _ = at.Checked()
	}
	if r.main == "" {
		r.main, _ = g.Work.Repo().MainBranch() // without one there is none to look after
	}
	for _, branch := range append([]string{on, r.main}, r.branches...) {
		if ref := "refs/heads/" + branch; branch != "" && !slices.Contains(sc.Refs, ref) {
			sc.Refs = append(sc.Refs, ref)
		}
	}
	return sc
}

// claim finds out what is a person's before the first run, where a tree is taken
// before it.
func (r *shield) claim(ctx context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claimed || r.guard == nil {
		return nil
	}
	run, err := r.guard.Before(ctx, r.scope(r.guard, "", "claim"))
	if err == nil && len(run.Between) > 0 {
		err = r.between(ctx, i, run.Between)
	}
	if err == nil {
		_, err = run.After(ctx)
	}
	r.claimed = err == nil
	return err
}

// baseName is the reference that keeps what a unit began with; members of a stage
// begin with the same.
func (r *shield) baseName(i int) string {
	return "session/" + r.name + "/" + r.units[i].stage.ID + "-base"
}

// base is the work tree before the first iteration of a unit, as a tree; "" where
// there is no repository. It is taken once, whatever is killed.
func (r *shield) base(ctx context.Context, i int) (string, error) {
	if r.guard == nil {
		return "", nil
	}
	if err := r.claim(ctx, i); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was := r.baseOf(i); was != "" {
		return was, nil
	}
	tree, err := r.guard.Snapshot()
	if err != nil {
		return "", err
	}
	return r.rebase(ctx, i, tree)
}

func (r *shield) rebase(ctx context.Context, i int, tree string) (string, error) {
	if err := r.guard.Work.Keep(ctx, r.baseName(i), tree); err != nil {
		return "", err
	}
	at := r.baseOf(i)
	return at, r.guard.RecordMove("refs/warp/"+r.baseName(i), at)
}

func (r *shield) dropBase(ctx context.Context, i int) error {
	if r.guard == nil || r.baseOf(i) == "" {
		return nil
	}
	return r.guard.Work.Drop(ctx, r.baseName(i))
}

// baseOf is what a unit began with; "" when that is not known.
func (r *shield) baseOf(i int) string {
	commit, err := r.guard.Work.Repo().Ref("refs/warp/" + r.baseName(i))
	if err != nil {
		return ""
	}
	return commit
}

// between takes what a person changed between two runs into what the unit began
// with: it is judged by nothing, and is in no commit.
func (r *shield) between(ctx context.Context, i int, paths []string) error {
	u := r.units[i]
	if u.stage.Commit {
		r.remark("changed since the last iteration, and not by an agent; not committed: %s", text.Quote(paths, 5))
	}
	if u.member != nil {
		return nil
	}
	now, err := r.guard.Snapshot()
	for _, k := range slices.Compact([]int{0, i}) {
		was := r.baseOf(k)
		if err != nil || was == "" {
			continue
		}
		var tree string
		if tree, err = r.guard.Work.Repo().Graft(ctx, was, now, paths); err == nil {
			_, err = r.rebase(ctx, k, tree)
		}
	}
	return err
}

// checkRemote asks whether something was pushed past the engine.
func (r *shield) checkRemote(ctx context.Context) error {
	if r.remote == nil {
		return nil
	}
	own := slices.Clone(r.branches)
	if on, err := r.guard.Work.Repo().Branch(); err == nil && slices.ContainsFunc(r.units, func(u unit) bool { return u.stage.Commit }) {
		own = append(own, on)
	}
	for i := range own {
		own[i] = "refs/heads/" + own[i]
	}
	err := r.remote.Check(ctx, own...)
	var pushed *guard.PushedError
	if !errors.As(err, &pushed) {
		return err
	}
	return &step.StoppedError{Why: err.Error(), Do: fmt.Sprintf("see what it is with git fetch %s and git log; to undo it: git push --force-with-lease %s %s:%s",
		pushed.Remote, pushed.Remote, text.Hash(pushed.Old), pushed.Ref)}
}

// storeOf is the store of another work tree.
func (r *shield) storeOf(root string) *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: r.now, PID: r.pid})
}

// clear removes the copies, when the session has ended.
func (s *shield) clear() {
	if s.guard != nil {
		s.guard.Clear()
	}
	for _, g := range s.members {
		g.Clear()
	}
}

// disown forgets what an earlier session of the name has left behind.
func (s *shield) disown() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}
