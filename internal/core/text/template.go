package text

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// special matches everything with a meaning in a template: a dollar ($$), a variable (${NAME}), and
// one that is never closed. Everything else stays.
var special = lazy.Pattern{Text: `\$\$|\$\{[^}\n]*\}|\$\{`}

// Variable is one as written in a template.
type Variable struct {
	At      int
	Written string
	Name    string // "" if it has none or is never closed
}

// FindVariables lists the variables of a template.
func FindVariables(template string) (all []Variable) {
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

// Render puts values into a template. They are inserted literally: nothing in them is expanded, and
// the caller must fence untrusted text. A variable without a value stays as written.
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

// SetVariable puts one value into a template, which stays a template.
func SetVariable(template, name, value string) string {
	return special.Get().ReplaceAllStringFunc(template, func(written string) string {
		if nameOf(written) == name {
			return value
		}
		return written
	})
}

// UsesVariable reports whether a template has one of these variables.
func UsesVariable(template string, names ...string) bool {
	return slices.ContainsFunc(FindVariables(template), func(v Variable) bool { return slices.Contains(names, v.Name) })
}
