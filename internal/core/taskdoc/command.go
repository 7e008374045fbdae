package taskdoc

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// checkReader reads criteria and commands. Refuses returns why the shell that will run a command
// rejects it.
type checkReader struct {
	*page
	refuses func(command string) string
}

// readCommands reads the commands of a shell block or a list of code.
func (r checkReader) readCommands(n ast.Node) (all []Command) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		lang := strings.ToLower(string(n.Language(r.source)))
		if slices.Contains([]string{"", "sh", "bash", "shell"}, lang) {
			return r.readScript(n)
		}
		r.defect(n.Pos(), "verification commands are a block of sh, not of %q", lang)
	case *ast.CodeBlock:
		return r.readScript(n)
	case *ast.List:
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if c, ok := r.readListed(item); ok {
				all = append(all, c)
			}
		}
	}
	return all
}

// readListed reads an item: `make test`, or Tests pass: `make test`.
func (r checkReader) readListed(item ast.Node) (c Command, ok bool) {
	block := item.FirstChild()
	if block == nil || block.LastChild() == nil || block.LastChild().Kind() != ast.KindCodeSpan {
		r.defect(item.Pos(), "a verification command is code: - `make test`, or - Tests pass: `make test`")
		return c, false
	}
	code := block.LastChild().(*ast.CodeSpan)
	c = Command{Run: r.code(code), Line: r.line(code.Pos())}
	before := text.OneLine(string(r.source[block.Lines().At(0).Start:code.Pos()]))
	before = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(before, "[ ]"), "[x]"), " ")
	if c.Text = strings.TrimSuffix(before, ":"); before != "" && c.Text == before {
		r.defect(item.Pos(), "put a colon between the text and the command: - Tests pass: `make test`")
	}
	return c, r.canRun(c.Run, code.Pos())
}

// readScript reads each statement of a block as a command.
func (r checkReader) readScript(n ast.Node) (all []Command) {
	source := string(n.Lines().Value(r.source))
	at := func(line uint) int {
		if i := int(line) - 1; i >= 0 && i < n.Lines().Len() {
			return n.Lines().At(i).Start
		}
		return n.Pos()
	}
	if len(source) > 4*MaxCommand {
		r.defect(n.Pos(), "the block has %d bytes; at most %d are read", len(source), 4*MaxCommand)
		return nil
	}
	file, err := parser().Parse(strings.NewReader(source), "")
	if err != nil {
		line, reason := explain(err)
		r.defect(at(line), "a shell cannot read this: %s", reason)
		return nil
	}
	for _, s := range file.Stmts {
		here := at(s.Pos().Line())
		c := Command{Run: strings.TrimSpace(source[s.Pos().Offset():s.End().Offset()]), Line: r.line(here)}
		if alone(s) {
			r.warn(here, "each command runs in a new shell, in the project's folder; join this with the next by &&")
		}
		if why := r.refuses(c.Run); why != "" {
			r.defect(here, "%s", why)
		}
		all = append(all, c)
	}
	return all
}

// alone reports whether a statement affects only the rest of its own shell.
func alone(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 && len(c.Assigns) > 0 || len(c.Args) > 0 && c.Args[0].Lit() == "cd"
	}
	return false
}

// canRun reports a command that no shell, or not the chosen one, can run.
func (r checkReader) canRun(command string, at int) bool {
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
		_, reason := explain(err)
		return "a shell cannot read this command: " + reason
	}
	if len(file.Stmts) == 0 {
		return "this command is only a comment"
	}
	return ""
}

func parser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// explain returns the shell parser's message and its line.
func explain(err error) (line uint, reason string) {
	switch e := err.(type) {
	case syntax.ParseError:
		return e.Pos.Line(), e.Text
	case syntax.LangError:
		return e.Pos.Line(), e.Feature + " is not known to it"
	}
	return 1, err.Error()
}
