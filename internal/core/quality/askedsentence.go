package quality

import "strings"

// term is a word, a comma, a break, or what stood in quotes or backticks.
type term struct {
	text   string
	quoted bool
}

// sentence is what one word can deny: its clauses, with breaks between them.
type sentence []term

// pause is the break that a colon, a dash, a parenthesis or a line's end makes.
const pause = ":"

// low is a word in small letters, empty where there is none.
func (s sentence) low(i int) string {
	if i >= len(s) || s[i].quoted {
		return ""
	}
	return strings.ToLower(s[i].text)
}

// sentences splits a criterion. A full stop and a colon count only at the end of
// a word, so that names keep theirs.
func sentences(text string) []sentence {
	text = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", " : ", "—", " : ", "\n", " : ", " (", " : ", "**", "").Replace(text)
	var list []sentence
	var s sentence
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t\r") {
		if quoted, rest, ok := unquote(text); ok {
			s = append(s, term{quoted, true})
			text = rest
			continue
		}
		end := strings.IndexAny(text, " \t\r,;`\"")
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			end = 1
		}
		word, mark := punctuated(text[:end])
		text = text[end:]
		if word != "" {
			s = append(s, term{word, false})
		}
		switch mark {
		case ',', ':', ')':
			s = append(s, term{strings.ReplaceAll(string(mark), ")", pause), false})
		case '.', '!', '?', ';':
			list, s = append(list, s), nil
		}
	}
	return append(list, s)
}

// unquote cuts what stands between two quotes off the beginning of a text.
func unquote(text string) (quoted, rest string, ok bool) {
	if strings.IndexByte("`\"'", text[0]) < 0 {
		return "", text, false
	}
	return strings.Cut(text[1:], text[:1])
}

// punctuated splits the punctuation off the end of a word; its last mark is what
// counts. The parentheses of f() belong to the word.
func punctuated(word string) (name string, mark byte) {
	name = strings.TrimRight(word, ".,:!?;*)")
	if strings.HasSuffix(name, "(") {
		name = strings.TrimRight(name, "(") + "()"
	}
	if len(name) < len(word) {
		mark = word[len(word)-1]
	}
	return strings.TrimLeft(name, "*("), mark
}

// clauses are the parts of a sentence between its breaks.
func (s sentence) clauses() []sentence {
	var list []sentence
	from := 0
	for i := range s {
		if s.low(i) == pause {
			list = append(list, s[from:i])
			from = i + 1
		}
	}
	return append(list, s[from:])
}

// anyOf tells whether a sentence has one of some words.
func (s sentence) anyOf(has func(word string) bool) bool {
	for i := range s {
		if has(s.low(i)) {
			return true
		}
	}
	return false
}
