package pipeline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/pipeline/library"
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
)

// variables are the names that templates may use, by place. ${command.NAME} is another.
var variables = map[use][]string{
	inPrompts | inJudges | inChoices: {"SESSION", "SESSION_NAME", "STAGE", "TASK", "CONTEXT", "RUN_DIR", "COMMANDS", "RESULT"},
	inPrompts | inJudges:             {"ITERATION", "INDEX", "RUNS", "PROGRESS", "PROGRESS_FILE"},
	inPrompts:                        {"ITEM_ID", "ITEM", "INPUTS", "OUTPUT", "CTX", "STATUS"},
	inJudges:                         {"HISTORY"},
	inChoices:                        {"CANDIDATES"},
}

// Vars returns the variables that the file itself defines.
func (p *Pipeline) Vars() map[string]string {
	vars := map[string]string{"COMMANDS": ""}
	for _, c := range p.Commands {
		vars["command."+c.Name] = c.Line
		vars["COMMANDS"] += "\n- " + c.Name + ": " + c.Line
	}
	vars["COMMANDS"] = strings.TrimPrefix(vars["COMMANDS"], "\n")
	return vars
}

// completePrompts checks the prompts of a stage and its judges, and adds the request for a result to
// each; to a stage's also the context. A judge has a prompt of the library if it has none.
func (r *reader) completePrompts(s *Stage) {
	for _, j := range []struct {
		*Judge
		in   use
		kind string
	}{{s.Judge, inJudges, "judge"}, {s.block().Judge, inChoices, "choice"}} {
		if j.Judge != nil {
			j.Prompt = cmp.Or(j.Prompt, library.Prompt(j.kind+"-prompt"))
			r.checkTemplate(j.Node, j.Prompt, j.in)
			j.Prompt = askFor(j.kind+"-result", j.Prompt)
		}
	}
	if s.Prompt == "" {
		return
	}
	in, hasResult := inPrompts, text.UsesVariable(s.Prompt, "RESULT")
	if s.ResultIsFile = r.folders[s.Node.Get("prompt")]; s.ResultIsFile {
		in |= lenient
	}
	r.checkTemplate(s.Node, s.Prompt, in)
	if s.Context != "" && !text.UsesVariable(s.Prompt, "CONTEXT", "TASK") {
		s.Prompt = strings.TrimRight(s.Prompt, "\n") + "\n\nContext: ${CONTEXT}\n"
	}
	if isFileNamed := hasResult && s.ResultIsFile || !hasResult && text.UsesVariable(s.Prompt, "STATUS"); !isFileNamed {
		s.Prompt = askFor("result", s.Prompt)
	}
}

// askFor inserts a request for a result where a prompt names it, or at its end. The prompt stays a
// template, so the request must not contain "$".
func askFor(request, prompt string) string {
	if !text.UsesVariable(prompt, "RESULT") {
		prompt = strings.TrimRight(prompt, "\n") + "\n\n${RESULT}"
	}
	return text.SetVariable(prompt, "RESULT", library.Prompt(request))
}

// checkTemplate reports unknown variables in the prompt of a mapping.
func (r *reader) checkTemplate(n *yamltree.Node, prompt string, in use) {
	known := slices.Collect(maps.Keys(r.Vars()))
	for where, names := range variables {
		if where&in != 0 {
			known = append(known, names...)
		}
	}
	for _, v := range text.FindVariables(prompt) {
		near := text.DidYouMean(v.Name, known)
		isAllowed := slices.Contains(known, v.Name) || in&lenient != 0 && near == ""
		if !isAllowed && !r.IsFull() {
			r.Report(n.Where("prompt").Locate(prompt, v.At, v.Written), "%s is not a variable here%s", text.Flat(v.Written), cmp.Or(near, "; write $${ for the characters themselves"))
		}
	}
}
