package evidence

import (
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// What people read as sentences is not quoted as a whole: only the words in it that a tracker would
// take for a mention, a reference, a link or Markdown are.

// maxProse limits a text of several paragraphs, in characters.
const maxProse = 4000

var (
	// live matches words that a tracker gives a meaning.
	live = lazy.Pattern{Text: `(?i)[\\*_<\[\]|~#@$]|&[#\w]|!\d|://|www\.|gh-\d`}
	// structural matches first words that would begin a list, a line or a heading.
	structural = lazy.Pattern{Text: `^(?:[-+=]+|>.*|\d+[.)])$`}
)

// prose returns a text of others as paragraphs and lists.
func prose(words string) string {
	words, cut := text.FirstRunes(words, maxProse)
	if cut > 0 {
		words += "…"
	}
	var b strings.Builder
	inList := false
	for _, part := range commit.Parts(words) {
		mark := commit.ItemMark(part)
		line := sentence(part[len(mark):])
		if line == "" {
			continue
		}
		if mark == "" || !inList {
			b.WriteString("\n")
		}
		if inList = mark != ""; inList {
			b.WriteString("- ")
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// inline returns the beginning of a text of others on one line.
func inline(words string) string {
	words, cut := text.FirstRunes(text.OneLine(words), maxLine)
	if cut > 0 {
		words += "…"
	}
	return sentence(words)
}

// sentence quotes what means something as code.
func sentence(words string) string {
	words, _ = oneLine(words, maxProse)
	if strings.Count(words, "**")%2 == 0 {
		words = strings.ReplaceAll(words, "**", "")
	}
	b := &line{}
	for words != "" {
		at := strings.IndexByte(words, '`')
		if at < 0 {
			b.words(words)
			break
		}
		b.words(words[:at])
		marks := leadingMarks(words[at:])
		rest := words[at+marks:]
		end := endOfCode(rest, marks)
		if end < 0 {
			b.quote(words[at : at+marks])
			words = rest
			continue
		}
		b.quote(strings.TrimSpace(rest[:end]))
		words = rest[end+marks:]
	}
	return strings.TrimSpace(b.String())
}

// leadingMarks counts the backticks that a text begins with.
func leadingMarks(words string) int { return len(words) - len(strings.TrimLeft(words, "`")) }

// endOfCode finds the run of exactly so many backticks, or returns -1.
func endOfCode(words string, marks int) int {
	for at := 0; at < len(words); {
		run := leadingMarks(words[at:])
		if run == marks {
			return at
		}
		at += max(run, 1)
	}
	return -1
}

// line builds one line of words and code.
type line struct{ strings.Builder }

// quote adds code. Two pieces of code need something between them.
func (l *line) quote(words string) {
	if strings.HasSuffix(l.String(), "`") {
		l.WriteByte(' ')
	}
	l.WriteString(code(words))
}

// words adds words without code.
func (l *line) words(list string) {
	for i, word := range strings.Split(list, " ") {
		if i > 0 {
			l.WriteByte(' ')
		}
		first := l.Len() == 0 && structural.Get().MatchString(word)
		if word == "" || !first && !live.Get().MatchString(word) {
			l.WriteString(word)
			continue
		}
		core := strings.TrimRight(strings.TrimLeft(word, `("'`), `.,;:)"'?`)
		if core == "" {
			core = word
		}
		before, after, _ := strings.Cut(word, core)
		l.WriteString(before)
		l.quote(core)
		l.WriteString(after)
	}
}
