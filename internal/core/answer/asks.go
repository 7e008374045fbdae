package answer

import (
	"regexp"

	"warp/internal/core/text"
)

// A question in prose: a mark at the end of a sentence, behind which more may be said ("Let me
// know."). What is quoted or code asks no one.
var (
	quotedCode = regexp.MustCompile("(?s)```.*?(```|$)|`[^`\\n]*`")
	question   = regexp.MustCompile(`[?？؟][*_)]*(\s|$)|[？]`)
)

const lastWords = 1_500 // characters of the end of a text

// Asks reports whether the end of a text asks something.
func Asks(words string) bool {
	return question.MatchString(text.Tail(quotedCode.ReplaceAllString(words, ""), lastWords))
}
