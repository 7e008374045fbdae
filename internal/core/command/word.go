package command

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// joinWords is the arguments as one text.
func joinWords(args []string) string { return strings.Join(args, " ") }

// texts are arguments as Act gives them.
func texts(args []string) []string {
	out := slices.Clone(args)
	for i, a := range args {
		if hasMark(a) {
			out[i] = dynamic
		}
	}
	return out
}

// hasPattern tells a word that the shell, or git, may take for several files.
func hasPattern(word string) bool { return strings.ContainsAny(word, "*?[") }

// fields expands words to arguments as a program would get them, with marks for what is
// made at run time, and notes the acts of the substitutions.
func (r *reader) fields(words []*syntax.Word) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		split := *w // the tree stays as it was parsed
		syntax.SplitBraces(&split)
		out = append(out, r.expand(&split)...)
	}
	return out
}

// one expands a word that stays one, such as a file's name or a value.
func (r *reader) one(w *syntax.Word) string {
	b := builder{r: r, whole: true}
	if w != nil {
		b.parts(w.Parts, false)
	}
	return string(b.cur)
}

// expand gives the arguments of a word without braces.
func (r *reader) expand(w *syntax.Word) []string {
	b := builder{r: r}
	b.parts(w.Parts, false)
	b.flush()
	return b.out
}

// builder puts the arguments of a word together.
type builder struct {
	r     *reader
	out   []string
	cur   []byte
	has   bool // there is an argument, if an empty one
	whole bool // no splitting
}

func (b *builder) flush() {
	if b.has {
		b.out = append(b.out, string(b.cur))
	}
	b.cur, b.has = b.cur[:0], false
}

func (b *builder) add(s string) {
	checkSize(len(b.cur) + len(s))
	b.cur = append(b.cur, s...)
	b.has = true
}

func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	defer b.r.enter()()
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.lit(p.Value, quoted, i == 0 && len(b.cur) == 0)
		case *syntax.SglQuoted:
			b.add(unquote(p))
		case *syntax.DblQuoted:
			b.has = b.has || len(p.Parts) == 0 // "$@" may be no argument at all
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.values(b.r.param(p), quoted)
		case *syntax.CmdSubst:
			b.values([]string{b.r.substitute(p.Stmts)}, quoted)
		case *syntax.ArithmExp:
			b.r.inside(p)
			b.add(mark)
		case *syntax.ProcSubst:
			b.add(markOf(b.r.substitute(p.Stmts))) // a path: what is read from it is not followed
		case *syntax.ExtGlob:
			b.add(p.Op.String() + p.Pattern.Value + ")")
		case *syntax.BraceExp:
			b.add(mark)
		}
	}
}

// unquote follows the backslashes of $'…'. What Go does not write the same way is
// unknown.
func unquote(p *syntax.SglQuoted) string {
	if !p.Dollar || !strings.Contains(p.Value, `\`) {
		return p.Value
	}
	text := strings.ReplaceAll(strings.ReplaceAll(p.Value, `\'`, "'"), `"`, `\"`)
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(text, "\n", `\n`) + `"`)
	if err != nil {
		return markGit
	}
	return text
}

func (b *builder) lit(s string, quoted, first bool) {
	if first && !quoted && strings.HasPrefix(s, "~") {
		// A home folder is not known here.
		b.add(mark)
		s = strings.TrimLeft(s[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-+")
	}
	b.has = b.has || s != ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
			c = s[i]
		}
		b.cur = append(b.cur, c)
	}
}

// values adds what an expansion gives: several fields where it stands alone or
// unquoted.
func (b *builder) values(list []string, quoted bool) {
	for i, s := range list {
		switch {
		case i > 0 && b.whole:
			b.add(" ")
		case i > 0:
			b.flush()
			b.has = true
		}
		if quoted || b.whole {
			b.add(s)
		} else {
			b.split(s)
		}
	}
}

// split adds an unquoted value, cut where the shell cuts it.
func (b *builder) split(s string) {
	checkSize(len(b.cur) + len(s))
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(" \t\n", s[i]) >= 0 {
			b.flush()
			continue
		}
		b.cur = append(b.cur, s[i])
		b.has = true
	}
}

// param is the value of $name and ${name…}: one text, or the fields of "$@". A
// variable that this text does not set may still be set around it.
func (r *reader) param(p *syntax.ParamExp) []string {
	if p.Param == nil {
		return []string{mark}
	}
	word := ""
	if p.Exp == nil {
		r.inside(p) // what runs in ${a[$(x)]}, ${a:$(x)} and ${a/$(x)/$(y)}
	} else {
		word = r.one(p.Exp.Word)
	}
	name := p.Param.Value
	if name == "@" || name == "*" {
		return r.allParams()
	}
	value, known := r.lookup(name)
	switch {
	case p.Excl:
		return []string{markGit} // the value of any variable
	case p.Exp != nil && known && value != "" && !hasMark(value) && fillsEmpty(p.Exp.Op):
		return []string{value}
	case p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil:
		return []string{markOf(value, word)}
	case !known || p.Length || p.Names != 0 || p.Width:
		return []string{mark}
	}
	return []string{value}
}

// fillsEmpty tells an operator that leaves a value as it is, if there is one.
func fillsEmpty(op syntax.ParExpOperator) bool {
	return op >= syntax.DefaultUnset && op <= syntax.AssignUnsetOrNull
}

func (r *reader) allParams() []string {
	if r.params == nil {
		return []string{mark}
	}
	return r.params
}

func (r *reader) lookup(name string) (value string, known bool) {
	if v, ok := r.vars[name]; ok {
		return v.text, v.text != "" || !v.exported
	}
	n, err := strconv.Atoi(name)
	switch {
	case name == "_unknowngit": // see spellMarks
		return markGit, true
	case name == "PWD":
		return r.dir, r.dir != ""
	case err != nil || n == 0 || r.params == nil:
		return "", false
	case n > len(r.params):
		return "", true
	}
	return r.params[n-1], true
}
