package gitwrite

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// Change describes what to commit: the changes in the work tree since Base, and nothing that was
// uncommitted before.
type Change struct {
	// Base is the tree that git.Repo.Snapshot returned when the work began, with the same Exclude.
	// Take a new one after each commit.
	Base string
	// Tree is what Snapshot returned when the work was done; later changes in the work tree are
	// left out. "" means the current work tree.
	Tree    string
	Exclude []string // paths relative to Tree.Dir to leave out
	Message string   // used as it is
	// Check, if not nil, is called with exactly the tree to commit and its parent commit, "" if
	// there is none. Commit returns its error.
	Check func(ctx context.Context, parent, tree string) error
	// Moving, if not nil, is called with the commit before the branch moves to it.
	Moving func(hash string) error
}

// A plan is a prepared commit. The user's index is still untouched.
type plan struct {
	root   git.Root
	stage  git.Stage
	head   head
	tree   string           // the tree to commit
	staged map[string]entry // what the user's index will become
}

// newPlan prepares a commit. The caller must remove its stage.
func newPlan(ctx context.Context, root git.Root, c Change) (p plan, err error) {
	p.root = root
	if !git.IsHash(c.Base) {
		return plan{}, fmt.Errorf("committing in %s: %q is not a tree; use what Snapshot returned", root.Top, c.Base)
	}
	if err := busy(root.GitDir, root.Top); err != nil {
		return plan{}, err
	}
	if p.head, err = readHead(root); err != nil {
		return plan{}, err
	}
	at := p.head.commit
	if at == "" {
		if at, err = root.Repo(root.Top).Trees().Empty(); err != nil {
			return plan{}, err
		}
	}
	if c.Tree != "" {
		p.stage, err = root.Blank()
	} else {
		p.stage, err = root.Stage(ctx, c.Exclude...)
	}
	if err != nil {
		return plan{}, err
	}
	if c.Tree != "" {
		err = p.take(ctx, c, at)
	} else {
		err = p.fill(ctx, c.Base, at)
	}
	if err != nil {
		p.stage.Remove()
		return plan{}, err
	}
	return p, nil
}

// take sets the stage to the last commit plus the chunk's changes, which come from a tree instead
// of the work tree.
func (p *plan) take(ctx context.Context, c Change, at string) error {
	if !git.IsHash(c.Tree) {
		return fmt.Errorf("committing in %s: %q is not a tree; use what Snapshot returned", p.root.Top, c.Tree)
	}
	now, err := between(ctx, p.root, c.Base, c.Tree)
	if err != nil {
		return err
	}
	commit, fix, err := p.choose(ctx, now, c.Base, at)
	if err != nil {
		return err
	}
	if len(fix) == 0 { // the tree has no changes by others
		p.tree = c.Tree
		return nil
	}
	to := map[string]entry{}
	for path, s := range commit {
		to[path] = s.to
	}
	p.tree, err = p.root.MakeOnce(at+"\n"+entryLines(to, p.root.Zero), func() (string, error) {
		if _, err := must(ctx, p.root.Top, git.Call{Args: []string{"read-tree", at}, Env: p.stage.Env}); err != nil {
			return "", err
		}
		if err := (index{p.root, p.stage.Env}).set(ctx, to); err != nil {
			return "", err
		}
		return line(ctx, p.root.Top, p.stage.Env, "write-tree", "--missing-ok")
	})
	return err
}

func (p *plan) fill(ctx context.Context, base, at string) error {
	tree, ok := p.root.WriteTree(p.stage)
	var now steps
	var err error
	if ok {
		now, err = between(ctx, p.root, base, tree)
	} else {
		now, err = index{p.root, p.stage.Env}.staged(ctx, base)
	}
	if err != nil {
		return err
	}
	_, fix, err := p.choose(ctx, now, base, at)
	if err != nil {
		return err
	}
	if ok && len(fix) == 0 { // the work tree has no changes by others
		p.tree = tree
		return nil
	}
	if err := (index{p.root, p.stage.Env}).set(ctx, fix); err != nil {
		return err
	}
	if p.tree, ok = p.root.WriteTree(p.stage); ok {
		return nil
	}
	p.tree, err = line(ctx, p.root.Top, p.stage.Env, "write-tree", "--missing-ok")
	return err
}

