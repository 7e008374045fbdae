package taskdoc

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// maxDefects is how many are told at once.
const maxDefects = 1000

// Parse reads a document and names everything that is wrong with it, sorted by
// place. The document is what could be read; it is never nil, and only to be run
// when there is no defect.
func Parse(source []byte) (*Document, []Defect) {
	return ParseFor(source, func(string) string { return "" })
}

// ParseFor is Parse for a shell, which says why it would not take a command; "": it would.
func ParseFor(source []byte, refuses func(command string) string) (*Document, []Defect) {
	r := &reader{doc: defaults(), refuses: refuses, set: map[string]bool{}, places: places{}, values: map[place]bool{}, phase: -1, task: -1}
	r.source = bytes.ReplaceAll(bytes.TrimPrefix(source, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	r.lines = []int{0}
	for i, b := range r.source {
		if b == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	if r.isText() {
		r.read()
		r.defects = append(r.defects, check(r.doc, r.places)...)
	}
	sortDefects(r.defects)
	sortDefects(r.doc.Warnings)
	return r.doc, r.defects
}

func sortDefects(list []Defect) {
	slices.SortStableFunc(list, func(a, b Defect) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
}

type reader struct {
	doc     *Document
	defects []Defect
	source  []byte
	lines   []int
	places  places          // of dependencies
	values  map[place]bool  // of fields, that each is taken once
	set     map[string]bool // sections and settings that were there
	refuses func(command string) string

	section section
	phase   int // the one that is being read, or -1
	task    int // of that phase, or -1
	pending field
	text    strings.Builder // of the section, phase or task
}

// isText tells whether there is anything to read. What could hide something from
// a reader, or move a terminal's cursor, is a defect wherever it stands.
func (r *reader) isText() bool {
	switch {
	case len(r.source) > MaxBytes:
		r.defect(0, "the document has %d bytes; at most %d are read", len(r.source), MaxBytes)
		return false
	case !utf8.Valid(r.source) || bytes.IndexByte(r.source, 0) >= 0:
		r.defect(0, "this is not text in UTF-8")
		return false
	case bytes.HasPrefix(r.source, []byte("---\n")):
		r.defect(0, "front matter is not read; put settings into sections, such as ## Safety bounds")
	}
	if !r.short() {
		return false
	}
	last := 0
	for i, c := range string(r.source) {
		if hidden(c) && r.line(i) != last {
			r.defect(i, "the control character %U is not accepted", c)
			last = r.line(i)
		}
	}
	return true
}

// short tells whether lines and blocks are such as people write: the time that it
// takes to read Markdown can grow with the square of their length.
func (r *reader) short() bool {
	begin := 0
	for i, at := range append(r.lines[1:len(r.lines):len(r.lines)], len(r.source)) {
		line := r.source[r.lines[i]:at]
		switch {
		case len(line) > MaxLine:
			r.defect(r.lines[i], "the line has %d bytes; at most %d are read", len(line), MaxLine)
			return false
		case len(bytes.TrimSpace(line)) == 0:
			begin = at
		case at-begin > MaxBlock:
			r.defect(begin, "there are more than %d bytes without an empty line", MaxBlock)
			return false
		}
	}
	return true
}

// hidden tells a control character, or one that turns the direction of text.
func hidden(c rune) bool {
	return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

func (r *reader) read() {
	root := newParser().Parse(text.NewReader(r.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			r.heading(n)
		case *ast.ThematicBreak:
		case *ast.HTMLBlock:
			if !bytes.HasPrefix(r.source[n.Pos():], []byte("<!--")) {
				r.block(n)
			}
		default:
			r.block(n)
		}
	}
	r.flush()
}

// block takes what stands below a heading to where it belongs.
func (r *reader) block(n ast.Node) {
	switch {
	case r.task >= 0:
		r.taskBlock(n)
	case r.phase >= 0:
		r.noCriteria(n)
		r.add(r.raw(n), "\n\n")
	case r.section == success:
		r.success(n)
	case r.section == bounds, r.section == supervisor, r.section == outer:
		r.settings(n)
	case r.section == verification:
		r.verification(n)
	default:
		r.add(r.raw(n), "\n\n")
	}
}

// add adds to the text that is being read.
func (r *reader) add(chunk, between string) {
	chunk = strings.TrimRight(strings.Trim(chunk, "\n"), " \t\n")
	if chunk == "" {
		return
	}
	if r.text.Len() > 0 {
		r.text.WriteString(between)
	}
	r.text.WriteString(chunk)
}

// flush puts the text that was read where it belongs.
func (r *reader) flush() {
	to := &r.doc.Context
	switch {
	case r.task >= 0:
		to = &r.current().Description
	case r.phase >= 0:
		to = &r.doc.Phases[r.phase].Description
	case r.section == goal:
		to = &r.doc.Goal
	case r.section == rollback:
		to = &r.doc.Rollback
	case r.section == notes:
		to = &r.doc.Notes[len(r.doc.Notes)-1].Text
	}
	if *to != "" && r.text.Len() > 0 {
		*to += "\n\n"
	}
	*to += r.text.String()
	r.text.Reset()
}

// raw is the source of a block, up to the one behind it.
func (r *reader) raw(n ast.Node) string {
	end := len(r.source)
	if next := n.NextSibling(); next != nil {
		end = r.lineStart(next.Pos())
	} else if up := n.Parent(); up.Kind() != ast.KindDocument && up.NextSibling() != nil {
		end = r.lineStart(up.NextSibling().Pos())
	}
	begin := r.lineStart(n.Pos())
	return string(r.source[begin:max(begin, end)])
}

// lineStart is where the line begins that an offset stands in.
func (r *reader) lineStart(offset int) int {
	return r.lines[r.line(offset)-1]
}

// position is the line and column, from 1, of an offset.
func (r *reader) position(offset int) (line, column int) {
	line = r.line(offset)
	return line, utf8.RuneCount(r.source[r.lines[line-1]:offset]) + 1
}

// line is the line, from 1, of an offset.
func (r *reader) line(offset int) int {
	i, exact := slices.BinarySearch(r.lines, offset)
	if !exact {
		i--
	}
	return i + 1
}

func (r *reader) at(offset int, format string, args ...any) Defect {
	line, column := r.position(offset)
	return Defect{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (r *reader) defect(offset int, format string, args ...any) {
	if len(r.defects) < maxDefects {
		r.defects = append(r.defects, r.at(offset, format, args...))
	}
}

func (r *reader) warn(offset int, format string, args ...any) {
	if len(r.doc.Warnings) < maxDefects {
		r.doc.Warnings = append(r.doc.Warnings, r.at(offset, format, args...))
	}
}
