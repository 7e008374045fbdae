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
	Line, Column int // from 1; 0: it is no place in a file but a flag
	Message      string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// most problems are named; who wrote more did not mean to write a pipeline.
const mostProblems = 500

// source is a text that problems can be found in.
type source struct{ file, text string }

// beside is the path of a file that this one names.
func (s *source) beside(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(path.Dir(s.file), name)
}

// place is where something was written.
type place struct {
	src          *source
	line, column int
}

// locate finds where in its source a piece of a value stands that begins here.
// Quoting and folding move text, but the piece is as often before it there as
// in the value; a piece that was written with escapes is placed at the value.
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
	return p.src.place(offset - len(piece))
}

func (p place) offset() int {
	at := 0
	for range p.line - 1 {
		at += strings.IndexByte(p.src.text[at:], '\n') + 1
	}
	for range p.column - 1 {
		_, size := utf8.DecodeRuneInString(p.src.text[at:])
		at += size
	}
	return at
}

// place is the line and column of an offset, in characters.
func (s *source) place(offset int) place {
	before := s.text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return place{s, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
}

// reader gathers the problems.
type reader struct {
	problems []Problem
	dialect  bool // the file has words that only the dialect has
}

func (r *reader) say(at place, format string, args ...any) {
	if len(r.problems) < mostProblems {
		r.problems = append(r.problems, Problem{at.src.file, at.line, at.column, fmt.Sprintf(format, args...)})
	}
}

// sorted are the problems in the order of their places, each once: what an alias
// or two stages repeat is wrong in one place.
func (r *reader) sorted() []Problem {
	slices.SortFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(r.problems)
}
