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

// noChecksum marks a copy without a checksum: a journal, whose rows are signed, or a large linked
// file.
const noChecksum = "-"

// maxInMemory is the size below which files that others obey are also kept in memory, where no
// agent can change them.
const maxInMemory = 256 << 10

// checksum returns the checksum of a copy, or "" if there is none.
func checksum(path string) string {
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
		_, _ = io.WriteString(h, "link "+to) // a hash never fails
	case info.Mode().IsRegular() && info.Size() < maxInMemory:
		text, err := durable.ReadSeen(path) // most files: a third of the system calls
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

// recordSum records the checksum of a copy that was just made.
func (c *copies) recordSum(rel string) {
	c.sums[rel] = checksum(c.at(rel))
	delete(c.kept, rel)
	if isInstruction(rel) || isIssue(rel) {
		if f, err := readFile(c.at(rel)); err == nil && len(f.Text) < maxInMemory {
			c.kept[rel] = f
		}
	}
}

// intact reports whether a copy is unchanged: an agent may have changed it along with its file, to
// have the change restored.
func (c *copies) intact(rel string) bool {
	if _, kept := c.kept[rel]; kept {
		return true
	}
	sum := checksum(c.at(rel))
	return sum != "" && (sum == c.sums[rel] || c.sums[rel] == noChecksum)
}

// reopen finds the copies that a killed engine left, by its note. Missing or changed ones restore
// nothing, and nothing else counts as a copy.
func (c *copies) reopen(sums map[string]string) (bad []string) {
	c.stamps, c.sums, c.unknown = map[string]stamp{}, sums, len(sums) == 0
	for rel := range sums {
		if c.stamps[rel] = (stamp{size: -1}); !c.intact(rel) {
			bad = append(bad, rel)
		}
	}
	return bad
}

// errNote reports that a note is not what the guard wrote.
var errNote = errors.New("the guard's record of the interrupted run was changed, so the state before it is unknown and nothing is put back; check the work tree and the copies next to the record")

// saveNote writes the guard's note, signed if there is a key. It is not JSON, which would change
// file names that are not UTF-8.
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
