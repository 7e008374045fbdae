package text

import (
	"strings"
	"sync"
)

// WordSet is a set of words, given as one text with blanks between them. It is built when it
// is first asked: a program that never asks does not pay for its tables at its start.
type WordSet struct {
	List    string
	once    sync.Once
	set     map[string]bool
	lengths uint64 // most words fall out by their length alone
}

// Has tells whether a word is one of the set.
func (s *WordSet) Has(word string) bool {
	s.once.Do(func() {
		s.set = map[string]bool{}
		for w := range strings.FieldsSeq(s.List) {
			s.set[w] = true
			s.lengths |= 1 << min(len(w), 63)
		}
	})
	return s.lengths>>min(len(word), 63)&1 != 0 && s.set[word]
}

// IsDigit tells an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter tells an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsWord tells a byte that can stand inside a name, in any of the languages.
func IsWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || IsDigit(c) || IsLetter(c)
}
