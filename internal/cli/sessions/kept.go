package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
)

// promptsFolder holds the copies, in the session's folder.
const promptsFolder = "prompts"

// builtInFile returns the name for the file of a built-in loop, which no path has.
func builtInFile(loop string) string { return "built-in/loops/" + loop + ".yaml" }

var errNotKept = errors.New("it is not among the files that the session began with")

// reader returns a reader of the files a definition names. A resumed session reads its copies; a
// new one reads the files and keeps them.
func (d *Definition) reader(read func(string) ([]byte, error)) func(string) ([]byte, error) {
	resumed := d.Kept != nil
	if !resumed {
		d.texts = map[string][]byte{}
	}
	return func(file string) ([]byte, error) {
		if text, ok := d.texts[file]; ok {
			return text, nil
		}
		if resumed {
			return nil, errNotKept
		}
		text, err := read(file)
		if err == nil {
			d.texts[file] = text
		}
		return text, err
	}
}

// builtIn reads a built-in loop the same way: another version of warp may have changed it.
func (d *Definition) builtIn(loop string) ([]byte, bool) {
	if text, ok := d.texts[builtInFile(loop)]; ok {
		return text, true
	}
	text, ok := library.Loop(loop)
	if ok && d.texts != nil {
		d.texts[builtInFile(loop)] = text
	}
	return text, ok
}

// assignCopies assigns each file the path of its copy.
func (d *Definition) assignCopies() {
	if d.Kept != nil || len(d.texts) == 0 {
		return
	}
	d.Kept = map[string]string{}
	for i, file := range slices.Sorted(maps.Keys(d.texts)) {
		base := strings.TrimLeft(filepath.Base(file), "-.")
		if !text.ValidName(base) {
			base = "file"
		}
		d.Kept[file] = fmt.Sprintf("%s/%02d-%s", promptsFolder, i+1, base)
	}
}

// loadKept reads the copies.
func (d *Definition) loadKept(session, dir string, read func(string) ([]byte, error)) error {
	d.texts = map[string][]byte{}
	for file, kept := range d.Kept {
		full := filepath.Join(dir, filepath.FromSlash(kept))
		if !filepath.IsLocal(filepath.FromSlash(kept)) {
			return fmt.Errorf("the session %s cannot be resumed: %q, its copy of %s, is outside its folder", session, kept, file)
		}
		text, err := read(full)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the session %s cannot be resumed: its copy of %s, %s, is missing", session, file, full)
		}
		if err != nil {
			return err
		}
		d.texts[file] = text
	}
	return nil
}

// noteChanged notes which files differ from those the session began with, and which version it uses.
func (d *Definition) noteChanged(now func(file string) ([]byte, error), version string) (notes []string) {
	began := maps.Clone(d.texts)
	if began == nil {
		began = map[string][]byte{}
	}
	if d.File != "" {
		began[d.File] = d.Text
	}
	for _, file := range slices.Sorted(maps.Keys(began)) {
		text, err := now(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			notes = append(notes, fmt.Sprintf("%s is gone since the session began; continuing with %s", file, version))
		case err != nil || !bytes.Equal(text, began[file]):
			notes = append(notes, fmt.Sprintf("%s has changed since the session began; continuing with %s", file, version))
		}
	}
	return notes
}

// readCurrent reads a definition's file as it is now.
func readCurrent(file string) ([]byte, error) {
	called, isBuiltIn := strings.CutPrefix(strings.TrimSuffix(file, ".yaml"), "built-in/")
	if !isBuiltIn {
		return ReadForDisplay(file)
	}
	text, ok := library.Pipeline(called)
	if loop, isLoop := strings.CutPrefix(called, "loops/"); isLoop {
		text, ok = library.Loop(loop)
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	return text, nil
}

// readFrom returns a reader of d's files; for those d does not name it returns was's version.
func (d *Definition) readFrom(was *Definition) func(string) ([]byte, error) {
	return func(file string) ([]byte, error) {
		if file == d.File {
			return d.Text, nil
		}
		if text, ok := d.texts[file]; ok {
			return text, nil
		}
		return was.texts[file], nil
	}
}
