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

// joinWords is the arguments as one text.
func joinWords(args []arg) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.s
	}
	return strings.Join(words, " ")
}

// texts are arguments as Act gives them.
func texts(args []arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a.s; hasMark(a.s) {
			out[i] = dynamic
		}
	}
	return out
}

func anySplit(args []arg) bool {
	for _, a := range args {
		if a.split {
			return true
		}
	}
	return false
}

// fields expands words to arguments, and notes the acts of the substitutions.
func (r *reader) fields(words []*syntax.Word) []arg {
	out := make([]arg, 0, len(words))
	for _, w := range words {
		split := *w // the tree stays as it was parsed
		if !syntax.SplitBraces(&split) {
			out = append(out, r.expand(w)...)
			continue
		}
		list := r.spread(nil, &split)
		if len(list) > maxBraces {
			list = nil
			out = append(out, arg{s: markGit, split: true})
		}
		for _, w := range list {
			out = append(out, r.expand(w)...)
		}
	}
	return out
}

const maxBraces = 256

// spread expands {a,b} in a word. A sequence {1..3} stays: its words are unknown.
func (r *reader) spread(out []*syntax.Word, w *syntax.Word) []*syntax.Word {
	r.enter()
	defer r.leave()
	for i, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok || b.Sequence {
			continue
		}
		for _, elem := range b.Elems {
			r.spend()
			if len(out) > maxBraces {
				return out
			}
			parts := make([]syntax.WordPart, 0, len(w.Parts)+len(elem.Parts))
			parts = append(append(append(parts, w.Parts[:i]...), elem.Parts...), w.Parts[i+1:]...)
			out = r.spread(out, &syntax.Word{Parts: parts})
		}
		return out
	}
	return append(out, w)
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
	checkSize(len(b.cur) + len(s))
	b.cur = append(b.cur, s...)
	b.has = true
}

func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	b.r.spend()
	b.r.enter()
	defer b.r.leave()
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.lit(p.Value, quoted, i == 0 && len(b.cur) == 0)
		case *syntax.SglQuoted:
			if p.Dollar {
				b.add(unescape(p.Value))
			} else {
				b.add(p.Value)
			}
		case *syntax.DblQuoted:
			b.has = b.has || !isEmptyList(p)
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.values(b.r.param(p), quoted)
		case *syntax.CmdSubst:
			b.values([]string{b.r.substitute(p.Stmts)}, quoted)
		case *syntax.ArithmExp:
			if p.X != nil {
				b.r.inside(p.X)
			}
			b.add(mark)
		case *syntax.ProcSubst:
			b.add(b.r.substituteProcess(p))
		case *syntax.ExtGlob:
			b.add(p.Op.String() + p.Pattern.Value + ")")
			b.a.glob = true
		case *syntax.BraceExp:
			b.add(mark)
			b.a.split = true
		}
	}
}

// isEmptyList tells "$@" and "${a[@]}", which may be no argument at all.
func isEmptyList(q *syntax.DblQuoted) bool {
	if len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || index(p) == "@")
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
	ifs := " \t\n"
	if v, ok := b.r.vars["IFS"]; ok && len(v.list) > 0 {
		if ifs = v.list[0]; hasMark(ifs) && s != "" {
			s = markOf(s)
		}
	}
	b.a.glob = b.a.glob || strings.ContainsAny(s, "*?[")
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(ifs, s[i]) >= 0 {
			b.flush()
			continue
		}
		b.a.split = b.a.split || s[i] <= 2
		b.cur = append(b.cur, s[i])
		b.has = true
	}
}
