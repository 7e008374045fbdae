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

// record says who owns the uncommitted changes of a work tree. It is a file, so that a change a
// person makes while no engine runs is still theirs.
type record struct {
	Owner    string
	Last     *git.Print // after the owner's last run
	Theirs   map[string]bool
	Private  []string           // ignored before, and never committed
	Outcomes map[string]Outcome // of the last runs, by label
	Run      *runNote           // the run in progress; nil: none
	// Written is what runs made of a person's files: that is not the person's, whose own version
	// was kept before.
	Written map[string]string

	inherited []string // paths from an earlier owner of the same work
}

// Inherit makes uncommitted paths the work of the next owner.
func (g *Guard) Inherit(paths []string) { g.record = record{inherited: paths} }

func (g *Guard) recordFile() string { return filepath.Join(g.Dir, "owner.note") }

// mostIgnored bounds how many ignored paths are recorded; folders count once.
const mostIgnored = 200

// attribute determines what belongs to a person before a run: everything uncommitted before an
// owner's first run, and what changed between two of its runs.
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
	// What is committed by now, or reverted to the commit, is no longer uncommitted.
	maps.DeleteFunc(rec.Theirs, func(p string, theirs bool) bool {
		_, dirty := now.Dirty[p]
		return !dirty || !theirs
	})
	return between
}

// addOutcome records the result of a run.
func (r *record) addOutcome(now git.Print, label string, out Outcome) {
	const most = 4 // runs of one owner, parallel or in sequence
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

// Settle accepts the work tree as the engine itself has just left it: the difference is not a
// person's.
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

// LastOutcome returns what the last run with a label did to the work tree, even if its engine was
// killed right after.
func (g *Guard) LastOutcome(label string) Outcome {
	r := g.record
	if r.Owner == "" {
		_ = g.loadNote(&r) // without one nothing is known
	}
	return r.Outcomes[label]
}

// Leftovers returns the uncommitted paths that belong not to a person but to an owner with this
// prefix: from a run that was killed, or whose state was lost since. They are its work, not what
// the next one starts from.
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

// runNote is what is known of a run in progress. If the engine is killed, the next one cleans up
// with it.
type runNote struct {
	Label               string
	Refs                map[string]string
	ReadOnly, Contained bool
	Before              git.Print
	Git                 map[string]file
	// Files and Own are the checksums of the copies: after a kill, only intact copies are restored.
	Files, Own map[string]string
	Index      *index // before the run; nil in notes of older versions
}

// note records what is known, before an agent runs.
func (r *Run) note() error {
	refs, expected := map[string]string{}, r.g.Shared.expected()
	for _, ref := range r.Refs {
		refs[ref] = expected[ref]
	}
	r.g.record.Run = &runNote{r.Label, refs, r.ReadOnly, r.Contained, r.before, r.g.Shared.files, r.g.files.sums, r.g.own.sums, &r.g.index}
	return r.g.saveNote(&r.g.record)
}

// ChangedError reports that git's own files changed since an engine was killed, by the agent or a
// person: they are not restored.
type ChangedError struct {
	Names  []string
	Before string // where the old versions are kept
}

func (e *ChangedError) Error() string {
	return "git's own settings or hooks were changed, by the agent or by a person, since the engine was killed: " + text.Quote(e.Names, 5)
}

// Left is what a run whose engine was killed had done; it belongs to that work.
type Left struct {
	Label string // of the run's scope
	Outcome
}

// Recover cleans up after a run whose engine was killed. What the run left in the work tree is its
// owner's work. If another branch is checked out by now, or another owner asks, only missing files
// are restored. Of the refs, only the scope's own are.
func (g *Guard) Recover(ctx context.Context, sc Scope) (found bool, err error) {
	told := false
	if g.person != nil {
		if told, err = g.person.Recover(ctx, sc.forMainTree()); err != nil {
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
		return true, g.goneError()
	}
	n := rec.Run
	sc.Label, sc.ReadOnly, sc.Contained = n.Label, n.ReadOnly, n.Contained
	r := &Run{Scope: sc, g: g, before: n.Before, theirs: maps.Clone(rec.Theirs)}
	bad := append(g.files.reopen(n.Files), g.own.reopen(n.Own)...)
	r.reportPaths(Destroyed, "", "copies from before the run are missing or were changed since, so these files were not put back", bad)
	if !told {
		g.Remark("an agent was running when the engine was killed: its changes are being checked")
	}
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
	if n.Index != nil { // else what is hidden or tracked now stays so
		g.index = *n.Index
	} else if err := g.refreshIndex(ctx); err != nil {
		return true, err
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

// keepBeside keeps the old versions of files that changed in a person's own work tree during a run
// elsewhere whose engine was killed: the agent may have changed them, or the person since. It
// reverts nothing.
func keepBeside(ctx context.Context, r *Run, n *runNote) (err error) {
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
