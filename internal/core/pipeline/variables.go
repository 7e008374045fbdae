package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/template"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
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
func (r *reader) checkTemplate(p *Pipeline, at yamltree.Place, prompt string, in use) {
	var known []string
	for where, names := range variables {
		if where&in != 0 {
			known = append(known, names...)
		}
	}
	for _, c := range p.Commands {
		known = append(known, commandPrefix+c.Name)
	}
	for _, v := range template.Find(prompt) {
		near := text.DidYouMean(v.Name, known)
		isAllowed := slices.Contains(known, v.Name) || in&lenient != 0 && near == ""
		if !isAllowed && !r.IsFull() {
			r.Report(at.Locate(prompt, v.At, v.Written), "%s is not a variable here%s", text.Flat(v.Written), cmp.Or(near, "; write $${ for the characters themselves"))
		}
	}
}
