package taskdoc

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// verification reads the commands of a block of shell, or of a list of code.
func (r *reader) verification(n ast.Node) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		lang := strings.ToLower(string(n.Language(r.source)))
		if !slices.Contains([]string{"", "sh", "bash", "shell"}, lang) {
			r.defect(n.Pos(), "verification commands are a block of sh, not of %q", lang)
			return
		}
		r.script(n)
	case *ast.CodeBlock:
		r.script(n)
	case *ast.List:
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			r.listed(item)
		}
	}
}

// listed reads an item: `make test`, or Tests pass: `make test`.
func (r *reader) listed(item ast.Node) {
	block := item.FirstChild()
	if block == nil || block.LastChild() == nil || block.LastChild().Kind() != ast.KindCodeSpan {
		r.defect(item.Pos(), "a verification command is code: - `make test`, or - Tests pass: `make test`")
		return
	}
	code := block.LastChild().(*ast.CodeSpan)
	c := Command{Run: r.code(code), Line: r.line(code.Pos())}
	before := text.OneLine(string(r.source[block.Lines().At(0).Start:code.Pos()]))
	before = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(before, "[ ]"), "[x]"), " ")
	if c.Text = strings.TrimSuffix(before, ":"); before != "" && c.Text == before {
		r.defect(item.Pos(), "a colon stands between the text and the command: - Tests pass: `make test`")
	}
	if r.shell(c.Run, code.Pos()) {
		r.doc.Verification = append(r.doc.Verification, c)
	}
}

// script takes each statement of a block as a command.
func (r *reader) script(n ast.Node) {
	var text strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		text.Write(s.Value(r.source))
	}
	at := func(line uint) int {
		if i := int(line) - 1; i >= 0 && i < n.Lines().Len() {
			return n.Lines().At(i).Start
		}
		return n.Pos()
	}
	source := text.String()
	if len(source) > 4*MaxCommand {
		r.defect(n.Pos(), "the block has %d bytes; at most %d are read", len(source), 4*MaxCommand)
		return
	}
	file, err := parser().Parse(strings.NewReader(source), "")
	if err != nil {
		r.defect(at(lineOf(err)), "a shell cannot read this: %s", reason(err))
		return
	}
	for _, s := range file.Stmts {
		c := Command{Run: strings.TrimSpace(source[s.Pos().Offset():s.End().Offset()]), Line: r.line(at(s.Pos().Line()))}
		if alone(s) {
			r.warn(at(s.Pos().Line()), "each command runs in a new shell, in the project's folder; join this with the next by &&")
		}
		if why := r.refuses(c.Run); why != "" {
			r.defect(at(s.Pos().Line()), "%s", why)
		}
		r.doc.Verification = append(r.doc.Verification, c)
	}
}

// alone tells a statement that only the rest of its own shell would notice.
func alone(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 && len(c.Assigns) > 0 || len(c.Args) > 0 && c.Args[0].Lit() == "cd"
	}
	return false
}

// shell refuses a command that no shell could run, or not the one that is to.
func (r *reader) shell(command string, at int) bool {
	why := unreadable(command)
	if why == "" {
		why = r.refuses(command)
	}
	if why != "" {
		r.defect(at, "%s", why)
	}
	return why == ""
}

func unreadable(command string) string {
	if command == "" || len(command) > MaxCommand {
		return "a command has from 1 to 4096 bytes"
	}
	file, err := parser().Parse(strings.NewReader(command), "")
	if err != nil {
		return "a shell cannot read this command: " + reason(err)
	}
	if len(file.Stmts) == 0 {
		return "this command is only a comment"
	}
	return ""
}

func parser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// reason is the message of the shell's parser, without its place.
func reason(err error) string {
	switch e := err.(type) {
	case syntax.ParseError:
		return e.Text
	case syntax.LangError:
		return e.Feature + " is not known to it"
	}
	return err.Error()
}

func lineOf(err error) uint {
	switch e := err.(type) {
	case syntax.ParseError:
		return e.Pos.Line()
	case syntax.LangError:
		return e.Pos.Line()
	}
	return 1
}
