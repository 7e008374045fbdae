package land

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/conduct"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/guard"
	"warp/internal/sys/git"
)

// Remove deletes a branch that can go, unless it has moved since. A branch that another process
// deleted meanwhile counts as removed.
func (s Sweep) Remove(ctx context.Context, b SweptBranch) error {
	if b.Kept != "" {
		return errors.New(b.Kept)
	}
	if err := s.remove(ctx, b); err != nil && !s.isGone(ctx, b) {
		return err
	}
	return nil
}

func (s Sweep) isGone(ctx context.Context, b SweptBranch) bool {
	if b.Remote == "" {
		_, err := s.Work.Repo().Ref("refs/heads/" + b.Name)
		return errors.Is(err, git.ErrNoRef)
	}
	there, err := s.askRemote(ctx, b.Remote)
	return err == nil && there[b.Name] == ""
}

func (s Sweep) remove(ctx context.Context, b SweptBranch) error {
	if b.Remote != "" {
		if _, err := s.Conductor.Ask(ctx, conduct.Say{Kind: conduct.Push, What: "delete " + b.Name}); err != nil {
			return err
		}
		return s.Work.Remotes().DeleteBranch(ctx, b.Remote, b.Name, b.At)
	}
	place, ok := git.LocateIn(s.Work.Top(), s.Work.Top())
	if !ok {
		return git.ErrNotRepo
	}
	if err := guard.AnnounceDeletion(place, "refs/heads/"+b.Name, s.Now()); err != nil {
		return err
	}
	return s.Work.DeleteBranch(ctx, b.Name, b.At)
}

// RemoveAll deletes what can go, and returns what was deleted and what is kept. A branch that stays
// on the remote also stays here.
func (s Sweep) RemoveAll(ctx context.Context) (deleted, kept []SweptBranch, err error) {
	list, err := s.Find(ctx)
	stays := map[string]bool{}
	for _, b := range list {
		if b.Kept == "" && stays[b.Name] {
			continue
		}
		if b.Kept == "" {
			if err := s.Remove(ctx, b); err != nil {
				b.Kept = text.FirstLine(err.Error())
			}
		}
		if b.Kept != "" {
			if !stays[b.Name] { // report each name once
				kept = append(kept, b)
			}
			stays[b.Name] = true
			continue
		}
		deleted = append(deleted, b)
	}
	return deleted, kept, err
}

// RecordLanded records in the journal that a branch has landed. Sweep deletes branches by that
// record, even if this process is killed before.
func RecordLanded(l *Lander, row evidence.Landed) error {
	if l.Remote != nil {
		var err error
		if row.Pushed, err = l.Work.Repo().Ref("refs/remotes/" + l.Remote.Name + "/" + row.Branch); err != nil && !errors.Is(err, git.ErrNoRef) {
			return err
		}
	}
	if err := l.Home.AppendSynced(event.Landed, row); err != nil {
		return fmt.Errorf("keeping that %s has landed: %w", row.Branch, err)
	}
	l.pass("landed")
	return nil
}
