package drive

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/text"
	"warp/internal/durable"
)

// noted is what a guard knows, in a file beside its vault while an agent runs:
// when the engine is killed meanwhile, the next one puts things back.
type noted struct {
	Head     string             `json:"head"`
	Tips     map[string]string  `json:"tips"`
	Tree     string             `json:"tree"`
	Staged   map[string]string  `json:"staged,omitempty"`
	ReadOnly bool               `json:"read_only,omitempty"`
	Git      map[string]gitFile `json:"git,omitempty"`
}

func guardFile(gitDir string) string { return filepath.Join(gitDir, "warp", "guard.json") }

// note writes down what the guard knows, before an agent runs.
func (g *guard) note(readOnly bool) error {
	document, err := json.Marshal(noted{g.head, g.tips, g.tree, g.staged, readOnly, g.git.files})
	if err != nil {
		return err
	}
	return durable.Jot(guardFile(g.git.own), document)
}

// dismiss ends the guard: everything is as it should be.
func (g *guard) dismiss() error {
	return os.RemoveAll(guardFile(g.git.own))
}

// recover looks after an agent whose engine was killed before it could. Where a
// person has begun another session since, or stands on another branch, nothing
// is put back; nor are branches that the drive has not made: those freeze it.
func (e *Engine) recover(ctx context.Context) error {
	place, ok := e.place()
	if !ok {
		return nil
	}
	document, err := os.ReadFile(guardFile(place.GitDir()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var n noted
	if err == nil {
		err = json.Unmarshal(document, &n)
	}
	if err != nil {
		return err
	}
	v, err := e.Drive.Read()
	if durable.IsMissing(err) || err == nil && !v.State.Phase.Active() {
		return nil
	}
	if err != nil {
		return err
	}
	if head, err := place.Checked(); err != nil || head != n.Head {
		return err
	}
	g := &guard{e: e, s: v.State, head: n.Head, tips: map[string]string{}, tree: n.Tree, staged: n.Staged}
	own := v.State.BranchName()
	if g.tips[own] = n.Tips[own]; v.State.Session.Level == 2 && !e.Own {
		g.tips[own], _ = place.Tip(own) // the user's, who may have gone on
	}
	if g.git, err = e.guardGit(ctx, place); err != nil {
		return err
	}
	for _, name := range locks {
		g.git.under[name] = false // whoever had them was killed
	}
	g.vault = &vault{root: e.Drive.Root(), store: e.Drive.Store(), dir: filepath.Join(place.GitDir(), "warp", "vault"), policy: map[string][]byte{}, stamps: map[string]stamp{}}
	if err := g.vault.reopen(); err != nil {
		return err
	}
	e.remark("an agent was at work when the drive was killed: what it has left is looked at")
	changed := g.differ(n.Git)
	if _, err = g.restore(ctx, n.ReadOnly); err == nil {
		err = g.dismiss()
	}
	if err != nil || n.Git == nil || len(changed) == 0 {
		return err
	}
	// A person may have changed them since, so they are not put back.
	before := filepath.Join(place.GitDir(), "warp", "before")
	for _, name := range changed {
		if was, had := n.Git[name]; had {
			if err := was.write(filepath.Join(before, name)); err != nil {
				return err
			}
		}
	}
	return needsPerson("look at them (what they were is in warp/before of git's folder), then warp resume",
		"git's own settings or hooks were changed, by the agent or by a person, since the drive was killed: %s", text.Quote(changed, 5))
}

// reopen finds what the vault of an earlier engine holds.
func (v *vault) reopen() error {
	err := filepath.WalkDir(v.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(v.dir, path)
		v.files = append(v.files, filepath.ToSlash(rel))
		return err
	})
	for _, p := range policyFiles {
		if text, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(p))); err == nil {
			v.policy[p] = text
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
