package docs

import (
	"strconv"
	"strings"
)

// spelled are the numbers that prose spells.
var spelled = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"}

// parseNumber is the number that a word stands for, as digits or spelled.
func parseNumber(word string) (n int, digits, ok bool) {
	lower := strings.ToLower(word)
	for i, s := range spelled {
		if s == lower {
			return i, false, i > 0
		}
	}
	if word == "" || len(word) > 4 || word[0] == '0' {
		return 0, false, false
	}
	n, err := strconv.Atoi(word)
	return n, true, err == nil && n > 0 && (n < 1900 || n > 2100) // a year, most likely
}

// spell writes a number as another was written.
func spell(n int, like string) string {
	if _, digits, _ := parseNumber(like); digits || n >= len(spelled) {
		return strconv.Itoa(n)
	}
	word := spelled[n]
	switch like {
	case strings.ToUpper(like):
		return strings.ToUpper(word)
	case strings.ToLower(like):
		return word
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// stated is a number of things that prose states.
type stated struct {
	n      int
	word   string // as it is written
	at     int    // where, in the prose
	digits bool
	before []string // the words before it in its sentence, lower case
	kind   []string // what stands between number and noun
	noun   string   // lower case
	end    int      // behind the noun
	from   int      // where its sentence begins
	to     int      // where it ends
}

type textWord struct {
	text string
	at   int
	ends bool // a sentence ends behind it
}

// textWords cuts prose into words; what stands in backticks is left out.
func textWords(text string) []textWord {
	var all []textWord
	code := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '`':
			code = !code
			i++
		case code || !isLetter(c) && (c < '0' || c > '9'):
			if !code && len(all) > 0 && (c == '.' || c == '!' || c == '?' || c == ';' || c == ':') && (i+1 == len(text) || text[i+1] == ' ') {
				all[len(all)-1].ends = true
			}
			i++
		default:
			j := i
			for j < len(text) && (isLetter(text[j]) || text[j] >= '0' && text[j] <= '9' || j+1 < len(text) && (text[j] == '-' || text[j] == '.' || text[j] == ',' || text[j] == '/' || text[j] == '\'' || text[j] == '_') && (isLetter(text[j+1]) || text[j+1] >= '0' && text[j+1] <= '9')) {
				j++
			}
			all = append(all, textWord{text: text[i:j], at: i})
			i = j
		}
	}
	return all
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// adjectives may stand between a number and what is counted without making it
// fewer.
var adjectives = map[string]bool{"slash": true, "custom": true, "available": true, "built-in": true, "builtin": true, "bundled": true, "included": true, "different": true, "total": true, "make": true, "makefile": true, "npm": true, "go": true, "shell": true, "specialized": true, "specialised": true, "ready-made": true, "claude": true, "code": true, "cli": true, "github": true, "python": true, "bash": true, "top-level": true, "documented": true, "individual": true, "separate": true, "distinct": true, "core": true, "reusable": true, "markdown": true, "example": true, "following": true, "main": true, "simple": true, "basic": true, "internal": true, "yarn": true, "sql": true, "issue": true}

// statements are the numbers of things that a text states.
func statements(text string) []stated {
	words := textWords(text)
	var all []stated
	from := 0
	for i, w := range words {
		if i > 0 && words[i-1].ends {
			from = i
		}
		n, digits, ok := parseNumber(w.text)
		if !ok || w.ends || glued(text, w) {
			continue
		}
		s := stated{n: n, word: w.text, at: w.at, digits: digits, from: words[from].at, to: len(text)}
		for _, b := range words[from:i] {
			s.before = append(s.before, strings.ToLower(b.text))
		}
		if !counting(s.before, words, from, i) {
			continue
		}
		j := i + 1
		for ; j < len(words) && j <= i+2 && adjectives[strings.ToLower(words[j].text)] && !words[j].ends; j++ {
			s.kind = append(s.kind, strings.ToLower(words[j].text))
		}
		if j >= len(words) || !plural(words[j].text, n) || broken(text[w.at:words[j].at]) {
			continue
		}
		s.noun, s.end = strings.ToLower(words[j].text), words[j].at+len(words[j].text)
		if n == 1 && !strings.HasSuffix(s.noun, "s") {
			s.noun += "s"
		}
		for k := j; k < len(words); k++ {
			if words[k].ends {
				s.to = words[k].at + len(words[k].text) + 1
				break
			}
		}
		all = append(all, s)
	}
	return all
}

// glued tells whether a number is a part of something else: $5, v2, 3%, #4.
func glued(text string, w textWord) bool {
	if w.at > 0 && strings.IndexByte("$#~≥<>=+-/.:@'_&", text[w.at-1]) >= 0 {
		return true
	}
	end := w.at + len(w.text)
	return end < len(text) && text[end] != ' ' && text[end] != '*'
}

// broken tells whether something stands between number and noun.
func broken(between string) bool { return strings.ContainsAny(between, "`.,;:()/|") }

func plural(word string, n int) bool {
	return len(word) > 3 && (strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") || n == 1) && !strings.ContainsAny(word, "0123456789./'")
}

// counting tells whether what stands before a number leaves it the number of
// all: not «at most 5», «the first 5», «Node 18 users».
func counting(before []string, words []textWord, from, i int) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	switch last {
	case "first", "last", "next", "other", "another", "to", "least", "most", "about", "around", "roughly", "approximately", "nearly", "almost", "over", "under", "than", "of", "or", "version", "step", "phase", "level", "chapter", "section", "table", "figure", "issue", "only", "any", "every", "each", "top", "per", "after", "within", "between", "by", "x", "up", "additional", "new", "more", "these", "those", "some", "run", "use", "need", "needs", "at", "takes", "take":
		return last == "these" || last == "use" && len(before) > 1 && before[len(before)-2] == "we" || last == "of" && len(before) > 1 && (before[len(before)-2] == "consists" || before[len(before)-2] == "total" || before[len(before)-2] == "set" || before[len(before)-2] == "made" || before[len(before)-2] == "collection" || before[len(before)-2] == "one")
	}
	w := words[i-1].text
	if w[0] >= 'A' && w[0] <= 'Z' { // a name, such as Node 18, unless it begins the sentence
		switch last {
		case "the", "all", "our", "its", "there", "with", "has", "includes", "contains", "provides", "ships", "currently", "these", "total", "and", "plus", "following":
		default:
			return false
		}
	}
	return true
}
