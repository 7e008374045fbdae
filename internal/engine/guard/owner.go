package guard

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

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
		if loadNote(g.recordFile(), rec) != nil || rec.Owner != owner {
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
	return saveNote(g.recordFile(), &g.record)
}

// LastOutcome is what the last run of a label did to the work tree: known also to
// the next engine, when the one that ran it was killed right after.
func (g *Guard) LastOutcome(label string) Outcome {
	r := g.record
	if r.Owner == "" {
		_ = loadNote(g.recordFile(), &r) // without one nothing is known
	}
	return r.Outcomes[label]
}

// Leftovers are the uncommitted paths that are not a person's but the work of an
// owner whose name begins so: of a run that was killed, or of one whose state was
// lost since. They are its work, and not what the next one begins with.
func (g *Guard) Leftovers(ctx context.Context, owner string) (left []string, err error) {
	now, err := g.printer.Print(ctx)
	if err != nil {
		return nil, err
	}
	var r record
	if loadNote(g.recordFile(), &r) != nil || !strings.HasPrefix(r.Owner, owner) {
		return nil, nil
	}
	for p, is := range now.Dirty {
		if !r.Theirs[p] && (r.Run != nil && r.Run.Before.Dirty[p] != is || r.Run == nil && r.Last != nil && r.Last.Dirty[p] == is) {
			left = append(left, p)
		}
	}
	slices.Sort(left)
	return left, nil
}
