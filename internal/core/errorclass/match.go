package errorclass

import (
	"strings"

	"warp/internal/core/lexicon"
)

// signed is the first class, in the order of the signs, that a line shows.
func signed(lines []string, command bool) Class {
	byStatus := statusClasses(lines)
	class := None
	for _, s := range signs {
		if s.class != class {
			if byStatus[class] {
				return class
			}
			class = s.class
		}
		if s.weak && command {
			continue
		}
		for _, line := range lines {
			if command && (remark(line) || cites(line) && s.class != Syntax) {
				continue
			}
			if has(line, s.phrase) {
				return s.class
			}
		}
	}
	return None
}

// has tells whether a phrase stands in a line by itself, not as part of a longer
// name or of a path.
func has(line, phrase string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], phrase)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(phrase)
		if (at == 0 || !joins(line[at-1])) && !(end < len(line) && joins(line[end])) && !extended(line[end:]) {
			return true
		}
		from = at + 1
	}
}

func joins(c byte) bool { return lexicon.IsWord(c) && c < 0x80 || c == '/' || c == '-' }

// extended tells that a dot and a name follow, as in a file's name.
func extended(rest string) bool {
	return len(rest) > 1 && rest[0] == '.' && lexicon.IsLetter(rest[1])
}

// statusClasses are the classes of the HTTP statuses that the lines name.
func statusClasses(lines []string) map[Class]bool {
	found := map[Class]bool{}
	for _, line := range lines {
		if cites(line) {
			continue
		}
		words := strings.FieldsFunc(line, func(r rune) bool { return r >= 0x80 || !lexicon.IsWord(byte(r)) })
		for _, s := range statuses {
			for i, w := range words {
				if w == s.code && (announced(words[:i]) || named(s.name, words[i+1:])) {
					found[s.class] = true
				}
			}
		}
	}
	return found
}

// announcers stand before a status.
var announcers = lexicon.Set{List: "http https status statuscode status_code code error response returned"}

func announced(before []string) bool {
	n := len(before)
	if n > 0 && announcers.Has(before[n-1]) {
		return true
	}
	for n > max(0, len(before)-2) && len(before[n-1]) == 1 && digits(before[n-1]) {
		n-- // the version of HTTP/1.1
	}
	return n > 0 && before[n-1] == "http"
}

// named tells that the words behind a status are its name.
func named(name string, after []string) bool {
	return strings.HasPrefix(strings.Join(after[:min(3, len(after))], " "), name)
}
