package initcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"warp/internal/cli/initcmd/record"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// What becomes of a file.
const (
	created   = "created"
	changed   = "changed"
	unchanged = "unchanged"
	removed   = "removed"
	kept      = "kept" // it is the user's
)

// Change is what becomes of one file.
type Change struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Git    bool   `json:"-"` // it is one of git's hooks
	apply  func() error
}

// plan gathers every change before the first is made: what cannot be done as a
// whole is not begun.
type plan struct {
	root    string
	drive   *turnstile.Drive
	store   *durable.Store
	before  *record.Record // as it was found; nil: nothing is remembered
	now     *record.Record // as it will be
	Changes []Change
	Notes   []string
	blind   string          // why git would not run our hooks
	common  string          // the repository's git folder; "": its hooks are not used
	box     *lossless.Value // the agent's own sandbox; nil: as it is, and none once all is undone
}

func newPlan(d *turnstile.Drive) (*plan, error) {
	p := &plan{root: d.Root(), drive: d, store: d.Store(), now: &record.Record{}}
	text, err := p.store.ReadFile(record.File)
	if err != nil {
		return nil, err
	}
	if p.before, err = record.Parse(text); err != nil {
		p.note("%v", err)
	}
	if p.before != nil {
		p.now.Files, p.now.Rules = maps.Clone(p.before.Files), p.before.Rules
		p.now.Hooks, p.now.Seed = p.before.HookFolders(), p.before.Seed
	}
	return p, nil
}

func (p *plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

func (p *plan) add(path, action string, apply func() error) {
	p.Changes = append(p.Changes, Change{Path: path, Action: action, apply: apply})
}

func (p *plan) addHook(path, action string, apply func() error) {
	p.Changes = append(p.Changes, Change{Path: path, Action: action, Git: true, apply: apply})
}

// edit plans the change of a file that the user owns too. What edit returns is
// the new text, nil when the file goes. It is computed again under the store's
// lock, with the text as it is then.
func (p *plan) edit(path string, edit func([]byte) ([]byte, error)) error {
	text, err := p.store.ReadFile(path)
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	there := exists(filepath.Join(p.root, filepath.FromSlash(path)))
	out, err := edit(text)
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	switch {
	case out == nil && !there, out != nil && there && string(out) == string(text):
		p.add(path, unchanged, nil)
	case out == nil:
		p.add(path, removed, func() error { return p.store.RemoveFile(path) })
	default:
		action := changed
		if !there {
			action = created
		}
		p.add(path, action, func() error { return p.store.EditFile(path, edit) })
	}
	return nil
}

// remember plans the record itself, as the last change.
func (p *plan) remember() error {
	text, err := p.now.Text()
	if err != nil {
		return err
	}
	return p.edit(record.File, func([]byte) ([]byte, error) { return text, nil })
}

// apply makes the changes, one after the other, and reports each.
func (p *plan) apply(tell func(Change)) error {
	for _, c := range p.Changes {
		if c.apply != nil {
			if err := c.apply(); err != nil {
				return fmt.Errorf("%s: %w; earlier changes were made, run the command again for the rest", c.Path, err)
			}
		}
		tell(c)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
