package pinned

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// Accept takes what changed since the last look for a person's, who may edit files while a session
// is idle. Settings and approvals are not accepted: there are commands for them.
func (b Book) Accept() error {
	seen, changed := b.look()
	if !changed {
		return nil
	}
	if hooks := b.hooksPath(); hooks != seen.hooks { // a person has moved git's hooks
		seen.list, seen.hooks = b.list(hooks), hooks
	}
	var errs []error
	for i, f := range seen.list {
		if seen.was[f.path] == f.stamp {
			continue
		}
		if !b.isPersons(f) {
			seen.list[i].stamp = cmp.Or(seen.was[f.path], unseen)
			continue
		}
		errs = append(errs, b.copy(f.path))
	}
	return errors.Join(append(errs, b.write(seen.hooks, seen.list))...)
}

// isWork reports whether a file may be what the work is about.
func (b Book) isWork(path string) bool {
	return !strings.HasPrefix(path, b.git.Common()+string(filepath.Separator)) && !strings.Contains(filepath.ToSlash(path), "/.claude/")
}

// unseen is the stamp of a file that has still to be compared.
const unseen = "-"

// Undo puts back what changed since the last look, unless warp wrote it. asked reports whether the
// work is to change a file, such as CLAUDE.md; nothing below .claude or .git ever is. It returns what was undone, "" if nothing was, and what a
// person does instead.
func (b Book) Undo(asked func(path string) bool) (said string, err error) {
	seen, changed := b.look()
	if !changed {
		return "", nil
	}
	var undone []string
	for _, f := range seen.list {
		stamp, had := seen.was[f.path]
		if delete(seen.was, f.path); stamp == f.stamp {
			continue
		}
		is, bad := read(f)
		copied, none := durable.ReadPlain(b.copyOf(f.path))
		same := bad == nil && none == nil && (bytes.Equal(is, copied) || means(f.path, is) == means(f.path, copied)) && (!had || stamp == unseen || modeIn(stamp) == f.mode)
		if same || b.isWork(f.path) && asked(b.name(f.path)) {
			err = errors.Join(err, b.copy(f.path))
			continue
		}
		what := " (added)"
		if bad = b.setAside(f.path); bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		if had && none == nil {
			what, bad = " (changed)", restore(f.path, copied, modeIn(stamp))
		}
		undone, err = append(undone, b.name(f.path)+what), errors.Join(err, bad)
	}
	for path, stamp := range seen.was {
		copied, none := durable.ReadPlain(b.copyOf(path))
		if none != nil || stamp == unseen || b.isWork(path) && asked(b.name(path)) {
			continue
		}
		err = errors.Join(err, restore(path, copied, modeIn(stamp)))
		undone = append(undone, b.name(path)+" (deleted)")
	}
	if len(undone) > 0 {
		slices.Sort(undone)
		said = text.List(undone, 8) + " changed while the session worked, and no command of warp did it: put back; what was there is kept in " + b.replaced() +
			". Only a person changes such files: with warp config set or warp issue edit, or by hand before the session is asked for more"
	}
	return said, errors.Join(err, b.write(seen.hooks, b.list(seen.hooks)))
}

// sight is what a look at the files shows.
type sight struct {
	hooks string            // the folder of git's hooks, as in the index
	list  []entry           // as they are
	was   map[string]string // their stamps as they were
}

// look reports whether any file changed since the last look; none did without an index.
func (b Book) look() (s sight, changed bool) {
	index, err := durable.ReadPlain(b.index())
	if err != nil {
		return s, false
	}
	s.hooks, _, _ = strings.Cut(string(index), "\n")
	s.list = b.list(s.hooks)
	var text strings.Builder
	text.Grow(len(index))
	writeIndex(&text, s.hooks, s.list)
	if text.String() == string(index) {
		return s, false
	}
	s.was = parse(index)
	return s, true
}

// isPersons reports whether a change between two calls of a session is taken for a person's.
func (b Book) isPersons(f entry) bool {
	folder := filepath.Base(filepath.Dir(f.path))
	switch {
	case isSettings(filepath.Base(f.path)) && folder == ".claude":
		return false
	case folder == "issues" || folder == "pulls":
		text, err := read(f)
		copied, _ := durable.ReadPlain(b.copyOf(f.path)) // a new file has none
		return err == nil && (bytes.Equal(text, copied) || !saysApproved(text) || saysApproved(copied))
	}
	return true
}

// saysApproved reports whether an issue's head, or all of it without one, contains the word.
func saysApproved(text []byte) bool {
	head := text
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		head, _, _ = bytes.Cut(rest, []byte("\n---"))
	}
	return bytes.Contains(bytes.ToLower(head), []byte("approved"))
}

// means returns what counts of a file: without the upstreams of branches, which git sets, and
// without what Claude Code writes when a person answers its own questions.
func means(path string, text []byte) string {
	switch name := filepath.Base(path); {
	case name == "config":
		return withoutBranches(string(text))
	case isSettings(name):
		doc, err := lossless.Parse(text)
		if err != nil {
			return string(text)
		}
		for _, key := range []string{"permissions", "enabledMcpjsonServers", "disabledMcpjsonServers", "outputStyle", "model", "effortLevel"} {
			doc = doc.Without(key)
		}
		return string(lossless.AppendCompact(nil, doc))
	}
	return string(text)
}

func withoutBranches(config string) string {
	var rest strings.Builder
	in := false
	for line := range strings.Lines(config) {
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "[") {
			in = strings.HasPrefix(bare, `[branch "`)
		}
		key, _, _ := strings.Cut(bare, " = ")
		if !in || !strings.HasPrefix(bare, "[") && key != "remote" && key != "merge" {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

// read returns a file's text, or where a link leads.
func read(f entry) ([]byte, error) {
	if f.mode&fs.ModeSymlink != 0 {
		to, err := os.Readlink(f.path)
		return []byte(to), err
	}
	return durable.ReadSeen(f.path)
}

func restore(path string, text []byte, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		return durable.CreateLink(path, string(text))
	}
	return durable.WriteFile(path, text, mode.Perm())
}

// modeIn returns the mode in a stamp.
func modeIn(stamp string) fs.FileMode {
	_, rest, _ := strings.Cut(stamp, " ")
	octal, _, _ := strings.Cut(rest, " ")
	mode, err := strconv.ParseUint(octal, 8, 32)
	if err != nil {
		return 0o644
	}
	return fs.FileMode(mode)
}

// replaced returns the folder of what was undone; guards use it as well.
func (b Book) replaced() string { return filepath.Join(b.git.Common(), "warp", "replaced") }

// setAside moves a changed file to where a person looks first.
func (b Book) setAside(path string) error {
	text, err := durable.ReadPlain(path)
	if err != nil {
		text = nil // a link that leads nowhere, or a device
	}
	name := strings.ReplaceAll(b.name(path), "..", "_")
	return durable.MoveFile(path, filepath.Join(b.replaced(), filepath.FromSlash(name)+"-"+hashed(string(text))))
}

// name returns a file's path relative to the project if it is inside.
func (b Book) name(path string) string {
	if rel, inside := strings.CutPrefix(path, b.root+string(filepath.Separator)); inside {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}
