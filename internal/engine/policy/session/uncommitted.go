package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// uncommitted is work of the session that is in the work tree but in no commit: a choice of a
// parallel stage, or what iterations changed whose checks failed. The next commit has it too, since
// the checks pass on both together. What a person changed since is not the session's.
type uncommitted struct {
	Before string   `json:"before"`          // the tree without it
	After  string   `json:"after,omitempty"` // the tree with it
	Paths  []string `json:"paths"`
}

// uncommittedFile has what a unit's iterations left uncommitted. It is emptied, never removed, like
// failedFile.
const (
	uncommittedFile = "uncommitted.json"
	uncommittedFact = "work"
)

func (u unit) openUncommitted(store *durable.Store) (m *step.Memory, err error) {
	m, _, err = step.Remember(store, u.pathOf(uncommittedFile), u.session+" "+u.name)
	return m, err
}

// earlierWork returns what earlier iterations left uncommitted and is still as they left it; nil if
// there is none.
func earlierWork(b *iterating, o opening) (*uncommitted, error) {
	if !b.unit.stage.Commit || b.unit.member != nil || o.Tree == "" {
		return nil, nil
	}
	m, err := b.unit.openUncommitted(b.run.Store)
	if err != nil {
		return nil, err
	}
	var u uncommitted
	if json.Unmarshal([]byte(m.Facts[uncommittedFact]), &u) != nil { // there is none
		return nil, nil
	}
	trees := b.taker.Guard.Work.Repo().Trees()
	if o.Head != "" { // a person may have committed it
		open, err := trees.Changes(o.Head, o.Tree)
		if err != nil {
			return nil, err
		}
		u.Paths = slices.DeleteFunc(u.Paths, func(path string) bool { return !slices.Contains(git.Paths(open), path) })
	}
	changed, err := trees.Changes(u.After, o.Tree)
	if err != nil { // git may collect a tree that is weeks old
		b.run.remark("left uncommitted, since its earlier state is gone: %s", text.Quote(u.Paths, 5))
		return nil, nil
	}
	return u.without(git.Paths(changed)), nil
}

// without leaves out paths; nil if none is left.
func (u *uncommitted) without(paths []string) *uncommitted {
	if u == nil {
		return nil
	}
	rest := text.Without(u.Paths, paths)
	if len(rest) == 0 {
		return nil
	}
	return &uncommitted{u.Before, u.After, rest}
}

// stillEarlier returns the earlier work that is in a tree of the iteration's end too: what changed
// since it began, not by its agent, is a person's.
func (o opening) stillEarlier(trees git.Trees, tree string, own []string) (*uncommitted, error) {
	if o.Earlier == nil {
		return nil, nil
	}
	changed, err := trees.Changes(o.Tree, tree)
	return o.Earlier.without(text.Without(git.Paths(changed), own)), err
}

// keepUncommitted remembers what an iteration and earlier ones left uncommitted, for the next commit
// of the unit. It can be repeated: what was there before is part of the iteration's opening.
func keepUncommitted(ctx context.Context, b *iterating, o opening, out Outcome, committed bool) error {
	if !b.unit.stage.Commit || b.unit.member != nil || o.Tree == "" {
		return nil
	}
	m, err := b.unit.openUncommitted(b.run.Store)
	if err != nil {
		return err
	}
	now := ""
	if !committed && (len(out.Files) > 0 || o.Earlier != nil) {
		u := uncommitted{Paths: out.Files}
		if u.After, err = b.taker.Guard.Snapshot(); err == nil {
			o.Earlier, err = o.stillEarlier(b.taker.Guard.Work.Repo().Trees(), u.After, out.Files)
		}
		if err != nil {
			return err
		}
		if o.Earlier != nil {
			u.Paths = slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Paths, o.Earlier.Paths))))
		}
		if u.Before, err = b.run.ownBase(ctx, b.unit, o); err != nil {
			return err
		}
		said, err := json.Marshal(u)
		if err != nil {
			return err
		}
		now = string(said)
	}
	if m.Facts[uncommittedFact] == now {
		return nil
	}
	m.Facts[uncommittedFact] = now
	return m.Save()
}

// uncommittedChoices returns the choices of parallel stages that are not committed: the paths that
// the member changed and that are still as it made them. Paths that a person changed before or since
// are left out.
func (r *run) uncommittedChoices(u unit, o opening) (list []uncommitted, err error) {
	if o.Head == "" || o.Tree == "" {
		return nil, nil
	}
	repo := r.shield.guard.Work.Repo()
	for _, stage := range r.files.units[:u.index] {
		man, _ := r.files.manifest(stage)
		if len(man.Taken) == 0 {
			continue
		}
		changed, err := repo.Trees().Changes(man.Tree, o.Tree)
		open, err2 := repo.Trees().Changes(o.Head, man.Tree)
		theirs, err3 := repo.Trees().Changes(o.Head, man.Base)
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
		not := append(git.Paths(changed), git.Paths(theirs)...)
		own := slices.DeleteFunc(slices.Clone(man.Taken), func(path string) bool {
			return slices.Contains(not, path) || !slices.Contains(git.Paths(open), path)
		})
		if len(own) > 0 {
			list = append(list, uncommitted{Before: man.Base, Paths: own})
		}
	}
	return list, nil
}

// ownBase returns the tree an iteration started from, without what the session itself brought into
// the work tree. If that counted as a person's work, neither it nor anything built on it could be
// committed.
func (r *run) ownBase(ctx context.Context, u unit, o opening) (string, error) {
	base := o.Tree
	list, err := r.uncommittedChoices(u, o)
	if o.Earlier != nil {
		list = append(list, *o.Earlier)
	}
	for _, c := range list {
		if err == nil {
			base, err = r.shield.guard.Work.Repo().Trees().Graft(ctx, base, c.Before, c.Paths)
		}
	}
	return base, err
}
