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

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/detect"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// shield protects the work trees of a session and its members. guard, remote and places are nil
// without a repository.
type shield struct {
	files   *files
	options guard.Options // for the session's own guard
	scope   guard.Scope   // applies to every run
	guard   *guard.Guard
	remote  *guard.Remote
	places  *place.Places
	furnish place.Furnish
	main    string // the main branch
	// branches are the session's own, and the one it began on.
	branches []string

	mu      sync.Mutex
	claimed bool                    // what was uncommitted before the first run is known
	members map[string]*guard.Guard // by place
}

// StateFolder returns where a session's guard keeps its copies in the user's state folder. Each
// session has its own folder, since several may share a work tree.
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

// setUpShield creates the work tree's guard, and cleans up after a run whose engine was killed.
func (r *run) setUpShield(ctx context.Context) error {
	r.shield = &shield{files: r.files, members: map[string]*guard.Guard{},
		furnish: r.Checks.Furnish, scope: guard.Scope{Documents: []guard.Document{r.doc}, Report: r.intervened},
		options: guard.Options{Root: r.Root, Store: r.Store, State: StateFolder(r.State, r.Root, r.Name), Name: "session",
			Now: r.Now, Remark: r.remark, Shared: guard.NewShared()}}
	if v, err := r.doc.Doc.Read(); err == nil && v.Doc.Branch != "" { // else there is no branch yet
		r.shield.branches, r.shield.scope.Holds = []string{v.Doc.Branch, v.Doc.BeganOn}, true
	}
	err := r.shield.setUp(ctx)
	if r.Checks.Find && (err == nil || errors.Is(err, git.ErrNotRepo)) {
		r.Checks.Verify = detect.FindTests(r.shield.filesAtStart(r.Root))
		r.files.verify = r.Checks.Verify
	}
	if errors.Is(err, git.ErrNotRepo) {
		if err := r.files.checkApart(); err != nil {
			return err
		}
		r.remark("there is no git repository here: files are not protected from agents, and their changes cannot be checked")
		if slices.ContainsFunc(r.files.units, unit.commits) {
			r.remark("nothing can be committed either: run git init and make a first commit")
		}
		return nil
	}
	if err == nil && slices.ContainsFunc(r.files.units, unit.commits) {
		r.lanes.own = r.lanes.newLane(r.shield.guard)
	}
	return err
}

func (s *shield) setUp(ctx context.Context) error {
	g, err := s.openGuard(ctx, s.options, "")
	if err != nil {
		return err
	}
	s.guard, s.places = g, &place.Places{Root: g.Root, Work: g.Work, Moved: g.RecordMove, Furnish: s.furnish, Base: func() string { return s.recordedBase(0) }}
	name, ok, err := g.Work.Remotes().Choose(ctx)
	if err != nil || !ok {
		return err
	}
	s.remote = &guard.Remote{Work: g.Work, Name: name, Remark: s.options.Remark, Ours: land.KnowCommits(s.options.Store)}
	return s.remote.Check(ctx)
}

// openGuard creates the guard of a work tree, for one of its members.
func (s *shield) openGuard(ctx context.Context, o guard.Options, member string) (*guard.Guard, error) {
	g, err := guard.New(o)
	if err != nil {
		return nil, err
	}
	_, err = g.Recover(ctx, s.scopeOf(g, member, ""))
	if changed, is := errors.AsType[*guard.ChangedError](err); is {
		return nil, &step.StoppedError{Why: changed.Error(), Do: fmt.Sprintf("compare them with %s, then warp sessions resume %s", changed.Before, s.files.name)}
	}
	return g, err
}

// tip returns the commit of a branch, or "".
func (s *shield) tip(branch string) (string, error) {
	at, ok := git.Locate(s.places.Work.Top())
	if !ok {
		return "", git.ErrNotRepo
	}
	if branch == "" {
		return "", nil
	}
	return at.Tip(branch)
}

// openPlace opens the guard of a separate work tree.
func (s *shield) openPlace(ctx context.Context, name, member string) (*guard.Guard, error) {
	tree, err := gitwrite.Open(place.Path(s.options.Root, name))
	if err != nil {
		return nil, err
	}
	o := s.options
	o.Main, o.MainWork = o.Root, s.places.Work
	o.Root, o.Work = s.projectIn(tree.Top()), tree
	o.Store = o.Store.At(filepath.Join(o.Root, ".claude"))
	return s.openGuard(ctx, o, member)
}

// projectIn returns the project's folder in another work tree.
func (s *shield) projectIn(top string) string {
	root := filepath.Join(top, filepath.FromSlash(s.places.Work.Root().Folder()))
	if st, err := os.Stat(root); err == nil && st.IsDir() {
		return root
	}
	return top
}

// scopeOf returns what every run in a work tree may do; each task adds its own.
func (s *shield) scopeOf(g *guard.Guard, member, label string) guard.Scope {
	sc := s.scope
	sc.Owner, sc.Label = strings.TrimSpace("session "+s.files.name+" "+member), label
	on := ""
	if at, ok := git.Locate(g.Root); ok { // cheap, as it only reads a file: this runs before every agent
		on, _ = at.Checked()
	}
	if s.main == "" {
		s.main, _ = g.Work.Repo().MainBranch() // without a main branch none is protected
	}
	for _, branch := range append([]string{on, s.main}, s.branches...) {
		if ref := "refs/heads/" + branch; branch != "" && !slices.Contains(sc.Refs, ref) {
			sc.Refs = append(sc.Refs, ref)
		}
	}
	return sc
}

// checkRemote checks whether anything was pushed past the engine.
func (s *shield) checkRemote(ctx context.Context) error {
	if s.remote == nil {
		return nil
	}
	var own []string
	if slices.ContainsFunc(s.files.units, unit.commits) {
		on, _ := s.guard.Work.Repo().Branch() // without a branch none is its own
		for _, branch := range append([]string{on}, s.branches...) {
			own = append(own, "refs/heads/"+branch)
		}
	}
	err := s.remote.Check(ctx, own...)
	var pushed *guard.PushedError
	if !errors.As(err, &pushed) {
		return err
	}
	return &step.StoppedError{Why: err.Error(), Do: fmt.Sprintf("inspect it with git fetch %s and git log; to undo it: git push --force-with-lease %s %s:%s",
		pushed.Remote, pushed.Remote, text.Hash(pushed.Old), pushed.Ref)}
}

// removeCopies removes the guards' copies when the session has ended.
func (s *shield) removeCopies() {
	if s.guard != nil {
		s.guard.Clear()
	}
	for _, g := range s.members {
		g.Clear()
	}
}

// forgetEarlier removes what an earlier session of the same name left behind, so that members start
// from the present work tree.
func (s *shield) forgetEarlier(ctx context.Context) error {
	if s.options.State != "" {
		if err := durable.RemoveFolder(s.options.State); err != nil {
			return err
		}
	}
	if s.guard == nil {
		return nil
	}
	for i, u := range s.files.units {
		refs := []string{s.baseRef(i)}
		if u.member != nil {
			s.removeMember(ctx, i)
			refs = append(refs, s.memberRef(i))
		}
		for _, ref := range refs {
			if _, err := s.places.Work.Repo().Run(ctx, git.Call{Args: []string{"update-ref", "-d", ref}}); err != nil {
				return err
			}
		}
	}
	return nil
}
