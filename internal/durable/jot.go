package durable

import "os"

// Jot replaces a file, whole or not at all as far as a kill goes, and syncs
// nothing: it is for notes about what is under way, which no power cut survives.
func Jot(path string, text []byte) error {
	if err := os.WriteFile(path+".tmp", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
