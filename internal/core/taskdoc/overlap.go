package taskdoc

import (
	"strings"
	"unicode"
)

// Overlap tells whether two tasks may touch the same file. What cannot be ruled
// out counts: a task that names no files claims them all, and names that differ
// only in case are the same file on some systems.
func Overlap(a, b Task) bool { return meet(claimOf(a), claimOf(b)) }

// Claims tells whether a path, relative to the project's folder, is among the
// files of a task.
func (t Task) Claims(path string) bool {
	own := claimOf(t)
	for _, g := range own {
		if common(g, literal(path), segment.deep, func(a, b segment) bool { return a.meets(b, false) }) {
			return true
		}
	}
	return own == nil
}

// claim is the patterns of a task; nil is every file.
type claim []glob

// glob is a pattern, split at its slashes.
type glob []segment

// segment is what may stand between two slashes; one without atoms is ** and
// stands for any number of them.
type segment []atom

// atom is one character of a pattern: a letter, a set of letters, or a wildcard.
type atom struct {
	kind byte // 0 for a letter, or one of * ? [
	char rune
	set  string
}

func (s segment) deep() bool { return len(s) == 0 }

func claimOf(t Task) claim {
	var all claim
	for _, f := range t.Files {
		names, err := expand(f)
		if err != nil {
			return nil
		}
		for _, n := range names {
			all = append(all, compile(n, false))
			if strings.Contains(n, "[") {
				all = append(all, compile(n, true)) // [id] may be a name as it is
			}
		}
	}
	return all
}

func meet(a, b claim) bool {
	for _, x := range a {
		for _, y := range b {
			if common(x, y, segment.deep, func(a, b segment) bool { return a.meets(b, true) }) {
				return true
			}
		}
	}
	return a == nil || b == nil
}

// compile reads a pattern. One that ends in a plain name is also the folder of
// that name, with all that is in it.
func compile(pattern string, brackets bool) glob {
	var g glob
	wild := false
	for part := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if part == "**" {
			g, wild = append(g, nil), true
			continue
		}
		s := segmentOf(part, brackets)
		if wild = strings.ContainsAny(part, "*?"); len(s) > 0 {
			g = append(g, s)
		}
	}
	if !wild {
		g = append(g, nil)
	}
	return g
}

func segmentOf(part string, brackets bool) segment {
	var s segment
	for part != "" {
		c := []rune(part)[0]
		part = part[len(string(c)):]
		switch end := strings.IndexByte(part, ']'); {
		case c == '*':
			s = append(s, atom{kind: '*'})
		case c == '?':
			s = append(s, atom{kind: '?'})
		case c == '[' && end > 0 && !brackets:
			s = append(s, atom{kind: '[', set: part[:end]})
			part = part[end+1:]
		default:
			s = append(s, atom{char: c})
		}
	}
	return s
}

// literal is a path as the pattern that matches it alone.
func literal(path string) glob {
	var g glob
	for part := range strings.SplitSeq(path, "/") {
		var s segment
		for _, c := range part {
			s = append(s, atom{char: c})
		}
		if len(s) > 0 {
			g = append(g, s)
		}
	}
	return g
}

func (s segment) meets(other segment, fold bool) bool {
	return common(s, other, func(a atom) bool { return a.kind == '*' }, func(a, b atom) bool { return a.meets(b, fold) })
}

func (a atom) meets(b atom, fold bool) bool {
	switch {
	case a.kind == '?' || b.kind == '?' || a.kind != 0 && b.kind != 0:
		return true
	case a.kind == '[':
		return a.has(b.char) || fold && (a.has(unicode.ToLower(b.char)) || a.has(unicode.ToUpper(b.char)))
	case b.kind == '[':
		return b.meets(a, fold)
	}
	return a.char == b.char || fold && unicode.ToLower(a.char) == unicode.ToLower(b.char)
}

// has tells whether a set such as a-z or !0-9 holds a character.
func (a atom) has(c rune) bool {
	set := []rune(a.set)
	not := set[0] == '!' || set[0] == '^'
	if not {
		set = set[1:]
	}
	for i := 0; i < len(set); i++ {
		low, high := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			high = set[i+2]
			i += 2
		}
		if c >= low && c <= high {
			return !not
		}
	}
	return not
}

// common tells whether two patterns match a common text, where some of their
// elements stand for any number of elements.
func common[S ~[]E, E any](a, b S, many func(E) bool, same func(E, E) bool) bool {
	below := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		row := make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && many(a[i]):
				row[j] = below[j] || j < len(b) && row[j+1]
			case j < len(b) && many(b[j]):
				row[j] = row[j+1] || i < len(a) && below[j]
			case i < len(a) && j < len(b):
				row[j] = same(a[i], b[j]) && below[j+1]
			}
		}
		below = row
	}
	return below[0]
}
