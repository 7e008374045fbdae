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

// fields expands words to a program's arguments, with marks for parts made at run time, and notes
// the acts of substitutions. What braces make is unknown, except for what is before them.
func (w walker) fields(words []*syntax.Word) (out []string) {
	for _, word := range words {
		split := *word // keep the parsed tree unchanged
		syntax.SplitBraces(&split)
		if !slices.ContainsFunc(split.Parts, func(p syntax.WordPart) bool { _, ok := p.(*syntax.BraceExp); return ok }) {
			out = append(out, w.expand(word)...)
			continue
		}
		text, m := w.expandOne(word, false), mark
		paths := strings.NewReplacer("{", "", ",", "/", "}", "").Replace(text)
		if isGuarded(paths) || text[0] == '{' && namesGit(text) || containsAny(text, "{*,", ",*,", ",*}", markGit) {
			m = markGit
		}
		before, _, _ := strings.Cut(text, "{")
		out = append(out, before+m+markList+markSplit)
	}
	return out
}

// expandOne expands a word without splitting it, such as a file name, a value or a here-document.
func (w walker) expandOne(word *syntax.Word, quoted bool) string {
	b := builder{walker: w, whole: true}
	if word != nil {
		b.parts(word.Parts, quoted)
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
		case *syntax.ProcSubst:
			b.add(b.substituteProcess(p))
		default: // arithmetic, or a pattern of bash's
			b.inside(p)
			b.add(mark)
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

// split adds an unquoted value, split as the shell does. With other separators than usual the
// arguments are unknown.
func (b *builder) split(s string) {
	checkSize(len(b.cur) + len(s))
	if joinWords(b.vars["IFS"].list) != defaultIFS && s != "" {
		s = markOf(s)
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(defaultIFS, s[i]) >= 0 {
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
// this text does not set may still come from outside, and what an operator makes is unknown.
func (b *builder) param(p *syntax.ParamExp) []string {
	word := ""
	if p.Exp == nil {
		b.inside(p) // runs the substitutions in ${a[$(x)]}, ${a:$(x)} and ${a/$(x)/$(y)}
	} else {
		word = b.expandOne(p.Exp.Word, false)
	}
	list, known := b.lookup(p)
	isSet := known && strings.Join(list, "") != "" && !hasMark(joinWords(list))
	switch {
	case p.Excl:
		return []string{markGit} // the name of another variable
	case p.Exp != nil && (isSet || word == "") && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull):
		return []string{word}
	case p.Exp != nil && isSet && p.Exp.Op >= syntax.DefaultUnset && p.Exp.Op <= syntax.AssignUnsetOrNull:
		return list
	case p.Exp != nil || p.Slice != nil || p.Repl != nil:
		if known && (p.Exp == nil || p.Exp.Op > syntax.AssignUnsetOrNull) {
			word += markList // a part of a known text may be any of its words
		}
		return []string{markOf(append(slices.Clone(list), word)...)}
	case !known || p.Length || p.Names != 0 || p.Width:
		return []string{mark}
	}
	return list
}

// lookup returns what a parameter holds, and whether that is known.
func (b *builder) lookup(p *syntax.ParamExp) (list []string, known bool) {
	name, params := p.Param.Value, b.vars["@"].list
	v := b.vars[name].list
	n, err := strconv.Atoi(name)
	switch {
	case params == nil && name == "@":
		return []string{mark + markList + markSplit}, true
	case name == "@" || name == "*":
		return params, params != nil
	case err == nil && n > 0:
		if n > len(params) || slices.ContainsFunc(params[:n], maySplit) {
			return []string{markOf(params...)}, len(params) > 0
		}
		return params[n-1 : n], true
	case v == nil && name == "PWD" && b.dir != "":
		return []string{b.dir}, true
	case len(v) == 0:
		return nil, v != nil
	case p.Index == nil:
		return v[:1], true
	}
	if w, ok := p.Index.(*syntax.Word); ok && hasWord("@ *", w.Lit()) {
		return v, true
	}
	return []string{markOf(v...)}, true
}
