// Package lessons keeps a project's lessons, for all engines: one file, written atomically by any
// number of writers. What a person has forgotten stays forgotten, even if an agent repeats it from
// an old progress file. core/learning defines what a lesson is, and which are kept.
package lessons

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"warp/internal/core/learning"
	"warp/internal/durable"
)

const (
	// forgottenFile has the ids of lessons that are not learned again.
	forgottenFile = "state/forgotten-learnings.txt"
	mostForgotten = 5000
)

// Store holds the lessons of a project.
type Store struct {
	home *durable.Store

	mu   sync.Mutex
	text []byte // of the file, as last read or written
	book *learning.Book
}

// Open returns the store of a project, in the folder of its main work tree.
func Open(home *durable.Store) *Store { return &Store{home: home} }

// Path returns the file's path relative to the project's root.
func (s *Store) Path() string { return s.path(learning.File) }

func (s *Store) path(name string) string { return filepath.Base(s.home.Dir()) + "/" + name }

// Read returns the lessons without forgotten ones. The caller owns the book.
func (s *Store) Read() (*learning.Book, error) {
	text, forgotten, err := s.readFiles()
	if err != nil {
		return nil, err
	}
	b := learning.Read(text)
	b.Remove(forgotten)
	return b, nil
}

// Best returns the lessons that every agent of the project should know.
func (s *Store) Best(most int) ([]learning.Learning, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, forgotten, err := s.readFiles()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.known(text).Best(most), func(l learning.Learning) bool { return forgotten(l.ID()) }), nil
}

// readFiles reads the file of lessons, and which were forgotten.
func (s *Store) readFiles() (text []byte, forgotten func(id string) bool, err error) {
	if text, err = s.home.ReadFile(s.Path()); err == nil {
		forgotten, err = s.forgotten()
	}
	return text, forgotten, err
}

// known returns the book of a text. It caches the last one: sessions read it in every iteration.
func (s *Store) known(text []byte) *learning.Book {
	if s.book == nil || !bytes.Equal(text, s.text) {
		s.text, s.book = text, learning.Read(text)
	}
	return s.book
}

// Add saves lessons, or counts that they were confirmed. It returns those it kept: not the
// forgotten ones.
func (s *Store) Add(list []learning.Learning) (kept []learning.Learning, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	err = durable.RetryBusy(func() error {
		return s.home.EditFile(s.Path(), func(was []byte) ([]byte, error) {
			s.mu.Lock() // after the folder's own lock: lessons are read while a progress file is edited
			defer s.mu.Unlock()
			forgotten, err := s.forgotten()
			if err != nil {
				return nil, err
			}
			kept = slices.DeleteFunc(slices.Clone(list), func(l learning.Learning) bool { return forgotten(l.ID()) })
			b := s.known(was)
			b.Add(kept)
			s.text = b.Text()
			return s.text, nil
		})
	})
	return kept, err
}

// Forget removes a lesson permanently, and returns how often it was said. It is recorded as
// forgotten first, so that a crash in between shows nothing.
func (s *Store) Forget(id string) (said int, err error) {
	err = s.home.EditFile(s.path(forgottenFile), func(was []byte) ([]byte, error) {
		ids := strings.Fields(string(was))
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		ids = ids[max(0, len(ids)-mostForgotten):]
		return []byte(strings.Join(ids, "\n") + "\n"), nil
	})
	if err != nil {
		return 0, err
	}
	err = s.home.EditFile(s.Path(), func(was []byte) ([]byte, error) {
		b := learning.Read(was)
		said = b.Remove(func(other string) bool { return other == id })
		return b.Text(), nil
	})
	return said, err
}

// forgotten returns a function that reports whether a lesson was forgotten.
func (s *Store) forgotten() (func(id string) bool, error) {
	text, err := s.home.ReadFile(s.path(forgottenFile))
	ids := strings.Fields(string(text))
	return func(id string) bool { return slices.Contains(ids, id) }, err
}
