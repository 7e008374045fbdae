package text

import "strings"

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
