package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// where a template is used.
type use int

const (
	inPrompts use = 1 << iota // of stages
	inJudges                  // of the strategy judge
	inChoices                 // of the judge of a parallel block
	lenient                   // what is not known stays as it is: it was not written for us

	inFolders = inPrompts | lenient // prompts of stage folders
)

// variables are the names that templates may use, by where. ${command.NAME} is one, too.
var variables = map[use][]string{
	inPrompts | inJudges | inChoices: {"SESSION", "SESSION_NAME", "STAGE", "TASK", "CONTEXT", "RUN_DIR", "COMMANDS", "RESULT"},
	inPrompts | inJudges:             {"ITERATION", "INDEX", "RUNS", "PROGRESS", "PROGRESS_FILE"},
	inPrompts:                        {"ITEM_ID", "ITEM", "INPUTS", "OUTPUT", "CTX", "STATUS"},
	inJudges:                         {"HISTORY"},
	inChoices:                        {"CANDIDATES"},
}

// commandPrefix begins the names of variables that are commands.
const commandPrefix = "command."

// special is all that means something in a template: a dollar, a variable, and one that
// is never closed.
var special = lazy.Pattern{Text: `\$\$|\$\{([^}\n]*)\}|\$\{`}

// variableName is the name in a variable as it was written; "": it is none.
func variableName(written string) string {
	name, isClosed := strings.CutSuffix(strings.TrimPrefix(written, "${"), "}")
	if !isClosed {
		return ""
	}
	return name
}

// Render puts values into a template. They are taken as they are: nothing in
// them is expanded, and what comes from outside must be fenced by the caller. A
// variable without a value stays as it was written.
func Render(template string, vars map[string]string) string {
	return special.Get().ReplaceAllStringFunc(template, func(written string) string {
		name := variableName(written)
		value, known := vars[name]
		switch {
		case written == "$$":
			return "$"
		case known && name != "":
			return value
		}
		return written
	})
}

// Uses tells whether a template has one of some variables.
func Uses(template string, names ...string) bool {
	return slices.ContainsFunc(special.Get().FindAllString(template, -1), func(written string) bool {
		return slices.Contains(names, variableName(written))
	})
}

// Vars are the values that the file itself has.
func (p *Pipeline) Vars() map[string]string {
	vars := map[string]string{}
	var lines []string
	for _, c := range p.Commands {
		vars[commandPrefix+c.Name] = c.Line
		lines = append(lines, "- "+c.Name+": "+c.Line)
	}
	vars["COMMANDS"] = strings.Join(lines, "\n")
	return vars
}

// checkTemplate reports variables that there are not.
func (r *reader) checkTemplate(at place, template string, in use) {
	var known, all []string
	for where, names := range variables {
		all = append(all, names...)
		if where&in != 0 {
			known = append(known, names...)
		}
	}
	for _, c := range r.commands {
		known = append(known, commandPrefix+c.Name)
	}
	for _, found := range special.Get().FindAllStringIndex(template, -1) {
		written := template[found[0]:found[1]]
		name := variableName(written)
		if written == "$$" || slices.Contains(known, name) || len(r.found) == mostProblems {
			continue
		}
		near := text.DidYouMean(name, known)
		switch where := at.locate(template, found[0], written); {
		case in&lenient != 0 && (written == "${" || near == ""):
		case written == "${":
			r.report(where, "${ is never closed; write $${ for the characters themselves")
		case slices.Contains(all, name):
			r.report(where, "there is no variable %q here", name)
		default:
			r.report(where, "there is no variable %q%s", name, cmp.Or(near, "; write $${ for the characters themselves"))
		}
	}
}
