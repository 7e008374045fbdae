package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The record of the issues and settings that warp has written, for a person or an engine. What
// appears or changes while an agent runs, and is not in it, is the agent's: the guard reverts it.
const (
	writtenFile = "state/written"
	writtenSize = 256 << 10 // bytes before a new file is started
	writtenSeal = "written"
)

func writtenPath(s *Store) string {
	return filepath.Join(s.Dir(), filepath.FromSlash(writtenFile))
}

// writtenLine returns the record of a file: its name and checksum, signed if there is a key.
func writtenLine(s *Store, file string, text []byte) string {
	sum := sha256.Sum256(text)
	said := hex.EncodeToString(sum[:]) + " " + file
	return s.Seal(writtenSeal, []byte(said)) + " " + said + "\n"
}

// AddWritten records that a file is about to be written. Call it first, so that a reader that
// finds the file also finds the record.
func (s *Store) AddWritten(file string, text []byte) error {
	at := writtenPath(s)
	if _, err := os.Lstat(filepath.Dir(at)); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing has ever run here
	}
	return AppendNote(at, []byte(writtenLine(s, file, text)), writtenSize, 0o600)
}

// HasWritten reports whether warp wrote a file with this content.
func (s *Store) HasWritten(file string, text []byte) bool {
	want := writtenLine(s, file, text)
	for _, at := range []string{writtenPath(s), writtenPath(s) + ".old"} {
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 2*writtenSize {
			continue
		}
		if notes, err := ReadPlain(at); err == nil && strings.Contains("\n"+string(notes), "\n"+want) {
			return true
		}
	}
	return false
}
