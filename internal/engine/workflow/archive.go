package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/name"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// archive puts the files of a workflow that has ended out of the way of the next.
func (r *opening) archive(ctx context.Context, s *workflow.State) error {
	if err := r.clear(ctx, s); err != nil {
		return err
	}
	text := workflow.Print(s, nil)
	id := r.archiveName(s, text)
	to := r.path(Archive + "/" + id)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("keeping the workflow before this one: %w", err)
	}
	entries, err := os.ReadDir(r.Store.Dir())
	if err != nil {
		return err
	}
	for _, e := range entries {
		_, snapshot := workflow.SnapshotNumber(e.Name())
		if snapshot || e.Name() == workflow.CheckpointFile {
			if err := os.Rename(r.path(e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Rename(r.path(Folder), filepath.Join(to, "workflow")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.write(Archive+"/"+id+"/"+workflow.File, text); err != nil {
		return err
	}
	if _, err := r.state.Doc.Remove(); err != nil {
		return err
	}
	if _, err := r.locks.Doc.Remove(); err != nil && !durable.IsMissing(err) {
		return err
	}
	r.remark("the workflow before this one is kept in %s", filepath.Join(".claude", Archive, id))
	return nil
}

// archiveName is the folder that a workflow is kept in: its id, and another where
// that is taken, unless this one was being put there when its engine was killed.
func (r *opening) archiveName(s *workflow.State, text []byte) string {
	id := s.ID
	if id == "" {
		id = strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime)
	}
	if !name.Valid(id) { // somebody has edited it
		id = name.Slug(id, 60)
	}
	first := id
	for n := 2; ; n++ {
		kept, err := os.ReadFile(r.path(Archive + "/" + id + "/" + workflow.File))
		if err != nil || bytes.Equal(kept, text) {
			return id
		}
		id = fmt.Sprintf("%s-%d", first, n)
	}
}

// clear takes the work trees away that a workflow which was ended has left; what
// they hold is kept.
func (r *opening) clear(ctx context.Context, s *workflow.State) error {
	r.state.Set(s)
	defer r.state.Set(nil)
	for _, p := range s.PendingTasks {
		if !r.places.Exists(r.placeName(p.Task)) {
			continue
		}
		tree, err := work.Open(place.Path(r.Root, r.placeName(p.Task)))
		if err != nil {
			return err
		}
		kept := "workflow/" + s.ID + "/" + p.Task + "-left"
		hash, err := tree.Repo().Snapshot(".claude")
		if u := (*git.Unreadable)(nil); err == nil || errors.As(err, &u) {
			err = r.Work.Keep(ctx, kept, hash)
		}
		if err != nil {
			return fmt.Errorf("keeping what task %s of the workflow before this one has left: %w", p.Task, err)
		}
		r.remark("what task %s of the workflow before this one has left is kept as refs/warp/%s", p.Task, kept)
		if err := (&sides{r.run}).dismiss(ctx, p.Task); err != nil {
			return err
		}
	}
	return nil
}

// freshID names the run by the time. A name that was given already, within the
// same second, is not given again.
func (r *opening) freshID() string {
	now := r.Now().UTC().Format("20060102T150405Z")
	id := now
	for n := 2; ; n++ {
		if _, err := os.Lstat(r.path(Archive + "/" + id)); err != nil {
			return id
		}
		id = fmt.Sprintf("%s-%d", now, n)
	}
}
