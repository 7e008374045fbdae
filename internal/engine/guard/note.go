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
	Label    string
	Refs     map[string]string
	ReadOnly bool
	Before   git.Print
	Git      map[string]file
}

// note writes down what is known, before an agent runs.
func (r *Run) note() error {
	refs, expected := map[string]string{}, r.g.Shared.expected()
	for _, ref := range r.Refs {
		refs[ref] = expected[ref]
	}
	r.g.record.Run = &noted{r.Label, refs, r.ReadOnly, r.before, r.g.Shared.files}
	return saveNote(r.g.recordFile(), &r.g.record)
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
	var rec record
	if err := loadNote(g.recordFile(), &rec); err == nil && rec.Run == nil || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, errors.Join(err, os.RemoveAll(g.recordFile()))
	}
	if _, ok := g.locate(); !ok {
		return true, g.gone()
	}
	n := rec.Run
	sc.Label, sc.ReadOnly = n.Label, n.ReadOnly
	r := &Run{Scope: sc, g: g, before: n.Before, theirs: maps.Clone(rec.Theirs)}
	if err := errors.Join(g.files.reopen(), g.own.reopen()); err != nil {
		return true, err
	}
	g.Remark("an agent was at work when the engine was killed: what it left is looked after")
	if on, err := g.repo.place.Checked(); err != nil || on != n.Before.Branch || rec.Owner != sc.Owner {
		if err = errors.Join(err, r.restoreAbsent(ctx), r.restoreState()); err != nil {
			return true, err
		}
		rec.Run = nil
		return true, saveNote(g.recordFile(), &rec)
	}
	changed := differing(g.repo.place, n.Git, r.Refs)
	if err := g.Shared.enter(ctx, g); err != nil {
		return true, err
	}
	if len(sc.Refs) > 0 && n.Refs[sc.Refs[0]] != "" {
		g.Shared.Moved(sc.Refs[0], n.Refs[sc.Refs[0]])
	}
	g.record = rec
	out, err := r.After(ctx)
	g.Left = &Left{Label: n.Label, Outcome: out}
	if err != nil || len(changed) == 0 {
		return true, err
	}
	before := filepath.Join(g.repo.place.GitDir(), "warp", "before")
	for _, name := range changed {
		if was, had := n.Git[name]; had {
			err = errors.Join(err, was.write(filepath.Join(before, filepath.FromSlash(name))))
		}
	}
	return true, errors.Join(err, &ChangedError{changed, before})
}
