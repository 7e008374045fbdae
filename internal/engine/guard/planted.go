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

// instructions are what the next agent, or warp itself, reads as an order: files and
// folders of .claude. No run changes or adds any, since nothing of .claude is ever its
// work. What agents do write there (transcripts, to-dos, progress) is none of it.
var instructions = []string{
	"CLAUDE.md", "CLAUDE.local.md", ".mcp.json", "commands", "agents", "skills", "hooks", "output-styles", "rules", "plugins", "workflows",
	"pipelines", "loops", "prompts", "statusline.sh", "keybindings.json",
}

// instructs reports whether a path of .claude is one of them, or settings of any name.
func instructs(rel string) bool {
	rel, in := strings.CutPrefix(rel, stateFolder+"/")
	top, _, _ := strings.Cut(rel, "/")
	return in && (slices.ContainsFunc(instructions, func(i string) bool { return strings.EqualFold(i, top) }) ||
		strings.HasPrefix(strings.ToLower(rel), "settings") && strings.EqualFold(path.Ext(rel), ".json"))
}

// removePlanted takes away what a run has added to .claude that others would obey: kept
// aside, and named. Links come first: through one in the place of a folder, what is put
// back would be written elsewhere.
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
		if a.link || a.rel == stateFolder { // it may be no folder any more
			remove(a)
		}
	}
	for _, a := range added {
		if !a.link && a.rel != stateFolder && (instructs(a.rel) || isIssue(a.rel)) && notByWarp(r, a.rel) {
			remove(a)
		}
	}
	return planted, err
}

// addedFile is a file of .claude of which there is no copy.
type addedFile struct {
	rel  string
	link bool
}

// listAdded lists what was added to .claude. What cannot be looked at cannot be obeyed.
func listAdded(c *copies) (added []addedFile, err error) {
	top := c.live(stateFolder)
	err = filepath.WalkDir(top, func(full string, d fs.DirEntry, bad error) error {
		rel := stateFolder + filepath.ToSlash(full[len(top):])
		switch _, had := c.stamps[rel]; {
		case d != nil && d.IsDir() && slices.Contains(large, rel):
			return fs.SkipDir
		case bad == nil && !d.IsDir() && !had:
			added = append(added, addedFile{rel, d.Type()&fs.ModeSymlink != 0})
		}
		return nil
	})
	return added, err
}

// putAside moves what stands at a path of .claude to where a person looks for it.
func (g *Guard) putAside(rel string) error {
	f, err := readFile(g.own.live(rel))
	if err == nil {
		if err = g.repo.setAside(rel, f); err == nil {
			err = durable.RemoveFile(g.own.live(rel))
		}
		return err
	}
	if !errors.Is(err, errOdd) {
		return err
	}
	to := g.repo.replacedFile(rel, []byte(g.Now().String()))
	return durable.MoveFile(g.own.live(rel), to)
}

// notByWarp tells settings, instructions or an issue that neither a person nor an engine
// has written through warp. Beside a run that goes on elsewhere a person may write an
// issue by hand; that it is approved is still said through warp.
func notByWarp(r *Run, rel string) bool {
	now, err := readFile(r.g.own.live(rel))
	if err != nil || now.Link {
		return true
	}
	// What it holds decides, not its times: a write through a mapping changes none.
	if was, kept := r.g.own.kept[rel]; kept && was.equal(now) || written.Has(r.g.Store, rel, now.Text) {
		return false
	}
	was, _ := r.g.own.read(rel)
	return r.g.dir == "" || instructs(rel) || saysApproved(now.Text) && !saysApproved(was.Text)
}

// saysApproved reports whether the head of an issue, or all of it where it has none, has
// the word.
func saysApproved(text []byte) bool {
	head := text
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		head, _, _ = bytes.Cut(rest, []byte("\n---"))
	}
	return bytes.Contains(bytes.ToLower(head), []byte("approved"))
}
