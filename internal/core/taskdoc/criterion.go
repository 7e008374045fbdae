package taskdoc

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"warp/internal/core/text"
)

// maxKey is the most characters in a criterion's key.
const maxKey = 60

// readSuccess reads the document's own criteria.
func (r checkReader) readSuccess(n ast.Node) (all []Criterion) {
	if list, ok := n.(*ast.List); ok {
		all = r.readItems(list, func(item *ast.ListItem) {
			r.defect(item.Pos(), "a success criterion needs a checkbox: - [ ] text")
		})
	}
	return all
}

// refuseCriteria reports checkboxes where nothing would read them.
func (r checkReader) refuseCriteria(n ast.Node) {
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if c.Kind() == east.KindTaskCheckBox && entering {
			r.defect(c.Pos(), "a success criterion belongs to a task, or to the section ## Success criteria")
		}
		return ast.WalkContinue, nil
	})
}

// readItems reads the criteria of a list, at every depth, and passes items without a checkbox to
// other.
func (r checkReader) readItems(list *ast.List, other func(*ast.ListItem)) (all []Criterion) {
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		item, ok := n.(*ast.ListItem)
		if !ok {
			continue
		}
		c, isCriterion := r.readCriterion(item)
		more := func(*ast.ListItem) {}
		if isCriterion {
			more = func(detail *ast.ListItem) { c.Text += "; " + r.oneLine(detail.FirstChild()) }
		} else {
			other(item)
		}
		var nested []Criterion
		for b := item.FirstChild(); b != nil; b = b.NextSibling() {
			if l, ok := b.(*ast.List); ok {
				nested = append(nested, r.readItems(l, more)...)
			} else if isCriterion && b != item.FirstChild() {
				c.Text += " " + r.oneLine(b)
			}
		}
		if isCriterion && c.Text != "" {
			all = append(all, c)
		}
		all = append(all, nested...)
	}
	return all
}

// readCriterion reads an item with a checkbox. Code after a colon at its very end is the command
// that verifies it.
func (r checkReader) readCriterion(item *ast.ListItem) (c Criterion, ok bool) {
	block := item.FirstChild()
	if block == nil || block.FirstChild() == nil || block.FirstChild().Kind() != east.KindTaskCheckBox {
		return c, false
	}
	at := block.FirstChild().Pos()
	c = Criterion{Text: strings.TrimSpace(r.oneLine(block)[len("[ ]"):]), Line: r.line(at)}
	if code, ok := block.LastChild().(*ast.CodeSpan); ok {
		begin := block.Lines().At(0).Start
		before := strings.TrimSpace(string(r.source[begin:code.Pos()])[len("[ ]"):])
		switch {
		case before == "":
			r.warn(at, "this criterion runs no command; say what the command shows: - [ ] Tests pass: `make test`")
		case strings.HasSuffix(before, ":"):
			c.Text = text.OneLine(strings.TrimSuffix(before, ":"))
			c.Run = r.code(code)
			r.canRun(c.Run, code.Pos())
		}
	}
	if c.Key = key(c.Text); c.Key == "" {
		r.defect(at, "the criterion has no word to make a name from")
		c.Text = ""
	}
	return c, true
}

// key derives a criterion's key from its text: «User model updated» is user_model_updated. It cuts
// between words if possible.
func key(text string) string {
	var out []rune
	for _, c := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			out = append(out, c)
		case c == '\'' || c == '’':
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	s := strings.Trim(string(out), "_")
	if out = []rune(s); len(out) <= maxKey {
		return s
	}
	s = string(out[:maxKey])
	if at := strings.LastIndexByte(s, '_'); at > len(s)/2 && out[maxKey] != '_' {
		s = s[:at]
	}
	return strings.Trim(s, "_")
}
