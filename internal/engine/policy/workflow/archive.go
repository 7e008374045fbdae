package workflow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

// archive puts the files of a workflow that has ended out of the way of the next.
func (o opening) archive(ctx context.Context, s *workflowstate.State) error {
	r := o.run
	if err := o.removeWorkTrees(ctx, s); err != nil {
		return err
	}
	state := workflowstate.Print(s, nil)
	folder := o.folderFor(s, state)
	if err := r.Store.CheckFolder(workflowstate.Archive); err != nil {
		return err
	}
	if err := Hide(ctx, r.Work.Repo(), r.Store.Dir()); err != nil {
		return err
	}
	if err := os.MkdirAll(r.path(folder), 0o755); err != nil {
		return fmt.Errorf("archiving the previous workflow: %w", err)
	}
	entries, err := os.ReadDir(r.Store.Dir())
	if err != nil {
		return err
	}
	moves := map[string]string{Folder: "workflow"}
	for _, e := range entries {
		if _, _, snapshot := workflowstate.SnapshotIn(e.Name()); snapshot || e.Name() == workflowstate.CheckpointFile {
			moves[e.Name()] = e.Name()
		}
	}
	for from, to := range moves {
		if err := durable.MoveFile(r.path(from), r.path(folder+"/"+to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := r.edit(folder+"/"+workflowstate.File, func([]byte) ([]byte, error) { return state, nil }); err != nil {
		return err
	}
	if _, err := r.state.Doc.Remove(); err != nil {
		return err
	}
	if _, err := r.locks.Doc.Remove(); err != nil && !durable.IsMissing(err) {
		return err
	}
	r.remark("the previous workflow is kept in %s", filepath.Join(".claude", folder))
	return nil
}

// folderFor is where a workflow is kept: by its id, and another where that is taken,
// unless this one was being put there when its engine was killed.
func (o opening) folderFor(s *workflowstate.State, state []byte) string {
	id := cmp.Or(s.ID, strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime))
	if !text.ValidName(id) { // a person has edited it
		id = text.Slug(id, 60)
	}
	return workflowstate.Archive + "/" + firstFree(id, func(id string) bool {
		kept, err := durable.ReadPlain(o.run.path(workflowstate.Archive + "/" + id + "/" + workflowstate.File))
		return err == nil && !bytes.Equal(kept, state)
	})
}

// freshID names the run by the time. A name that was given already, within the
// same second, is not given again.
func (o opening) freshID() string {
	return firstFree(o.run.Now().UTC().Format("20060102T150405Z"), func(id string) bool {
		_, err := os.Lstat(o.run.path(workflowstate.Archive + "/" + id))
		return err == nil
	})
}

// firstFree is a name, with a number after it where it is taken.
func firstFree(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// removeWorkTrees takes the work trees away that a workflow which was ended has left; what
// they hold is kept.
func (o opening) removeWorkTrees(ctx context.Context, s *workflowstate.State) error {
	r := o.run
	r.state.Set(s)
	defer r.state.Set(nil)
	if s.Place != "" {
		if err := r.removeHome(ctx, true); err != nil {
			return err
		}
	}
	for _, p := range s.PendingTasks {
		if !r.places.Exists(placeOf(s.ID, p.Task)) {
			continue
		}
		if err := r.keepLeft(ctx, placeOf(s.ID, p.Task), "workflow/"+s.ID+"/"+p.Task+"-left"); err != nil {
			return err
		}
		sides{r}.removeWorkTree(ctx, p.Task)
	}
	return nil
}
