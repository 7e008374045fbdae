package taskdoc

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Parse reads a document and names everything that is wrong with it, sorted by
// place. The document is what could be read; it is never nil, and only to be run
// when there is no defect.
func Parse(source []byte) (*Document, []Defect) {
	return ParseFor(source, func(string) string { return "" })
}

// ParseFor is Parse for a shell, which says why it would not take a command; "": it would.
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

// reader takes what stands below each heading to where it belongs in the document. What
// tells that something is done, and settings, are read by readers of their own.
type reader struct {
	*page
	doc      *Document
	checks   checkReader
	settings settingReader
	places   places         // of dependencies
	values   map[place]bool // of fields, that each is taken once
	sections map[section]bool

	section section
	phase   int // the one that is being read, or -1
	task    int // of that phase, or -1
	pending field
	text    strings.Builder // of the section, phase or task
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
