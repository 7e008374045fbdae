package pipeline

import (
	"slices"
	"strings"

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

// promptVariable is a name that templates may use.
type promptVariable struct {
	Name, Meaning string
	in            use
}

// variables are all of them, but for ${command.NAME}.
func variables() []promptVariable {
	return []promptVariable{
		{"SESSION", "the session's name", inPrompts | inJudges | inChoices},
		{"SESSION_NAME", "the same as `${SESSION}`", inPrompts | inJudges | inChoices},
		{"STAGE", "the stage's id", inPrompts | inJudges | inChoices},
		{"TASK", "what the session was started for", inPrompts | inJudges | inChoices},
		{"CONTEXT", "the stage's `context`; where a prompt does not name it, it is put behind the task", inPrompts | inJudges | inChoices},
		{"ITERATION", "the number of this iteration, from 1", inPrompts | inJudges},
		{"INDEX", "the number of this iteration, from 0", inPrompts | inJudges},
		{"RUNS", "how many iterations there are at most", inPrompts | inJudges},
		{"ITEM_ID", "the id of the queue's next item", inPrompts},
		{"ITEM", "the text of that item, fenced", inPrompts},
		{"INPUTS", "the paths of the outputs that `inputs` selects, one a line", inPrompts},
		{"PROGRESS", "the path of the stage's progress file", inPrompts | inJudges},
		{"PROGRESS_FILE", "the same as `${PROGRESS}`", inPrompts | inJudges},
		{"OUTPUT", "the path to write the output to, which later stages read; outside of the project, with the output so far", inPrompts},
		{"CTX", "the path of the iteration's [context.json](#contextjson)", inPrompts},
		{"STATUS", "the path to write the iteration's [status](#status-and-result) to, instead of giving a result", inPrompts},
		{"RUN_DIR", "the path of the session's folder", inPrompts | inJudges | inChoices},
		{"COMMANDS", "the pipeline's commands, one a line", inPrompts | inJudges | inChoices},
		{"HISTORY", "the results of the iterations so far", inJudges},
		{"CANDIDATES", "the ids and paths of the outputs to choose from, one a line", inChoices},
		{"RESULT", "the result that is asked for; put at the end of a prompt that does not name it", inPrompts | inJudges | inChoices},
	}
}

// commandPrefix begins the names of variables that are commands.
const commandPrefix = "command."

// piece is a part of a template: a text, or a variable as it was written.
type piece struct {
	text     string
	variable bool
	name     string // of a variable that is closed
	at       int
}

// pieces takes a template apart. Only "${" and "$$" mean something.
func pieces(template string) []piece {
	var all []piece
	start := 0
	for i := 0; i+1 < len(template); i++ {
		if template[i] != '$' {
			continue
		}
		switch template[i+1] {
		case '$':
			all = append(all, piece{text: template[start : i+1], at: start})
			i++
			start = i + 1
		case '{':
			end, name := i+2, ""
			if stop := strings.IndexAny(template[end:], "}\n"); stop >= 0 && template[end+stop] == '}' {
				name = template[end : end+stop]
				end += stop + 1
			}
			all = append(all, piece{text: template[start:i], at: start}, piece{template[i:end], true, name, i})
			i, start = end-1, end
		}
	}
	return append(all, piece{text: template[start:], at: start})
}

// Render puts values into a template. They are taken as they are: nothing in
// them is expanded, and what comes from outside must be fenced by the caller. A
// variable without a value stays as it was written.
func Render(template string, vars map[string]string) string {
	var b strings.Builder
	for _, p := range pieces(template) {
		if value, ok := vars[p.name]; ok && p.name != "" {
			b.WriteString(value)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Uses tells whether a template has one of some variables.
func Uses(template string, names ...string) bool {
	return slices.ContainsFunc(pieces(template), func(p piece) bool { return p.name != "" && slices.Contains(names, p.name) })
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
	var known []string
	for _, v := range variables() {
		if v.in&in&^lenient != 0 {
			known = append(known, v.Name)
		}
	}
	for _, c := range r.commands {
		known = append(known, commandPrefix+c.Name)
	}
	for _, p := range pieces(template) {
		if !p.variable || len(r.problems) == mostProblems {
			continue
		}
		switch where := at.locate(template, p.at, p.text); {
		case in&lenient != 0 && (p.text == "${" || text.Nearest(p.name, known) == ""):
		case p.text == "${":
			r.say(where, "${ is never closed; write $${ for the characters themselves")
		case !slices.Contains(known, p.name):
			r.say(where, "there is no variable %q%s", p.name, hint(p.name, known))
		}
	}
}

// hint says what to do about a name that is not known.
func hint(name string, known []string) string {
	if slices.ContainsFunc(variables(), func(v promptVariable) bool { return v.Name == name }) {
		return " here"
	}
	if near := text.DidYouMean(name, known); near != "" {
		return near
	}
	return "; write $${ for the characters themselves"
}
