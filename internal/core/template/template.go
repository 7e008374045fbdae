// Package template puts values into texts: ${NAME} is a variable, $$ a dollar, and all
// else stays as it is.
package template

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// special is all that means something in a template: a dollar, a variable, and one that
// is never closed.
var special = lazy.Pattern{Text: `\$\$|\$\{[^}\n]*\}|\$\{`}

// Variable is one as it is written in a template.
type Variable struct {
	At      int
	Written string
	Name    string // "": it has none, or is never closed
}

// Find lists the variables of a template.
func Find(template string) (all []Variable) {
	for _, found := range special.Get().FindAllStringIndex(template, -1) {
		if written := template[found[0]:found[1]]; written != "$$" {
			all = append(all, Variable{found[0], written, nameOf(written)})
		}
	}
	return all
}

func nameOf(written string) string {
	return strings.TrimSuffix(strings.TrimPrefix(written, "${"), "}")
}

// Render puts values into a template. They are taken as they are: nothing in
// them is expanded, and what comes from outside must be fenced by the caller. A
// variable without a value stays as it was written.
func Render(template string, vars map[string]string) string {
	return special.Get().ReplaceAllStringFunc(template, func(written string) string {
		value, isKnown := vars[nameOf(written)]
		switch {
		case written == "$$":
			return "$"
		case isKnown && nameOf(written) != "":
			return value
		}
		return written
	})
}

// Insert puts a value into a template that stays one.
func Insert(template, name, value string) string {
	return special.Get().ReplaceAllStringFunc(template, func(written string) string {
		if nameOf(written) == name {
			return value
		}
		return written
	})
}

// Uses tells whether a template has one of some variables.
func Uses(template string, names ...string) bool {
	return slices.ContainsFunc(Find(template), func(v Variable) bool { return slices.Contains(names, v.Name) })
}