// choose returns what to commit of the changes since the base, and where the work tree differs from
// that. It also decides what happens to the user's index.
func (p *plan) choose(ctx context.Context, now steps, base, at string) (commit steps, fix map[string]entry, err error) {
	if len(now) == 0 {
		return nil, nil, ErrNothing
	}
	own, err := between(ctx, p.root, base, at)
	if err != nil {
		return nil, nil, err
	}
	staged, err := index{root: p.root}.staged(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	held, err := p.held(ctx, now, own, staged)
	if err != nil {
		return nil, nil, err
	}
	fix, commit, err = merger{p.root, p.stage.Dir}.sort(ctx, now, own, held)
	if err != nil {
		return nil, nil, err
	}
	if len(commit) == 0 {
		return nil, nil, ErrNothing
	}
	var mixed []string
	for path := range commit {
		if staged[path].unmerged {
			mixed = append(mixed, path)
		}
	}
	var clash []string
	if p.staged, clash, err = (merger{p.root, p.stage.Dir}).follow(ctx, commit, staged); err != nil {
		return nil, nil, err
	}
	for _, path := range clash {
		// A staged version that the user does not have in the work tree was staged by the agent
		// along the way.
		if _, users := own[path]; users {
			mixed = append(mixed, path)
		}
	}
	if mixed = append(mixed, overlaps(fix, commit)...); len(mixed) > 0 {
		slices.Sort(mixed)
		return nil, nil, &MixedError{slices.Compact(mixed)}
	}
	return commit, fix, nil
}

// sort separates the chunk's changes from the user's. commit is what HEAD's entries become; fix is
// where the stage, which holds the work tree, must differ from that.
func (m merger) sort(ctx context.Context, now, own steps, held map[string]bool) (fix map[string]entry, commit steps, err error) {
	fix, commit = map[string]entry{}, steps{}
	var both []three
	for _, path := range now.paths() {
		n := now[path]
		h := n.from
		o, users := own[path]
		if users {
			h = o.to
		}
		switch {
		case held[path]:
			fix[path] = h
		case n.to == h:
		case users:
			both = append(both, three{path, h, n.from, n.to})
		default:
			commit[path] = step{from: h, to: n.to}
		}
	}
	for path, o := range own {
		if _, chunks := now[path]; !chunks {
			fix[path] = o.to
		}
	}
	merged, conflicts, err := m.merge(ctx, both)
	if err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 {
		return nil, nil, &MixedError{conflicts}
	}
	for _, one := range both {
		fix[one.path] = merged[one.path]
		if merged[one.path] != one.ours {
			commit[one.path] = step{from: one.ours, to: merged[one.path]}
		}
	}
	return fix, commit, nil
}

// held returns the changed paths that we must not commit: submodules and nested repositories,
// unreadable files, and ignored files that were force-added.
func (p *plan) held(ctx context.Context, now, own, staged steps) (map[string]bool, error) {
	held := map[string]bool{}
	var forced []string
	for name, n := range now {
		switch {
		case n.from.mode == gitlink || n.to.mode == gitlink || under(p.stage.Unreadable, name):
			held[name] = true
		case n.from == entry{} && own[name].to == entry{} && staged[name].to != entry{}:
			forced = append(forced, "./"+name) // the prefix rules out pathspec magic
		}
	}
	if len(forced) == 0 {
		return held, nil
	}
	c := git.Call{Args: []string{"check-ignore", "--no-index", "-z", "--stdin"}, Stdin: []byte(strings.Join(forced, "\x00") + "\x00"), Env: []string{"GIT_LITERAL_PATHSPECS=0"}}
	a, err := run(ctx, p.root.Top, c)
	if err == nil && a.Exit > 1 {
		err = failure(p.root.Top, c, a)
	}
	for _, name := range git.Split(a.Stdout) {
		held[strings.TrimPrefix(name, "./")] = true
	}
	return held, err
}

// under reports whether a path is in a list or below one of its folders, which end in a slash.
func under(list []string, p string) bool {
	return slices.ContainsFunc(list, func(u string) bool {
		return p == u || strings.HasSuffix(u, "/") && strings.HasPrefix(p, u)
	})
}

// overlaps finds paths that are a file in HEAD and a folder in the chunk, or the reverse. An index
// can hold only one of them.
func overlaps(fix map[string]entry, commit steps) []string {
	var list []string
	for p, e := range fix {
		for d := path.Dir(p); d != "." && e != (entry{}); d = path.Dir(d) {
			if c, ok := commit[d]; ok && c.to != (entry{}) {
				list = append(list, d)
			}
		}
	}
	for p, c := range commit {
		for d := path.Dir(p); d != "." && c.to != (entry{}); d = path.Dir(d) {
			if fix[d] != (entry{}) {
				list = append(list, p)
			}
		}
	}
	return list
}
