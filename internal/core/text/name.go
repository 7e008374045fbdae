package text

import (
	"strings"
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
