package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/template"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// use is where a template is used.
type use int

const (
	inPrompts use = 1 << iota // of stages
	inJudges                  // of the strategy judge
	inChoices                 // of the judge of a parallel block
	lenient                   // unknown variables stay: the template was not written for warp

	inFolders = inPrompts | lenient // prompts of stage folders
)

// variables are the names that templates may use, by place. ${command.NAME} is another.
var variables = map[use][]string{
	inPrompts | inJudges | inChoices: {"SESSION", "SESSION_NAME", "STAGE", "TASK", "CONTEXT", "RUN_DIR", "COMMANDS", "RESULT"},
	inPrompts | inJudges:             {"ITERATION", "INDEX", "RUNS", "PROGRESS", "PROGRESS_FILE"},
	inPrompts:                        {"ITEM_ID", "ITEM", "INPUTS", "OUTPUT", "CTX", "STATUS"},
	inJudges:                         {"HISTORY"},
	inChoices:                        {"CANDIDATES"},
}

// commandPrefix begins the names of variables that hold commands.
const commandPrefix = "command."

// Vars returns the variables that the file itself defines.
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

// checkTemplate reports unknown variables.
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
