package guard

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// record is whose the uncommitted changes of a work tree are. It is a file, so
// that a change which a person makes while no engine runs is still theirs.
type record struct {
	Owner    string
	Last     *git.Print // after the owner's last run
	Theirs   map[string]bool
	Private  []string           // ignored before, and never committed
	Outcomes map[string]Outcome // of the last runs, by their labels
	Run      *noted             // that is under way; nil: none is
	// Written is what runs have made of a person's files: that is not the person's, whose own
	// version was kept before.
	Written map[string]string

	inherited []string // of an earlier owner of the same work
}

// Inherit says that uncommitted paths are the work of the next owner.
func (g *Guard) Inherit(paths []string) { g.record = record{inherited: paths} }

func (g *Guard) recordFile() string { return filepath.Join(g.Dir, "owner.note") }

// mostIgnored bounds what is kept of what git ignored: folders count once.
const mostIgnored = 200

// attribute finds out what is a person's before a run: all that was uncommitted
// before the first run of an owner, and what has changed between two of its runs.
func (g *Guard) attribute(owner string, now git.Print) (between []string) {
	rec := &g.record
	if rec.Owner != owner {
		inherited := rec.inherited
		*rec = record{}
		if g.loadNote(rec) != nil || rec.Owner != owner {
			*rec = record{Owner: owner, Theirs: map[string]bool{}, Private: now.Ignored[:min(len(now.Ignored), mostIgnored)]}
			for p := range now.Dirty {
				rec.Theirs[p] = !slices.Contains(inherited, p)
			}
		}
	}
	if rec.Last != nil {
		between, _ = now.Since(*rec.Last)
	}
	for _, p := range between {
		rec.Theirs[p] = true
	}
	// What is committed by now, or as it was committed, is no more uncommitted.
	maps.DeleteFunc(rec.Theirs, func(p string, theirs bool) bool {
		_, dirty := now.Dirty[p]
		return !dirty || !theirs
	})
	return between
}

// after takes the result of a run.
func (r *record) after(now git.Print, label string, out Outcome) {
	const most = 4 // runs of one owner at once, or one after the other
	if r.Outcomes == nil || len(r.Outcomes) >= most {
		r.Outcomes = map[string]Outcome{}
	}
	r.Last, r.Outcomes[label] = &now, out
	for _, p := range slices.Concat(out.Outside, out.Revealed) {
		r.Theirs[p] = true
	}
	if r.Written == nil {
		r.Written = map[string]string{}
	}
	for _, p := range out.Yours {
		r.Written[p] = now.Dirty[p]
	}
	maps.DeleteFunc(r.Written, func(p, _ string) bool { return now.Dirty[p] == "" })
	r.Private = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Private, out.Revealed))))
}

// Settle takes the work tree as the engine itself has just left it: what differs
// from before is not a person's.
func (g *Guard) Settle(ctx context.Context) error {
	if g.record.Owner == "" {
		return nil
	}
	now, err := g.printer.Print(ctx)
	if err != nil {
		return err
	}
	g.record.Last = &now
	return g.saveNote(&g.record)
}

// LastOutcome is what the last run of a label did to the work tree: known also to
// the next engine, when the one that ran it was killed right after.
func (g *Guard) LastOutcome(label string) Outcome {
	r := g.record
	if r.Owner == "" {
		_ = g.loadNote(&r) // without one nothing is known
	}
	return r.Outcomes[label]
}

// Leftovers are the uncommitted paths that are not a person's but the work of an
// owner whose name begins so: of a run that was killed, or of one whose state was
// lost since. They are its work, and not what the next one begins with.
func (g *Guard) Leftovers(ctx context.Context, owner string) (left []string, err error) {
	var r record
	if g.loadNote(&r) != nil || !strings.HasPrefix(r.Owner, owner) {
		return nil, nil
	}
	now, err := g.printer.Print(ctx)
	if err != nil {
		return nil, err
	}
	for p, is := range now.Dirty {
		if !r.Theirs[p] && (r.Run != nil && r.Run.Before.Dirty[p] != is || r.Run == nil && r.Last != nil && r.Last.Dirty[p] == is) {
			left = append(left, p)
		}
	}
	slices.Sort(left)
	return left, nil
}

