package initcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"warp/internal/cli/app"
	"warp/internal/cli/settings"
	"warp/internal/core/gitignore"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/pinned"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// Actions on a file.
const (
	created   = "created"
	changed   = "changed"
	unchanged = "unchanged"
	removed   = "removed"
	kept      = "kept" // left to the user
)

// Change is the action on one file.
type Change struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Git    bool   `json:"-"` // a git hook
	apply  func() error
}

// plan collects every change before the first is made: it starts nothing that it cannot
// complete.
type plan struct {
	root    string
	drive   *turnstile.Drive
	store   *durable.Store
	before  *settings.Record // as found; nil if there is no record
	now     *settings.Record // as it will be
	Changes []Change
	Notes   []string
	err     error           // the first error
	blind   string          // why git would not run our hooks
	common  string          // the repository's git folder; "" if its hooks are not used
	box     *lossless.Value // the agent's sandbox; nil: leave it, or remove ours on undo
}

func newPlan(d *turnstile.Drive) (*plan, error) {
	p := &plan{root: d.Root(), drive: d, store: d.Store(), now: &settings.Record{}}
	text, err := p.store.ReadFile(settings.RecordFile)
	if err != nil {
		return nil, err
	}
	if p.before, err = settings.ParseRecord(text); err != nil {
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

// edit plans the change of a file shared with the user. The callback returns the new text, or
// nil to remove the file. It runs again under the store's lock, on the text at that time.
func (p *plan) edit(path string, edit func([]byte) ([]byte, error)) {
	text, err := p.store.ReadFile(path)
	there := exists(filepath.Join(p.root, filepath.FromSlash(path)))
	var out []byte
	if err == nil {
		out, err = edit(text)
	}
	switch {
	case err != nil:
		p.fail(fmt.Errorf("nothing was written: %w", err))
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
}

// fail keeps the first error; nothing is applied then.
func (p *plan) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// apply makes the changes in order and reports each.
func (p *plan) apply(tell func(Change)) error {
	for _, c := range p.Changes {
		if c.apply != nil {
			if err := c.apply(); err != nil {
				return fmt.Errorf("%s: %w; earlier changes were made, run the command again for the rest", c.Path, err)
			}
		}
		tell(c)
	}
	return pinned.Renew(p.root)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// putOurs puts our parts into the text of a file shared with the user, or removes them, and
// records the file's original. On undo, a file unchanged since warp wrote it becomes its original,
// byte for byte; otherwise it only loses our parts. put returns nil if nothing else is in the file.
func (p *plan) putOurs(path string, text []byte, wanted bool, put func(text []byte, wanted bool) ([]byte, error)) ([]byte, error) {
	out, err := put(text, wanted)
	if err != nil {
		return nil, err
	}
	before, sure := p.before.Of(path, text)
	switch {
	case !wanted && sure && before == nil:
		return nil, nil
	case !wanted && sure:
		return []byte(*before), nil
	case !wanted || string(out) == string(text):
		return out, nil
	}
	if !sure {
		was, err := put(text, false)
		if err != nil {
			was = text
		}
		if was != nil && exists(filepath.Join(p.root, filepath.FromSlash(path))) {
			s := string(was)
			before = &s
		}
	}
	if before == nil || utf8.ValidString(*before) { // the record cannot hold invalid UTF-8
		p.now.Know(path, before, out)
	}
	return out, nil
}

// noteOnce adds a note unless it is there: edits run twice.
func (p *plan) noteOnce(note string) {
	if !slices.Contains(p.Notes, note) {
		p.Notes = append(p.Notes, note)
	}
}

const ignoreFile = ".gitignore"

// ignore plans .gitignore; want is false to remove the block.
func (p *plan) ignore(want bool) {
	p.edit(ignoreFile, func(text []byte) ([]byte, error) {
		if line := gitignore.IgnoresAll(string(text)); want && line > 0 {
			p.noteOnce(fmt.Sprintf("%s: line %d ignores all of .claude, so settings.json, commands and skills do not reach your team", ignoreFile, line))
		}
		return p.putOurs(ignoreFile, text, want, putBlock)
	})
}

func putBlock(text []byte, want bool) ([]byte, error) {
	var lines []string
	if want {
		lines = gitignore.Lines
	}
	out, err := gitignore.Put(ignoreFile, string(text), lines)
	switch {
	case err != nil:
		return nil, err
	case out == string(text):
		return text, nil // nil if there is no file
	case out == "":
		return nil, nil // the file held only the block
	}
	return []byte(out), nil
}

// finish applies the changes and prints a summary, or each change if verbose.
func (p *plan) finish(a *app.App, o options) error {
	if p.err != nil {
		return p.err
	}
	if o.dry {
		for i := range p.Changes {
			p.Changes[i].apply = nil
		}
	}
	each := (o.verbose || o.dry) && !a.AsJSON
	counts := map[string]int{}
	err := p.apply(func(c Change) {
		counts[c.Action]++
		if each {
			a.Printf("%-9s  %s\n", c.Action, render.Printable(c.Path))
		}
	})
	if err == nil && !each && !a.AsJSON {
		a.Printf("%s\n", summary(counts))
	}
	a.Notes(p.Notes)
	if err != nil || !a.AsJSON {
		return err
	}
	return a.JSON(struct {
		Root    string   `json:"root"`
		DryRun  bool     `json:"dry_run"`
		Changes []Change `json:"files"`
		Notes   []string `json:"notes"`
	}{p.root, o.dry, p.Changes, append([]string{}, p.Notes...)})
}

// summary counts the changes by action in one line.
func summary(counts map[string]int) string {
	var done []string
	for _, action := range []string{created, changed, removed, kept} {
		if n := counts[action]; n > 0 {
			done = append(done, text.Count(n, "file")+" "+action)
		}
	}
	return cmp.Or(strings.Join(done, ", "), "Nothing to change") + " (-v lists them)."
}

func (p *plan) tellNext(a *app.App) {
	steps := [][2]string{
		{`warp issue new -t "…"`, "write an issue; warp issue approve N releases it"},
		{"warp drive", "drive every approved issue; warp doctor says whether a drive could run"},
	}
	if s, err := p.drive.Project.Settings(); err == nil && s.Level == 0 {
		steps = append([][2]string{{"warp level 2", "open pull requests for you to merge; 3 merges without asking"}}, steps...)
	}
	a.Printf("\nNext:\n")
	for _, s := range steps {
		fmt.Fprintf(a.Out, "  %-21s  %s\n", s[0], s[1])
	}
}
