package durable

import (
	"os"
	"path/filepath"

	"warp/internal/core/event"
)

// markOf returns the mark file of a store, "" if there is none. Such a Signer keeps the signature of a
// journal's last synced row outside the project. Cutting rows off the end of a journal leaves a valid
// chain; only the mark shows it.
func markOf(c Config) string {
	if m, ok := c.Signer.(interface{ Mark(dir string) string }); ok {
		return m.Mark(c.Dir)
	}
	return ""
}

// setMark records how far the journal is durable. It writes in place after the row, without a sync:
// a mark that is old, torn or missing proves less but is never wrong.
func (j *journal) setMark(mac string) {
	if j.mark == "" || mac == "" {
		return
	}
	f, err := j.fs.Open(j.mark, os.O_WRONLY|os.O_CREATE, 0o600)
	if isNotExist(err) && j.fs.MkdirAll(filepath.Dir(j.mark), 0o700) == nil {
		f, err = j.fs.Open(j.mark, os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return
	}
	_, _ = f.Write([]byte(mac)) // always the same length
	_ = f.Close()
}

// Mark returns the signature of a row that the journal must have, "" if none is known. Read it
// before the journal.
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
