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
	"warp/internal/sys/git"
)

// archive moves the files of a finished workflow out of the way of the next.
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

// folderFor returns where a workflow is archived: by its id, or with a number if that is taken,
// unless by this workflow when its engine was killed.
func (o opening) folderFor(s *workflowstate.State, state []byte) string {
	id := cmp.Or(s.ID, strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime))
	if !text.ValidName(id) { // a person edited it
		id = text.Slug(id, 60)
	}
	return workflowstate.Archive + "/" + firstFree(id, func(id string) bool {
		kept, err := durable.ReadPlain(o.run.path(workflowstate.Archive + "/" + id + "/" + workflowstate.File))
		return err == nil && !bytes.Equal(kept, state)
	})
}

// newID names the run by the time. A name already used within the same second is not reused.
func (o opening) newID() string {
	return firstFree(o.run.Now().UTC().Format("20060102T150405Z"), func(id string) bool {
		_, err := os.Lstat(o.run.path(workflowstate.Archive + "/" + id))
		return err == nil
	})
}

// firstFree returns the name, with a number appended if it is taken.
func firstFree(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// removeWorkTrees removes the work trees that a finished workflow left, and keeps what they hold.
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
		if err := r.keepFiles(ctx, placeOf(s.ID, p.Task), "workflow/"+s.ID+"/"+p.Task+"-left"); err != nil {
			return err
		}
		sides{r}.removeWorkTree(ctx, p.Task)
	}
	return nil
}

// hidden are patterns of files next to the state's folder, under .claude. The .gitignore of
// projects set up by an older version lacks them.
var hidden = []string{"agent-state*", "checkpoint*.json*", workflowstate.Archive + "/"}

// Hide makes git ignore a workflow's files if the project does not: by git's own info/exclude,
// which is on no branch and changes no tracked file.
func Hide(ctx context.Context, repo git.Repo, dir string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, pattern := range hidden {
		probe := filepath.Join(dir, strings.NewReplacer("*", ".old.json", "/", "/x").Replace(pattern))
		a, err := repo.Run(ctx, git.Call{Args: []string{"check-ignore", "-q", "--", probe}})
		if err != nil {
			return err
		}
		if a.Exit != 0 {
			fmt.Fprintf(&lines, "/%s%s/%s\n", root.Prefix, filepath.Base(dir), pattern)
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	out, err := repo.Must(ctx, git.Call{Args: []string{"rev-parse", "--path-format=absolute", "--git-path", "info/exclude"}})
	if err != nil {
		return fmt.Errorf("keeping the files of workflows out of git: %w", err)
	}
	file := strings.TrimSuffix(string(out), "\n")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	mode := fs.FileMode(0o644)
	if at, err := filepath.EvalSymlinks(file); err == nil { // dotfile managers make it a link
		file = at
		if info, err := os.Stat(at); err == nil {
			mode = info.Mode().Perm()
		}
	}
	return durable.WriteFile(file, append(text, lines.String()...), mode)
}
