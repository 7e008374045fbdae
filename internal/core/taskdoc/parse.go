package taskdoc

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	markdown "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse reads a document and returns all of its defects, sorted by position. The document is never
// nil, holds what could be read, and may only run if there are no defects.
func Parse(source []byte) (*Document, []Defect) {
	return ParseFor(source, func(string) string { return "" })
}

// ParseFor is Parse for a particular shell: refuses returns why it rejects a command, or "".
func ParseFor(source []byte, refuses func(command string) string) (*Document, []Defect) {
	p, doc := newPage(source), defaults()
	if p.isText() {
		r := &reader{page: p, doc: doc, checks: checkReader{p, refuses}, settings: settingReader{p, doc, map[string]bool{}},
			sections: map[section]bool{}, places: places{}, values: map[place]bool{}, phase: -1, task: -1}
		r.read()
		p.defects = append(p.defects, check(doc, r.places)...)
	}
	doc.Warnings = append(p.warnings, doc.Warnings...)
	sortDefects(p.defects)
	sortDefects(doc.Warnings)
	return doc, p.defects
}

func sortDefects(list []Defect) {
	slices.SortStableFunc(list, func(a, b Defect) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
}

// reader assigns what is below each heading to its place in the document. Criteria, commands and
// settings have separate readers.
type reader struct {
	*page
	doc      *Document
	checks   checkReader
	settings settingReader
	places   places         // of the dependencies
	values   map[place]bool // field values seen, so that each is added once
	sections map[section]bool

	section section
	phase   int // current phase, or -1
	task    int // current task of that phase, or -1
	pending field
	text    strings.Builder // of the current section, phase or task
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

// block assigns a block below a heading to its place.
func (r *reader) block(n ast.Node) {
	switch {
	case r.task >= 0:
		r.taskBlock(n)
	case r.phase >= 0:
		r.checks.refuseCriteria(n)
		r.add(r.raw(n), "\n\n")
	case r.section == success:
		r.doc.Criteria = append(r.doc.Criteria, r.checks.readSuccess(n)...)
	case r.section == bounds, r.section == supervisor, r.section == outer:
		r.settings.readBlock(r.section, n)
	case r.section == verification:
		r.doc.Verification = append(r.doc.Verification, r.checks.readCommands(n)...)
	default:
		r.add(r.raw(n), "\n\n")
	}
}

// add appends to the current text.
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

// flush stores the collected text in its place.
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

// newParser returns a Markdown parser with check boxes. Goldmark's own extension also links its
// table and link readers, which cost every start of warp a millisecond.
func newParser() markdown.Parser {
	return markdown.NewParser(markdown.WithBlockParsers(markdown.DefaultBlockParsers()...), markdown.WithParagraphTransformers(markdown.DefaultParagraphTransformers()...),
		markdown.WithInlineParsers(append(markdown.DefaultInlineParsers(), util.Prioritized(checkBoxes{}, 0))...))
}

// checkBoxes parses [ ], [x] and [X] at the beginning of a list item.
type checkBoxes struct{}

func (checkBoxes) Trigger() []byte { return []byte{'['} }

func (checkBoxes) Parse(parent ast.Node, block text.Reader, _ markdown.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || bytes.IndexByte([]byte(" \t\n\f\rxX"), line[1]) < 0 || line[2] != ']' {
		return nil
	}
	rest := bytes.TrimLeft(line[3:], " \t\n\f\r")
	block.Advance(len(line) - len(rest))
	return east.NewTaskCheckBox(line[1] == 'x' || line[1] == 'X')
}
