package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/core/event"
	"warp/internal/durable"
)

// unsummed stands for the content of a copy that has no checksum: a journal,
// whose rows are signed, and a large file that is linked.
const unsummed = "-"

// smallest are the files of which the content is kept in memory, too, where no agent
// changes it: what others obey.
const smallest = 256 << 10

// sumOf is what stands for the content of a copy; "": there is none.
func sumOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	h := sha256.New()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		_, _ = io.WriteString(h, "link "+to) // it keeps what it is given
	case info.Mode().IsRegular() && info.Size() < smallest:
		text, err := durable.ReadSeen(path) // as most are: a third of the system calls
		if err != nil {
			return ""
		}
		_, _ = h.Write(text)
	case info.Mode().IsRegular():
		f, err := durable.OpenPlain(path)
		if err != nil {
			return ""
		}
		defer f.Close()
		if _, err := io.Copy(h, io.LimitReader(f, mostRead)); err != nil {
			return ""
		}
	default:
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// summed notes the content of a copy that was just made, of the file itself.
func (c *copies) summed(rel string) {
	c.sums[rel] = sumOf(c.at(rel))
	delete(c.kept, rel)
	if instructs(rel) || isIssue(rel) {
		if f, err := readFile(c.at(rel)); err == nil && len(f.Text) < smallest {
			c.kept[rel] = f
		}
	}
}

// intact reports whether a copy is what was copied: an agent may have changed it together
// with its file, so that it would be put back.
func (c *copies) intact(rel string) bool {
	if _, kept := c.kept[rel]; kept {
		return true
	}
	sum := sumOf(c.at(rel))
	return sum != "" && (sum == c.sums[rel] || c.sums[rel] == unsummed)
}

// reopen finds the copies that an engine which was killed has left, by its note: those
// that are missing or were changed since bring nothing back, and nothing else is a copy.
func (c *copies) reopen(sums map[string]string) (bad []string) {
	c.stamps, c.sums, c.unknown = map[string]stamp{}, sums, len(sums) == 0
	for rel := range sums {
		if c.stamps[rel] = (stamp{size: -1}); !c.intact(rel) {
			bad = append(bad, rel)
		}
	}
	return bad
}

// errNote says that a note is not what the guard has written.
var errNote = errors.New("the guard's record of the interrupted run was changed, so the state before it is unknown and nothing is put back; look at the work tree, and at the copies beside the record")

// saveNote writes a note of the guard's own, signed where there is a key. It is no JSON,
// which would change the names of files that are not UTF-8.
func (g *Guard) saveNote(note any) error {
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(note); err != nil {
		return err
	}
	path := g.recordFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	content.WriteString(g.sealNote(content.Bytes()))
	return durable.WriteNote(path, content.Bytes())
}

func (g *Guard) sealNote(text []byte) string { return g.Store.Seal("guard "+g.Dir, text) }

func (g *Guard) loadNote(note any) error {
	f, err := readFile(g.recordFile())
	if err != nil {
		return err
	}
	text := f.Text
	if g.Store.Signs() {
		end := len(text) - event.MacLength
		if end < 0 || f.Link || g.sealNote(text[:end]) != string(text[end:]) {
			return errNote
		}
		text = text[:end]
	}
	return gob.NewDecoder(bytes.NewReader(text)).Decode(note)
}
