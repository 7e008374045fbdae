package guard

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// noted is what is known of a run while it is under way: when the engine is
// killed meanwhile, the next one looks after what the run has left.
type noted struct {
	Owner, Label string
	Refs         map[string]string
	ReadOnly     bool
	Before       git.Print
	Git          map[string]file
	Theirs       map[string]bool
}

func (g *Guard) noteFile() string { return filepath.Join(g.Dir, "run.note") }

// note writes down what is known, before an agent runs.
func (g *Guard) note(r *Run) error {
	refs, expected := map[string]string{}, g.Shared.expected()
	for _, ref := range r.Refs {
		refs[ref] = expected[ref]
	}
	return saveNote(g.noteFile(), &noted{r.Owner, r.Label, refs, r.ReadOnly, r.before, g.Shared.files, r.theirs})
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
	var n noted
	if err := loadNote(g.noteFile(), &n); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, errors.Join(err, os.RemoveAll(g.noteFile()))
	}
	if _, ok := g.locate(); !ok {
		return true, g.gone()
	}
	sc.Label, sc.ReadOnly = n.Label, n.ReadOnly
	r := &Run{Scope: sc, g: g, before: n.Before, theirs: n.Theirs}
	if err := errors.Join(g.files.reopen(), g.own.reopen()); err != nil {
		return true, err
	}
	g.Remark("an agent was at work when the engine was killed: what it left is looked after")
	if on, err := g.place.Checked(); err != nil || on != n.Before.Branch || n.Owner != sc.Owner {
		if err = errors.Join(err, r.restoreAbsent(ctx), r.restoreState()); err != nil {
			return true, err
		}
		return true, os.RemoveAll(g.noteFile())
	}
	changed := differing(g.place, n.Git, r.Refs)
	if err := g.Shared.enter(ctx, g); err != nil {
		return true, err
	}
	if len(sc.Refs) > 0 && n.Refs[sc.Refs[0]] != "" {
		g.Shared.Moved(sc.Refs[0], n.Refs[sc.Refs[0]])
	}
	g.attribute(sc.Owner, n.Before)
	g.record.Theirs = maps.Clone(n.Theirs)
	out, err := r.After(ctx)
	g.Left = &Left{Label: n.Label, Outcome: out}
	if err != nil || len(changed) == 0 {
		return true, err
	}
	before := filepath.Join(g.place.GitDir(), "warp", "before")
	for _, name := range changed {
		if was, had := n.Git[name]; had {
			err = errors.Join(err, was.write(filepath.Join(before, filepath.FromSlash(name))))
		}
	}
	return true, errors.Join(err, &ChangedError{changed, before})
}
