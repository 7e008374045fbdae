// Package lessons keeps what was learned in a project, for all engines: one file,
// written whole or not at all however many write at once. What a person has forgotten
// stays forgotten, also when an agent says it again that read it in an old progress
// file. What a lesson is, and which are kept, is core/learning's to say.
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

// Store is where the lessons of a project are.
type Store struct {
	home *durable.Store

	mu   sync.Mutex
	text []byte // of the file, when it was read or written last
	book *learning.Book
}

// Open names the store of a project, in the folder of its main work tree.
func Open(home *durable.Store) *Store { return &Store{home: home} }

// Path is where the file is, from the project's root.
func (s *Store) Path() string { return s.path(learning.File) }

func (s *Store) path(name string) string { return filepath.Base(s.home.Dir()) + "/" + name }

// Read has the lessons, without those that were forgotten. The book is the reader's.
func (s *Store) Read() (*learning.Book, error) {
	text, err := s.home.ReadFile(s.Path())
	if err != nil {
		return nil, err
	}
	forgotten, err := s.forgotten()
	if err != nil {
		return nil, err
	}
	b := learning.Read(text)
	b.Remove(forgotten)
	return b, nil
}

// Best lists the lessons that every agent of the project should know.
func (s *Store) Best(most int) ([]learning.Learning, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := s.home.ReadFile(s.Path())
	if err != nil {
		return nil, err
	}
	forgotten, err := s.forgotten()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.known(text).Best(most), func(l learning.Learning) bool { return forgotten(l.ID()) }), nil
}

// known is the book of a text. One that was read before is not read again: sessions
// look at it in every iteration.
func (s *Store) known(text []byte) *learning.Book {
	if s.book == nil || !bytes.Equal(text, s.text) {
		s.text, s.book = text, learning.Read(text)
	}
	return s.book
}

// Add keeps lessons, or counts that they were confirmed. It returns those that are
// kept: what was forgotten is not.
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

// Forget removes a lesson for good, and tells how often it was said. That it is
// forgotten is written first: a crash in between leaves nothing that would be shown.
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

// forgotten tells whether a lesson was.
func (s *Store) forgotten() (func(id string) bool, error) {
	text, err := s.home.ReadFile(s.path(forgottenFile))
	ids := strings.Fields(string(text))
	return func(id string) bool { return slices.Contains(ids, id) }, err
}
