package guard

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/written"
)

// instructions are the files and folders of .claude that the next agent, or warp itself, obeys. No
// run may change or add any, since nothing in .claude is ever its work. What agents legitimately
// write there (transcripts, to-dos, progress) is not among them.
var instructions = []string{
	"CLAUDE.md", "CLAUDE.local.md", ".mcp.json", "commands", "agents", "skills", "hooks", "output-styles", "rules", "plugins", "workflows",
	"pipelines", "loops", "prompts", "statusline.sh", "keybindings.json",
}

// isInstruction reports whether a path of .claude is one of instructions, or settings of any name.
func isInstruction(rel string) bool {
	rel, in := strings.CutPrefix(rel, stateFolder+"/")
	top, _, _ := strings.Cut(rel, "/")
	return in && (slices.ContainsFunc(instructions, func(i string) bool { return strings.EqualFold(i, top) }) ||
		strings.HasPrefix(strings.ToLower(rel), "settings") && strings.EqualFold(path.Ext(rel), ".json"))
}

// removePlanted removes what a run has added to .claude that others would obey, and keeps it aside.
// Links go first: through a link in place of a folder, restored files would be written elsewhere.
func removePlanted(r *Run) (planted []string, err error) {
	c := r.g.own
	if c.unknown {
		return nil, nil
	}
	added, err := listAdded(c)
	remove := func(a addedFile) {
		planted = append(planted, a.rel)
		err = errors.Join(err, r.g.putAside(a.rel))
	}
	for _, a := range added {
		if a.link || a.rel == stateFolder { // .claude may be no folder any more
			remove(a)
		}
	}
	for _, a := range added {
		if !a.link && a.rel != stateFolder && (isInstruction(a.rel) || isIssue(a.rel)) && notByWarp(r, a.rel) {
			remove(a)
		}
	}
	return planted, err
}

// addedFile is a file of .claude without a copy.
type addedFile struct {
	rel  string
	link bool
}

// listAdded lists what was added to .claude. What cannot be read cannot be obeyed either.
func listAdded(c *copies) (added []addedFile, err error) {
	top := c.live(stateFolder)
	err = filepath.WalkDir(top, func(full string, d fs.DirEntry, bad error) error {
		rel := stateFolder + filepath.ToSlash(full[len(top):])
		switch _, had := c.stamps[rel]; {
		case d != nil && d.IsDir() && slices.Contains(expendable, rel):
			return fs.SkipDir
		case bad == nil && !d.IsDir() && !had:
			added = append(added, addedFile{rel, d.Type()&fs.ModeSymlink != 0})
		}
		return nil
	})
	return added, err
}

// putAside moves what is at a path of .claude to the folder of replaced files.
func (g *Guard) putAside(rel string) error {
	f, err := readFile(g.own.live(rel))
	if err == nil {
		if err = g.repo.setAside(rel, f); err == nil {
			err = durable.RemoveFile(g.own.live(rel))
		}
		return err
	}
	if !errors.Is(err, errNotFile) {
		return err
	}
	to := g.repo.replacedFile(rel, []byte(g.Now().String()))
	return durable.MoveFile(g.own.live(rel), to)
}

// notByWarp reports whether neither a person nor an engine wrote settings, instructions or an issue
// through warp. During a run elsewhere a person may write an issue by hand; its approval still has
// to go through warp.
func notByWarp(r *Run, rel string) bool {
	now, err := readFile(r.g.own.live(rel))
	if err != nil || now.Link {
		return true
	}
	// The content decides, not the times: a write through a memory mapping changes none.
	if was, kept := r.g.own.kept[rel]; kept && was.equal(now) || written.Has(r.g.Store, rel, now.Text) {
		return false
	}
	was, _ := r.g.own.read(rel)
	return r.g.dir == "" || isInstruction(rel) || saysApproved(now.Text) && !saysApproved(was.Text)
}

// saysApproved reports whether an issue's head, or all of it without one, contains the word.
func saysApproved(text []byte) bool {
	head := text
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		head, _, _ = bytes.Cut(rest, []byte("\n---"))
	}
	return bytes.Contains(bytes.ToLower(head), []byte("approved"))
}
