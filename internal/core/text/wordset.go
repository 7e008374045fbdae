package text

import (
	"strings"
	"sync"
)

// WordSet is a set of words, given as one space-separated text. It is built on first use: a program
// that never uses it does not pay for it at startup.
type WordSet struct {
	List    string
	once    sync.Once
	set     map[string]bool
	lengths uint64 // rules out most words by their length alone
}

// Has reports whether a word is in the set.
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

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsWord reports whether c can be part of a name in some language.
func IsWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || IsDigit(c) || IsLetter(c)
}