// noted is what is known of a run while it is under way: when the engine is
// killed meanwhile, the next one looks after what the run has left.
type noted struct {
	Label               string
	Refs                map[string]string
	ReadOnly, Contained bool
	Before              git.Print
	Git                 map[string]file
	// Files and Own are the sums of the copies: what is put back after a kill is what
	// was copied, or nothing.
	Files, Own map[string]string
}

// note writes down what is known, before an agent runs.
func (r *Run) note() error {
	refs, expected := map[string]string{}, r.g.Shared.expected()
	for _, ref := range r.Refs {
		refs[ref] = expected[ref]
	}
	r.g.record.Run = &noted{r.Label, refs, r.ReadOnly, r.Contained, r.before, r.g.Shared.files, r.g.files.sums, r.g.own.sums}
	return r.g.saveNote(&r.g.record)
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
	if err := g.loadNote(&rec); err == nil && rec.Run == nil || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, errors.Join(err, durable.RemoveFolder(g.recordFile()))
	}
	if _, ok := g.locate(); !ok {
		return true, g.gone()
	}
	n := rec.Run
	sc.Label, sc.ReadOnly, sc.Contained = n.Label, n.ReadOnly, n.Contained
	r := &Run{Scope: sc, g: g, before: n.Before, theirs: maps.Clone(rec.Theirs)}
	bad := append(g.files.reopen(n.Files), g.own.reopen(n.Own)...)
	r.reportPaths(Destroyed, "", "copies from before the run are missing or were changed since; nothing is put back from them, and these stay as they are", bad)
	g.Remark("an agent was running when the engine was killed: its changes are being checked")
	if on, err := g.repo.place.Checked(); err != nil || on != n.Before.Branch || rec.Owner != sc.Owner || sc.Beside {
		if sc.Beside {
			err = errors.Join(err, keepBeside(ctx, r, n))
		}
		if err = errors.Join(err, r.restoreAbsent(ctx), r.restoreState()); err != nil {
			return true, err
		}
		rec.Run = nil
		return true, g.saveNote(&rec)
	}
	changed := differing(g.repo.place, n.Git, r.Refs)
	if err := g.Shared.enter(ctx, g, n.Before); err != nil {
		return true, err
	}
	for i, ref := range sc.Refs {
		if was := n.Refs[ref]; was != "" && (i == 0 || sc.Holds) {
			g.Shared.Moved(ref, was)
		}
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

// keepBeside keeps what a person's own work tree had before a run elsewhere whose
// engine was killed, where it is another now: the agent may have done that, or the
// person since. Nothing of it is undone.
func keepBeside(ctx context.Context, r *Run, n *noted) (err error) {
	g := r.g
	var other []string
	for rel := range g.files.stamps {
		was, ok := g.files.read(rel)
		if now, bad := readFile(g.files.live(rel)); ok && bad == nil && !bytes.Equal(now.Text, was.Text) {
			other = append(other, rel)
			err = errors.Join(err, g.repo.setAside(rel, was))
		}
	}
	kept := g.repo.replacedFolder()
	r.reportPaths(Yours, kept, "files with your uncommitted changes changed while an agent worked elsewhere; the earlier versions are kept in "+kept, other)
	ref := heads + n.Before.Branch
	tip, bad := g.Work.Repo().Ref(ref)
	if back, bad2 := g.Work.Repo().Descends(n.Before.Head, tip); bad == nil && bad2 == nil && back && tip != n.Before.Head {
		r.report(Commit, r.keep(ctx, "before", n.Before.Head), "%s went back from %s to %s while an agent worked elsewhere", n.Before.Branch, text.Hash(n.Before.Head), text.Hash(tip))
	}
	return err
}
