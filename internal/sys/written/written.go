// Package written records which issues and settings warp has written, for a person or for an
// engine. What appears or changes while an agent runs, and was not written by warp, is the agent's.
// How to treat that is up to others.
package written

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/pinned"
)

const (
	name = "state/written"
	most = 256 << 10 // bytes before a new file is started
	seal = "written"
)

func path(store *durable.Store) string {
	return filepath.Join(store.Dir(), filepath.FromSlash(name))
}

// line returns the record of a file: its name and checksum, signed if there is a key.
func line(store *durable.Store, file string, text []byte) string {
	sum := sha256.Sum256(text)
	said := hex.EncodeToString(sum[:]) + " " + file
	return store.Seal(seal, []byte(said)) + " " + said + "\n"
}

// Add records that a file is about to be written. Call it first, so that a reader that finds the
// file also finds the record.
func Add(store *durable.Store, file string, text []byte) error {
	at := path(store)
	if _, err := os.Lstat(filepath.Dir(at)); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing has ever run here
	}
	if err := pinned.Expect(filepath.Dir(store.Dir()), file, text); err != nil {
		return err
	}
	return durable.AppendNote(at, []byte(line(store, file, text)), most, 0o600)
}

// Has reports whether warp wrote a file with this content.
func Has(store *durable.Store, file string, text []byte) bool {
	want := line(store, file, text)
	for _, at := range []string{path(store), path(store) + ".old"} {
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 2*most {
			continue
		}
		if notes, err := durable.ReadPlain(at); err == nil && strings.Contains("\n"+string(notes), "\n"+want) {
			return true
		}
	}
	return false
}
