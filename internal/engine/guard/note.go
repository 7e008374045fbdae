package guard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// noted is what is known of a run while it is under way: when the engine is
// killed meanwhile, the next one looks after what the run has left.
type noted struct {
	Owner    string             `json:"owner"`
	Label    string             `json:"label"`
	Refs     map[string]string  `json:"refs"`
	ReadOnly bool               `json:"read_only,omitempty"`
	Before   git.Print          `json:"before"`
	Git      map[string]gitFile `json:"git,omitempty"`
	Theirs   []string           `json:"theirs,omitempty"`
}

func (g *Guard) noteFile() string { return filepath.Join(g.Dir, "guard.json") }

// note writes down what is known, before an agent runs.
func (g *Guard) note(r *Run) error {
	n := noted{Owner: r.Owner, Label: r.Label, Refs: map[string]string{}, ReadOnly: r.ReadOnly, Before: r.before, Theirs: g.record.Theirs}
	expected := g.Shared.expected()
	for _, ref := range r.Refs {
		n.Refs[ref] = expected[ref]
	}
	g.Shared.mu.Lock()
	n.Git = g.Shared.files
	g.Shared.mu.Unlock()
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(g.Dir, 0o700); err != nil {
		return err
	}
	return durable.Jot(g.noteFile(), content)
}

func (g *Guard) dismiss() error { return os.RemoveAll(g.noteFile()) }

// Interrupted is the note of a run whose engine was killed; false: there is none.
// It tells the owner, and what was a person's.
func (g *Guard) Interrupted() (owner string, found bool) {
	n, err := g.read()
	return n.Owner, err == nil
}

func (g *Guard) read() (n noted, err error) {
	content, err := os.ReadFile(g.noteFile())
	if err != nil {
		return n, err
	}
	return n, json.Unmarshal(content, &n)
}

// Leftovers are the uncommitted paths that are not a person's but the work of an
// owner whose name begins so: of a run that was killed, or of one whose state was
// lost since. They are its work, and not what the next one begins with.
func (g *Guard) Leftovers(ctx context.Context, owner string) ([]string, error) {
	now, err := g.printer.Print(ctx)
	if err != nil {
		return nil, err
	}
	if n, err := g.read(); err == nil && strings.HasPrefix(n.Owner, owner) {
		paths, _ := now.Since(n.Before)
		return slices.DeleteFunc(paths, func(p string) bool { _, dirty := now.Dirty[p]; return !dirty || slices.Contains(n.Theirs, p) }), nil
	}
	var r record
	content, err := os.ReadFile(g.recordFile())
	if err != nil || json.Unmarshal(content, &r) != nil || !strings.HasPrefix(r.Owner, owner) || r.Last == nil {
		return nil, nil
	}
	var left []string
	for p, is := range now.Dirty {
		if r.Last.Dirty[p] == is && !slices.Contains(r.Theirs, p) {
			left = append(left, p)
		}
	}
	slices.Sort(left)
	return left, nil
}

// ChangedError says that git's own files changed since an engine was killed, by
// the agent or by a person: they are not put back.
type ChangedError struct {
	Names  []string
	Before string // where they are kept as they were
}

func (e *ChangedError) Error() string {
	return "git's own settings or hooks were changed, by the agent or by a person, since the engine was killed: " + text.Quote(e.Names, 5)
}

// Left is what a run had done whose engine was killed: it is that work's.
type Left struct {
	Label string // of the run's scope
	Outcome
}

