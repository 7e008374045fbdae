package command

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func joinWords(args []string) string { return strings.Join(args, " ") }

// hideMarks converts arguments to the form that Act holds.
func hideMarks(args []string) []string {
	out := slices.Clone(args)
	for i, a := range args {
		if hasMark(a) {
			out[i] = dynamic
		}
	}
	return out
}

// hasPattern reports whether the shell or git may expand a word to several files.
func hasPattern(word string) bool { return strings.ContainsAny(word, "*?[") }

const (
	maxBraces  = 256
	defaultIFS = " \t\n"
)

// fields expands words to a program's arguments, with marks for parts made at run time, and notes
// the acts of substitutions.
func (w walker) fields(words []*syntax.Word) (out []string) {
	for _, word := range words {
		split := *word // keep the parsed tree unchanged
		syntax.SplitBraces(&split)
		list := w.spread(nil, &split)
		if len(list) > maxBraces {
			list, out = nil, append(out, markGit+markList+markSplit)
		}
		for _, word := range list {
			out = append(out, w.expand(word)...)
		}
	}
	return out
}

// spread expands {a,b} in a word. A sequence {1..3} stays: its words are unknown.
func (w walker) spread(out []*syntax.Word, word *syntax.Word) []*syntax.Word {
	defer w.enter()()
	for i, p := range word.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok || b.Sequence {
			continue
		}
		for _, elem := range b.Elems {
			if len(out) <= maxBraces {
				out = w.spread(out, &syntax.Word{Parts: slices.Concat(word.Parts[:i], elem.Parts, word.Parts[i+1:])})
			}
		}
		return out
	}
	return append(out, word)
}

// expandOne expands a word without splitting it, such as a file name or a value.
func (w walker) expandOne(word *syntax.Word) string {
	b := builder{walker: w, whole: true}
	if word != nil {
		b.parts(word.Parts, false)
	}
	return string(b.cur)
}

// expand returns the arguments of a word without braces.
func (w walker) expand(word *syntax.Word) []string {
	b := builder{walker: w}
	b.parts(word.Parts, false)
	b.flush()
	return b.out
}

// builder assembles the arguments of a word.
type builder struct {
	walker
	out   []string
	cur   []byte
	has   bool // an argument has begun, perhaps an empty one
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
	defer b.enter()()
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
			b.values(b.param(p), quoted)
		case *syntax.CmdSubst:
			b.values([]string{b.substitute(p.Stmts)}, quoted)
		case *syntax.ArithmExp:
			b.inside(p)
			b.add(mark)
		case *syntax.ProcSubst:
			b.add(b.substituteProcess(p))
		case *syntax.ExtGlob:
			b.add(p.Op.String() + p.Pattern.Value + ")")
		case *syntax.BraceExp:
			b.add(mark + markList + markSplit)
		}
	}
}

// unquote interprets the backslashes of $'…'. An escape that Go writes differently is unknown.
func unquote(p *syntax.SglQuoted) string {
	if !p.Dollar || !strings.Contains(p.Value, `\`) {
		return p.Value
	}
	escaped := strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `\"`, `\?`, `?`, `"`, `\"`, "\n", `\n`).Replace(p.Value)
	text, err := strconv.Unquote(`"` + escaped + `"`)
	if err != nil || strings.Contains(text, "\x00") { // bash ends the text there, zsh the word
		return markGit + p.Value
	}
	return text
}

func (b *builder) lit(s string, quoted, first bool) {
	if first && !quoted && strings.HasPrefix(s, "~") {
		// The home folder is unknown here.
		b.add(mark)
		s = strings.TrimLeft(s[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-+")
	}
	b.has = b.has || s != ""
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.cur = append(b.cur, s[i])
	}
}

// values adds the result of an expansion: several fields if it is a list or unquoted.
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

// split adds an unquoted value, split as the shell does.
func (b *builder) split(s string) {
	checkSize(len(b.cur) + len(s))
	ifs := joinWords(b.vars["IFS"].list)
	if hasMark(ifs) && s != "" {
		s = markOf(s)
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(ifs, s[i]) >= 0 {
			b.flush()
			continue
		}
		b.cur = append(b.cur, s[i])
		if b.has = true; hasMark(s[i:i+1]) && !hasMark(s[i+1:min(i+2, len(s))]) {
			b.cur = append(b.cur, markSplit...)
		}
	}
}

// param returns the value of $name and ${name…}: one text, or the fields of a list. A variable that
// this text does not set may still come from outside.
func (b *builder) param(p *syntax.ParamExp) []string {
	word := ""
	if p.Exp == nil {
		b.inside(p) // runs the substitutions in ${a[$(x)]}, ${a:$(x)} and ${a/$(x)/$(y)}
	} else {
		word = b.expandOne(p.Exp.Word)
	}
	list, known := b.lookup(p)
	if p.Excl && len(list) > 0 {
		list = b.vars[list[0]].list
		known = len(list) > 0
	}
	value := joinWords(list)
	set := known && value != "" && !hasMark(value)
	switch {
	case p.Exp != nil && set && p.Exp.Op >= syntax.DefaultUnset && p.Exp.Op <= syntax.AssignUnsetOrNull:
		return list // it is set, so the default is unused
	case p.Exp != nil && (set || word == "") && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull):
		return []string{word}
	case p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull:
		return []string{markOneOf(value, word)}
	case p.Exp != nil || p.Slice != nil || p.Repl != nil:
		if known && !hasMark(value) {
			word += markList // a part of a known text may be any of its words
		}
		return []string{markOf(value, word)}
	case !known && p.Param.Value == "@":
		return []string{mark + markList + markSplit}
	case !known && hasWord("* OLDPWD HOME", p.Param.Value):
		return []string{mark + markList}
	case !known || p.Length || p.Names != 0 || p.Width:
		return []string{mark}
	}
	return list
}

// lookup returns what a parameter holds, and whether that is known.
func (b *builder) lookup(p *syntax.ParamExp) (list []string, known bool) {
	name, at := p.Param.Value, "0"
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		name, at = "@", strconv.Itoa(n-1)
	} else if name == "@" || name == "*" {
		name, at = "@", "@"
	} else if p.Index != nil {
		at = ""
		if w, ok := p.Index.(*syntax.Word); ok {
			at = w.Lit()
		}
	}
	v := b.vars[name]
	n, err := strconv.Atoi(at)
	switch {
	case v.list == nil && name == "PWD" && b.dir != "":
		return []string{b.dir}, true
	case v.list == nil || len(v.list) == 0 && name != "@":
		return nil, v.list != nil
	case at == "@" || at == "*":
		return v.list, true
	case err != nil || n < 0 || slices.ContainsFunc(v.list[:min(uint(n), uint(len(v.list)))], maySplit):
	case n < len(v.list):
		return v.list[n : n+1], true
	case name == "@":
		return []string{""}, true
	}
	return []string{markOf(v.list...)}, true
}
