package pipeline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	File         string
	Line, Column int // from 1; 0: File is the name of a flag
	Message      string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// mostProblems are reported: a file with more was not meant as a pipeline.
const mostProblems = 500

// problems are those of a file and of all files that it refers to.
type problems struct{ found []Problem }

func (p *problems) report(at place, format string, args ...any) {
	if len(p.found) < mostProblems {
		p.found = append(p.found, Problem{at.src.file, at.line, at.column, fmt.Sprintf(format, args...)})
	}
}

// sorted are the problems in the order of their places, each once: what an alias or two
// stages repeat is wrong in one place.
func (p *problems) sorted() []Problem {
	slices.SortFunc(p.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(p.found)
}

// source is a text that has places.
type source struct{ file, text string }

// beside is the path of a file that this one names.
func (s *source) beside(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(path.Dir(s.file), name)
}

// placeAt is the line and column of an offset, in characters.
func (s *source) placeAt(offset int) place {
	before := s.text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return place{s, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
}

// place is where something was written.
type place struct {
	src          *source
	line, column int
}

// locate finds a piece of a value that begins at this place. Quoting and folding move
// text, but the piece occurs as often before it in the source as in the value. A
// piece that was written with escapes is placed at the value.
func (p place) locate(value string, at int, piece string) place {
	if p.line == 0 {
		return p
	}
	offset := p.offset()
	for range strings.Count(value[:at], piece) + 1 {
		i := strings.Index(p.src.text[offset:], piece)
		if i < 0 {
			return p
		}
		offset += i + len(piece)
	}
	return p.src.placeAt(offset - len(piece))
}

func (p place) offset() int {
	lines := strings.SplitAfterN(p.src.text, "\n", p.line+1)
	line := []rune(lines[p.line-1])
	return len(strings.Join(lines[:p.line-1], "")) + len(string(line[:min(p.column-1, len(line))]))
}

// String is a place as a plan names it: flags and variables by their names, files with
// the line. The files of all stage folders have the same name.
func (p place) String() string {
	if p.line == 0 {
		return p.src.file
	}
	file := path.Base(p.src.file)
	if dir := path.Base(path.Dir(p.src.file)); file == folderFile || dir == "built-in" {
		file = dir + "/" + file
	}
	return fmt.Sprintf("%s:%d", file, p.line)
}

// places are where the keys of a mapping were written; "" is the mapping.
type places map[string]place

// marks tell where the keys of a decoded mapping were written.
type marks struct{ at places }

func (m *marks) mark(at places) { m.at = at }

func (p places) has(key string) bool { _, ok := p[key]; return ok }

// first is the place of the first of some keys that was written, or else of the mapping.
func (p places) first(keys ...string) place {
	for _, k := range keys {
		if at, ok := p[k]; ok {
			return at
		}
	}
	return p[""]
}

// named says in a plan where keys were written, or otherwise when none was.
func (p places) named(otherwise string, keys ...string) string {
	var all []string
	for _, k := range keys {
		if at, ok := p[k]; ok && at.src != nil && !slices.Contains(all, at.String()) {
			all = append(all, at.String())
		}
	}
	if len(all) == 0 {
		return otherwise
	}
	return " (" + strings.Join(all, ", ") + ")"
}
