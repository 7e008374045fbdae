package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arg is one argument as the program would get it, with marks for what is made
// at run time.
type arg struct {
	s     string
	glob  bool // holds an unquoted pattern
	split bool // holds an unquoted mark: it may be several arguments, or none
}

// fields expands words to arguments, and notes the acts of the substitutions.
func (r *reader) fields(words []*syntax.Word) []arg {
	out := make([]arg, 0, len(words))
	for _, w := range words {
		if s, ok := plain(w); ok {
			r.spend()
			out = append(out, arg{s: s})
			continue
		}
		list := r.braces(w)
		if list == nil {
			out = append(out, arg{s: dynGit, split: true})
		}
		for _, w := range list {
			out = append(out, r.expand(w)...)
		}
	}
	return out
}

// plain is the short way for a word without anything to expand.
func plain(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\*?[{~") {
		return "", false
	}
	return lit.Value, true
}

// one expands a word that stays one, such as a file's name or a value.
func (r *reader) one(w *syntax.Word) arg {
	if w == nil {
		return arg{}
	}
	b := builder{r: r, whole: true}
	b.parts(w.Parts, false)
	b.flush()
	if len(b.out) == 0 {
		return arg{}
	}
	return b.out[0]
}

// expand gives the arguments of a word without braces.
func (r *reader) expand(w *syntax.Word) []arg {
	b := builder{r: r}
	b.parts(w.Parts, false)
	b.flush()
	return b.out
}

// builder puts the arguments of a word together.
type builder struct {
	r     *reader
	out   []arg
	cur   []byte
	a     arg
	has   bool // there is an argument, if an empty one
	whole bool // no splitting
}

func (b *builder) flush() {
	if b.has {
		b.a.s = string(b.cur)
		b.out = append(b.out, b.a)
	}
	b.cur, b.a, b.has = b.cur[:0], arg{}, false
}

func (b *builder) add(s string) {
	b.cur = append(b.cur, s...)
	b.has = true
}

func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	b.r.spend()
	b.r.enter()
	defer func() { b.r.depth-- }()
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.lit(p.Value, quoted, i == 0 && len(b.cur) == 0)
		case *syntax.SglQuoted:
			if b.has = true; p.Dollar {
				b.add(unescape(p.Value))
			} else {
				b.add(p.Value)
			}
		case *syntax.DblQuoted:
			b.has = b.has || !emptyList(p)
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.values(b.r.param(p), quoted)
		case *syntax.CmdSubst:
			b.values([]string{b.r.subst(p.Stmts)}, quoted)
		case *syntax.ArithmExp:
			if p.X != nil {
				b.r.inside(p.X)
			}
			b.add(dyn)
		case *syntax.ProcSubst:
			b.add(b.r.procSubst(p))
		case *syntax.ExtGlob:
			b.add(p.Op.String() + p.Pattern.Value + ")")
			b.a.glob = true
		}
	}
}

// emptyList tells "$@" and "${a[@]}", which may be no argument at all.
func emptyList(q *syntax.DblQuoted) bool {
	if len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || index(p) == "@")
}

func (b *builder) lit(s string, quoted, first bool) {
	if first && !quoted && strings.HasPrefix(s, "~") {
		// A home folder is not known here.
		b.add(dyn)
		s = strings.TrimLeft(s[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-+")
	}
	b.has = b.has || s != ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0):
			if i++; s[i] == '\n' {
				continue
			}
			c = s[i]
		case !quoted && (c == '*' || c == '?' || c == '['):
			b.a.glob = true
		}
		b.cur = append(b.cur, c)
	}
}

// values adds what an expansion gives: fields of its own where it stands alone
// or unquoted.
func (b *builder) values(list []string, quoted bool) {
	for i, s := range list {
		if i > 0 {
			b.next()
		}
		switch {
		case quoted || b.whole:
			b.add(s)
		default:
			b.split(s)
		}
	}
}

func (b *builder) next() {
	if b.whole {
		b.add(" ")
		return
	}
	b.flush()
	b.has = true
}

// split adds an unquoted value, cut where the shell cuts it.
func (b *builder) split(s string) {
	ifs := " \t\n"
	if v, ok := b.r.vars["IFS"]; ok && len(v.list) > 0 {
		if ifs = v.list[0]; untold(ifs) {
			s = remark(s)
		}
	}
	if strings.ContainsAny(s, "*?[") {
		b.a.glob = true
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(ifs, s[i]) >= 0 {
			b.flush()
			continue
		}
		if s[i] <= 2 {
			b.a.split = true
		}
		b.cur = append(b.cur, s[i])
		b.has = true
	}
}

// remark replaces a text by the mark that says as much as is known of it.
func remark(s string) string {
	switch {
	case s == "":
		return ""
	case mentionsGit(s) || strings.Contains(s, dynGit):
		return dynGit
	}
	return dyn
}
