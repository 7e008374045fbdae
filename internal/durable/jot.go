package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// Jot replaces a file, whole or not at all as far as a kill goes, and syncs
// nothing: it is for notes about what is under way, which no power cut survives.
// Several may write the same note at once: the last one stays.
func Jot(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // for its owner alone
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what went wrong is told
	}
	return err
}
