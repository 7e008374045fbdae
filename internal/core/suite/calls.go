package suite

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one simple command of a shell text.
type call struct {
	words    []word
	captured bool // something reads its output: a pipe, a substitution, a file
	looped   bool // it is inside a loop
}

type word struct {
	text string
	end  int // offset after it in the text
}

// calls lists the simple commands of a shell text, or of a makefile's recipes. It skips lines that
// are not shell, such as make's conditions.
func calls(text string) []call {
	text = maskVariables(text)
	if list, ok := parseCalls(text, 0); ok || !strings.Contains(text, "\n") {
		return list
	}
	var list []call
	at := 0
	for line := range strings.Lines(text) {
		some, _ := parseCalls(line, at)
		list = append(list, some...)
		at += len(line)
	}
	return list
}

// maskVariables replaces the usual makefile variables by the programs they hold, padded to the same
// length so that offsets stay.
func maskVariables(text string) string {
	return strings.NewReplacer("$(GO)", "go   ", "${GO}", "go   ", "$(PYTEST)", "pytest   ", "${PYTEST}", "pytest   ", "$(PYTHON)", "python   ", "${PYTHON}", "python   ").Replace(text)
}

// parseCalls lists the calls of a text at an offset of a larger one.
func parseCalls(text string, offset int) (list []call, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	piped := map[syntax.Node]bool{}
	around := []call{{}} // state inherited from the open nodes
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			around = around[:len(around)-1]
			return true
		}
		c := around[len(around)-1]
		switch n := node.(type) {
		case *syntax.Stmt:
			c.captured = c.captured || piped[n] || slices.ContainsFunc(n.Redirs, capturesOutput)
		case *syntax.BinaryCmd:
			piped[n.X] = n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		case *syntax.CmdSubst, *syntax.ProcSubst:
			c.captured = true
		case *syntax.ForClause, *syntax.WhileClause:
			c.looped = true
		case *syntax.CallExpr:
			one := call{captured: c.captured, looped: c.looped}
			for _, w := range n.Args {
				from, to := int(w.Pos().Offset()), int(w.End().Offset())
				one.words = append(one.words, word{text[from:to], offset + to})
			}
			list = append(list, one)
			list = append(list, innerCalls(one)...)
		}
		around = append(around, c)
		return true
	})
	return list, true
}

// capturesOutput reports whether a redirection captures standard output; 2>&1 and 2>file do not.
func capturesOutput(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.ClbOut:
		return r.N == nil || r.N.Value == "1"
	case syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

// innerCalls returns the calls in a quoted command for another shell: sh -c '…'.
func innerCalls(c call) (list []call) {
	for i, w := range c.words[:max(len(c.words)-1, 0)] {
		quoted := c.words[i+1].text
		if !strings.HasPrefix(w.text, "-") || !strings.HasSuffix(w.text, "c") || len(quoted) < 2 || quoted[0] != '\'' && quoted[0] != '"' || strings.ContainsAny(quoted[1:len(quoted)-1], `'"\`) {
			continue
		}
		list, _ = parseCalls(quoted[1:len(quoted)-1], c.words[i+1].end-len(quoted)+1)
		for k := range list {
			list[k].captured = list[k].captured || c.captured
			list[k].looped = list[k].looped || c.looped
		}
		return list
	}
	return nil
}

// program returns the index of the program's name, after assignments, make's prefixes, and programs
// that start another; -1 if there is none.
func (c call) program() int {
	for i, w := range c.words {
		text := strings.TrimLeft(w.text, "@-+")
		switch {
		case text == "" || strings.HasPrefix(w.text, "-") && i > 0 || strings.Contains(text, "=") || strings.HasSuffix(text, ":"):
		case starters[text] || strings.Trim(text, "0123456789") == "":
		default:
			return i
		}
	}
	return -1
}

// starters start the program named after them.
var starters = map[string]bool{"env": true, "time": true, "nice": true, "exec": true, "command": true, "sudo": true, "xvfb-run": true, "timeout": true,
	"poetry": true, "uv": true, "pipenv": true, "pdm": true, "hatch": true, "rye": true, "run": true, "coverage": true}

// has reports whether a call has one of these options, with or without a value.
func (c call) has(options string) bool {
	list := strings.Fields(options)
	return slices.ContainsFunc(c.words, func(w word) bool {
		name, _, _ := strings.Cut(w.text, "=")
		return slices.Contains(list, name)
	})
}
