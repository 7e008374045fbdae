// Package text shortens texts for people and for documents of bounded size. It is the only place
// that does (there were 20 private copies, which disagreed about the length of a hash and the cost
// of an ellipsis). No result is longer than asked for, including the ellipsis, and no rune is cut
// in half. It also puts values into templates. Untrusted texts (issues, branches, agents) are made
// visible before they are shown, and fenced in prompts, so that nothing in them is obeyed.
package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// hashLength distinguishes commits in large repositories, and fits a column.
const hashLength = 10

// openingLength is about two lines of a terminal.
const openingLength = 200

// Clip returns at most size bytes of a text; a shortened one ends in "…", and loses invalid UTF-8.
func Clip(s string, size int) string {
	switch {
	case len(s) <= size:
		return s
	case size < len(ellipsis):
		return Prefix(s, size)
	}
	return strings.ToValidUTF8(s[:size-len(ellipsis)], "") + ellipsis
}

// Prefix returns at most size bytes of a text, without an ellipsis: for keys, and for documents
// that programs parse.
func Prefix(s string, size int) string {
	size = max(size, 0)
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// ClipRunes returns at most count runes of a text; a shortened one ends in "…".
func ClipRunes(s string, count int) string {
	if len(s) <= count {
		return s
	}
	r := []rune(s)
	switch {
	case len(r) <= count:
		return s
	case count < 1:
		return ""
	}
	return string(r[:count-1]) + ellipsis
}

// FirstRunes returns at most count runes of a text, and how many runes it omitted.
func FirstRunes(s string, count int) (first string, more int) {
	r := []rune(s)
	count = max(count, 0)
	if len(r) <= count {
		return s, 0
	}
	return string(r[:count]), len(r) - count
}

// Tail returns at most size bytes of the end of a text; a shortened one begins with "…", and loses
// invalid UTF-8.
func Tail(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return ellipsis + strings.ToValidUTF8(s[len(s)-max(0, size-len(ellipsis)):], "")
}

// LastLine returns the last non-empty line of a text.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// LastLines returns the last n lines of a text, below a line with the number of omitted ones. A
// shorter text is unchanged.
func LastLines(said string, n int) string {
	lines := slices.Collect(strings.Lines(said))
	left := len(lines) - max(n, 0)
	if left <= 0 {
		return said
	}
	return "[" + Count(left, "line") + " left out]\n" + strings.Join(lines[left:], "")
}

// ClipMiddle returns at most count runes of a text, with "…" in the middle: for names whose end
// matters as much as their beginning.
func ClipMiddle(s string, count int) string {
	r := []rune(s)
	switch {
	case len(r) <= count:
		return s
	case count < 1:
		return ""
	}
	front := (count - 1) / 2
	return string(r[:front]) + ellipsis + string(r[len(r)-(count-1-front):])
}

// LineEnd returns how the first line of a text ends: a line feed, or a carriage return before it.
func LineEnd(s string) string {
	if line, _, found := strings.Cut(s, "\n"); found && strings.HasSuffix(line, "\r") {
		return "\r\n"
	}
	return "\n"
}

// OneLine replaces every run of white space by one space, and trims the ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine returns the first non-blank line, trimmed.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// Opening returns the beginning of what an agent or a test said, on one line.
func Opening(s string) string { return ClipRunes(OneLine(s), openingLength) }

// Hash abbreviates the hash of a commit or a tree.
func Hash(hash string) string { return Prefix(hash, hashLength) }

// List joins the first of many names: "a, b and 3 more".
func List(names []string, most int) string {
	shown := names[:min(len(names), most)]
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	return list
}

// Quote is List for names that may contain spaces or control characters: each is quoted.
func Quote(names []string, most int) string {
	quoted := make([]string, len(names))
	for i, n := range names[:min(len(names), most)] {
		quoted[i] = strconv.Quote(n)
	}
	return List(quoted, most)
}

// JoinNonEmpty joins words, leaving out the empty ones.
func JoinNonEmpty(by string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), by)
}

// Without returns a list without some of its names.
func Without(names, drop []string) (rest []string) {
	for _, n := range names {
		if !slices.Contains(drop, n) {
			rest = append(rest, n)
		}
	}
	return rest
}

// plurals are irregular.
var plurals = map[string]string{"criterion": "criteria", "process": "processes", "repository": "repositories"}

// Count formats a number of things: "1 test", "1,200 tests".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	many, known := plurals[what]
	if !known {
		many = what + "s"
	}
	return Thousands(int64(n)) + " " + many
}

// Thousands formats a number with commas: 1,200,000.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
