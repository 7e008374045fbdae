package durable

import (
	"os"
	"path/filepath"

	"warp/internal/core/event"
)

// marker is a Signer that has a place outside of the project for the signature of a
// journal's last synced row. What is cut off the end of a journal leaves a chain that
// is whole: only the mark tells.
type marker interface {
	// Mark is the file for the store of a folder; "": there is none.
	Mark(dir string) string
}

func markOf(c Config) string {
	if m, ok := c.Signer.(marker); ok {
		return m.Mark(c.Dir)
	}
	return ""
}

// setMark marks how far the journal is durable. It is written after the row, in
// place and unsynced: a mark that is older, torn or missing says less, never what is
// not true.
func (j *journal) setMark(mac string) {
	if j.mark == "" || mac == "" {
		return
	}
	f, err := j.fs.Open(j.mark, os.O_WRONLY|os.O_CREATE, 0o600)
	if isNotExist(err) {
		if j.fs.MkdirAll(filepath.Dir(j.mark), 0o700) != nil {
			return
		}
		f, err = j.fs.Open(j.mark, os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return
	}
	_, _ = f.Write([]byte(mac)) // always as long
	_ = f.Close()
}

// Mark is the signature of a row that the journal must have; "": none is known. It
// is to be read before the journal.
func (s *Store) Mark() string {
	if s.journal.mark == "" {
		return ""
	}
	text, err := readFile(s.fs, s.journal.mark, event.MacLength)
	if err != nil || len(text) != event.MacLength {
		return ""
	}
	return string(text)
}
