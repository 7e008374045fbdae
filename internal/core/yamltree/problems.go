package yamltree

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one error in a file.
type Problem struct {
	File         string
	Line, Column int // from 1; 0 if File is the name of a flag
	Message      string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// mostProblems limits the report: a file with more was meant as something else.
const mostProblems = 500

// Problems collects the problems of a file and of all files it refers to.
type Problems struct{ found []Problem }

// Report adds a problem once: an alias, a second stage of the same loop, or decoding again after a
// flag finds it again.
func (p *Problems) Report(at Place, format string, args ...any) {
	problem := Problem{at.Source.File, at.Line, at.Column, fmt.Sprintf(format, args...)}
	if !p.IsFull() && !slices.Contains(p.found, problem) {
		p.found = append(p.found, problem)
	}
}

// Check reports a rule that is broken.
func (p *Problems) Check(isBroken bool, at Place, format string, args ...any) {
	if isBroken {
		p.Report(at, format, args...)
	}
}

// IsFull reports whether no more problems are collected.
func (p *Problems) IsFull() bool { return len(p.found) == mostProblems }

// Sorted returns the problems in the order of their places.
func (p *Problems) Sorted() []Problem {
	slices.SortFunc(p.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return p.found
}

// Source is the text that places refer to.
type Source struct{ File, Text string }

// Beside returns the path of a file named in this one.
func (s *Source) Beside(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(path.Dir(s.File), name)
}

// At returns the line and column of an offset, in characters.
func (s *Source) At(offset int) Place {
	before := s.Text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Place{s, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
}

// Place is where something was written: in a line of a file, or in a flag.
type Place struct {
	Source       *Source
	Line, Column int
}

// Locate finds a part of a value that begins at this place. Quoting and folding move text, but the
// part occurs as often before it in the source as in the value. A part written with escapes gets
// the place of the value.
func (p Place) Locate(value string, at int, piece string) Place {
	if p.Line == 0 {
		return p
	}
	lines := strings.SplitAfterN(p.Source.Text, "\n", p.Line+1)
	line := []rune(lines[p.Line-1])
	offset := len(strings.Join(lines[:p.Line-1], "")) + len(string(line[:min(p.Column-1, len(line))]))
	for range strings.Count(value[:at], piece) + 1 {
		i := strings.Index(p.Source.Text[offset:], piece)
		if i < 0 {
			return p
		}
		offset += i + len(piece)
	}
	return p.Source.At(offset - len(piece))
}
