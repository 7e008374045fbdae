package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param is the value of $name and ${name…}: one text, or the fields of a list.
func (r *reader) param(p *syntax.ParamExp) []string {
	if p.Param == nil {
		return []string{mark}
	}
	if p.Exp == nil {
		r.inside(p) // what runs in ${a[$(x)]}, ${a:$(x)} and ${a/$(x)/$(y)}
	}
	list, known := r.lookup(p)
	switch {
	case p.Exp != nil:
		return r.expansion(p.Exp, list, known)
	case p.Excl && len(list) > 0:
		if v, ok := r.vars[list[0]]; ok {
			return v.list
		}
		return []string{mark}
	case p.Slice != nil || p.Repl != nil:
		return []string{markOf(list...)}
	case !known || p.Length || p.Names != 0 || p.Width:
		return []string{mark}
	}
	return list
}

func index(p *syntax.ParamExp) string {
	if w, ok := p.Index.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

func (r *reader) lookup(p *syntax.ParamExp) (list []string, known bool) {
	name := p.Param.Value
	n, err := strconv.Atoi(name)
	switch {
	case r.params == nil:
	case name == "@" || name == "*":
		for _, a := range r.params {
			list = append(list, a.s)
		}
		return list, true
	case err == nil && n > len(r.params):
		return []string{""}, true
	case err == nil && n > 0:
		return []string{r.params[n-1].s}, true
	}
	v, ok := r.vars[name]
	switch {
	case !ok && name == "_unknowngit": // see spellMarks
		return []string{markGit}, true
	case !ok && name == "IFS":
		return []string{" "}, true
	case !ok && name == "PWD" && r.dir != "":
		return []string{r.dir}, true
	case !ok || len(v.list) == 0:
		return nil, ok && !v.exported
	}
	at := index(p)
	n, err = strconv.Atoi(at)
	switch {
	case at == "@" || at == "*":
		return v.list, true
	case p.Index == nil:
		return v.list[:1], true
	case err == nil && n >= 0 && n < len(v.list):
		return v.list[n : n+1], true
	}
	return []string{markOf(v.list...)}, true
}

// expansion is ${name op word}. A variable that this text does not set may still
// be set around it.
func (r *reader) expansion(e *syntax.Expansion, list []string, known bool) []string {
	word := r.one(e.Word).s
	value := strings.Join(list, " ")
	set := known && value != "" && !hasMark(value)
	switch e.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if set || word == "" {
			return []string{word}
		}
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if set {
			return list
		}
	}
	return []string{markOf(value, word)}
}