// Recover looks after a run whose engine was killed before it could. What the run
// left in the work tree is its owner's work. Where a person stands on another
// branch by now, or another owner asks, only what is gone is put back; references
// are put back only as far as the scope's own.
func (g *Guard) Recover(ctx context.Context, sc Scope) (found bool, err error) {
	if g.person != nil {
		if _, err := g.person.Recover(ctx, sc.besides()); err != nil {
			return true, err
		}
	}
	n, err := g.read()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, errors.Join(err, g.dismiss())
	}
	if _, ok := g.locate(); !ok {
		return true, g.gone()
	}
	sc.Label, sc.ReadOnly = n.Label, n.ReadOnly
	r := &Run{Scope: sc, g: g, before: n.Before, theirs: (&record{Theirs: n.Theirs}).theirs(), under: map[string]bool{}}
	for _, c := range []*copies{g.files, g.own} {
		if err := c.reopen(); err != nil {
			return true, err
		}
	}
	g.Remark("an agent was at work when the engine was killed: what it left is looked after")
	if on, err := g.place.Checked(); err != nil || on != n.Before.Branch || n.Owner != sc.Owner {
		if err = errors.Join(err, r.restoreAbsent(ctx), r.restoreState()); err != nil {
			return true, err
		}
		return true, g.dismiss()
	}
	changed := differing(g.place, n.Git, r.Refs)
	if err := g.Shared.enter(ctx, g.place, g.Work.Repo()); err != nil {
		return true, err
	}
	for ref, was := range n.Refs {
		if was != "" && ownRef(sc, ref) {
			g.Shared.Moved(ref, was)
		}
	}
	g.attribute(sc.Owner, n.Before)
	g.record.Theirs = n.Theirs
	out, err := r.After(ctx)
	g.Left = &Left{Label: n.Label, Outcome: out}
	if err != nil || len(changed) == 0 {
		return true, err
	}
	before := filepath.Join(g.place.GitDir(), "warp", "before")
	for _, name := range changed {
		if was, had := n.Git[name]; had {
			if err := was.write(filepath.Join(before, filepath.FromSlash(name))); err != nil {
				return true, err
			}
		}
	}
	return true, &ChangedError{changed, before}
}

// restoreAbsent puts back what is gone of a person's: what git does not have where
// it was, what it has beside.
func (r *Run) restoreAbsent(ctx context.Context) error {
	g := r.g
	var absent []string
	for rel := range g.files.stamps {
		if _, err := os.Lstat(g.files.live(rel)); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, rel)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	a, err := git.Repo{Dir: g.Work.Top()}.Run(ctx, git.Call{Args: append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, absent...)})
	if err != nil {
		return err
	}
	tracked := git.Split(a.Stdout)
	var back []string
	for _, rel := range absent {
		if content, ok := g.files.read(rel); ok && slices.Contains(tracked, rel) {
			if err := writeNew(g.replacedFile(rel, content), content); err != nil {
				return err
			}
			continue
		}
		back = append(back, rel)
	}
	slices.Sort(absent)
	if err := errors.Join(r.makeRoom(back), g.Work.Put(g.files.dir, back)); err != nil {
		return err
	}
	r.report(Destroyed, "", "gone since an agent was at work; put back, or kept in %s: %s", g.replacedFolder(), text.Quote(absent, 5))
	return nil
}

func ownRef(sc Scope, ref string) bool { return len(sc.Refs) > 0 && sc.Refs[0] == ref }

// movesFile is where engines note the references that they have moved, so that
// the guard of another engine does not take it for its agent's doing.
const movesFile = "warp/moves"

// RecordMove notes that an engine has moved a reference.
func (g *Guard) RecordMove(ref, to string) error {
	g.Shared.Moved(ref, to)
	file := filepath.Join(g.place.Common(), filepath.FromSlash(movesFile))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(ref + " " + to + "\n")
	return errors.Join(err, f.Close())
}

// recorded tells whether another engine has moved a reference to where it is since
// the run began: forward or aside, never back.
func (g *repository) recorded(since int64, ref, was, to string) bool {
	f, err := os.Open(filepath.Join(g.place.Common(), filepath.FromSlash(movesFile)))
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := f.Seek(since, io.SeekStart); err != nil {
		return false
	}
	if back, err := g.Work.Repo().Descends(was, to); err != nil || back {
		return false
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if lines.Text() == ref+" "+to {
			return true
		}
	}
	return false
}
