package text

import (
	"strings"
	"sync"
	"unicode"

	"warp/internal/core/lazy"
)

// NameRule describes what ValidName accepts.
const NameRule = "letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'"

// LooksLikeName reports whether a text was meant as a name, valid or not: it has only the
// characters of names.
func LooksLikeName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// ValidName reports whether a name can be used as it is.
func ValidName(s string) bool {
	if s == "" || len(s) > 80 || s[0] == '-' || s[0] == '.' {
		return false
	}
	if strings.Contains(s, "..") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, ".lock") { // git has no such refs
		return false
	}
	return LooksLikeName(s)
}

// inASCII spells letters of European languages in ASCII. Macs spell an umlaut as a letter and a
// mark.
var inASCII = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "o", "å", "a", "œ", "oe", "ł", "l",
		"á", "a", "à", "a", "â", "a", "ã", "a", "ą", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e", "ě", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
		"ó", "o", "ò", "o", "ô", "o", "õ", "o", "ő", "o", "ú", "u", "ù", "u", "û", "u", "ű", "u", "ů", "u", "ý", "y", "ç", "c", "č", "c", "ć", "c",
		"ñ", "n", "ń", "n", "ň", "n", "š", "s", "ś", "s", "ž", "z", "ź", "z", "ż", "z", "ř", "r", "ť", "t", "ď", "d", "đ", "d", "ğ", "g", "ş", "s", "ı", "i")
}}

// Slug derives a name from a title: lower-case letters, digits and single dashes, at most that many
// characters, cut between words if possible; "" if the title has no usable letters or digits.
func Slug(title string, most int) string {
	var b strings.Builder
	for _, r := range inASCII.Get().Replace(strings.ToLower(title)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // a combining mark
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	if len(s) > most {
		s = s[:most]
		if at := strings.LastIndexByte(s, '-'); at > most/2 {
			s = s[:at]
		}
	}
	return strings.Trim(s, "-")
}

// DidYouMean ends a message about an unknown word: it names the most likely known word, and is ""
// if none is close.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Nearest returns the known word that was most likely meant: one typo away, or two in a long word.
// Two typos in a short word make another word.
func Nearest(word string, known []string) string {
	best, least := "", 2
	switch {
	case len(word) > 100:
		return ""
	case len(word) > 8:
		least = 3
	}
	for _, k := range known {
		d := slips(strings.ToLower(word), strings.ToLower(k))
		if 2*d <= len(k) && (d < least || d == least && best != "" && k < best) {
			best, least = k, d
		}
	}
	return best
}

// slips counts the letters to add, drop or replace to turn one word into another; swapping two
// neighbours counts as one.
func slips(a, b string) int {
	var older, old []int
	for i := range len(a) + 1 {
		row := make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0 || j == 0:
				row[j] = i + j
			case a[i-1] == b[j-1]:
				row[j] = old[j-1]
			default:
				row[j] = 1 + min(old[j-1], old[j], row[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					row[j] = min(row[j], 1+older[j-2])
				}
			}
		}
		older, old = old, row
	}
	return old[len(b)]
}

// ShellWords splits a simple command into words. It is not simple if a shell would do more than run
// one program.
func ShellWords(s string) (words []string, simple bool) {
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case quote == 0 && strings.IndexByte("|&;<>()`\n", c) >= 0:
			return nil, false
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && quote != '\'' && i+1 < len(s) && (quote == 0 || strings.IndexByte(`"\$`, s[i+1]) >= 0):
			i++
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

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
