package pipeline

import (
	_ "embed"
	"slices"
	"strings"

	"warp/internal/core/template"
)

// What agents are asked for: ${RESULT} in prompts of stages, of the strategy
// judge, and of a parallel block's judge. Load puts them in, so they hold no "$".
var (
	//go:embed ask/result.md
	result string
	//go:embed ask/judge-result.md
	judgeResult string
	//go:embed ask/choice-result.md
	choiceResult string
)

// The prompts of judges that have none of their own.
var (
	//go:embed ask/judge-prompt.md
	judgePrompt string
	//go:embed ask/choice-prompt.md
	choicePrompt string
)

// completePrompt has the prompt of a stage ask for a result, unless it names the file of
// the result itself, and tell the context.
func (s *Stage) completePrompt() {
	if s.Prompt == "" {
		return
	}
	if s.Context != "" && !template.Uses(s.Prompt, "CONTEXT", "TASK") {
		s.Prompt = strings.TrimRight(s.Prompt, "\n") + "\n\nContext: ${CONTEXT}\n"
	}
	if template.Uses(s.Prompt, "STATUS") && !template.Uses(s.Prompt, "RESULT") || s.ResultIsFile && template.Uses(s.Prompt, "RESULT") {
		return
	}
	s.Prompt = askFor(result, s.Prompt)
}

// Brief is the task as the agents of a stage are told it: with the context and the files
// to begin with, where nothing else tells them.
func (p *Pipeline) Brief(s *Stage, task string) string {
	if s.Context != "" && !template.Uses(s.Prompt, "CONTEXT") {
		task += "\n\nContext: " + s.Context
	}
	if len(p.Initial) > 0 && !p.handsOut() {
		task += "\n\nRead these files first:\n- " + strings.Join(p.Initial, "\n- ")
	}
	return task
}

// Given are the files to begin with that a stage gets: all of them, unless others ask
// for them and it does not.
func (p *Pipeline) Given(s *Stage) []string {
	if p.handsOut() && !slices.ContainsFunc(s.Inputs, func(in Input) bool { return in.Initial }) {
		return nil
	}
	return p.Initial
}

// handsOut tells whether some stages get the files that the session was given: then no
// others do.
func (p *Pipeline) handsOut() bool {
	for s := range p.eachStage() {
		if slices.ContainsFunc(s.outsideInputs(), func(in Input) bool { return in.Initial }) {
			return true
		}
	}
	return false
}

// askFor puts the request for a result where a prompt names it, or at its end.
func askFor(result, prompt string) string {
	if !template.Uses(prompt, "RESULT") {
		return strings.TrimRight(prompt, "\n") + "\n\n" + result
	}
	return template.Insert(prompt, "RESULT", result)
}
