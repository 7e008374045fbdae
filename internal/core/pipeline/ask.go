package pipeline

import (
	_ "embed"
	"strings"

	"warp/internal/core/template"
)

// The requests for a result, which replace ${RESULT} in the prompts of stages, of the strategy
// judge, and of a parallel block's judge. Load inserts them, so they must not contain "$".
var (
	//go:embed ask/result.md
	result string
	//go:embed ask/judge-result.md
	judgeResult string
	//go:embed ask/choice-result.md
	choiceResult string
)

// The prompts of judges without one.
var (
	//go:embed ask/judge-prompt.md
	judgePrompt string
	//go:embed ask/choice-prompt.md
	choicePrompt string
)

// completePrompt adds the request for a result and the context to a stage's prompt, unless the
// prompt already names the result file.
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

// askFor inserts the request for a result where a prompt names it, or at its end.
func askFor(result, prompt string) string {
	if !template.Uses(prompt, "RESULT") {
		return strings.TrimRight(prompt, "\n") + "\n\n" + result
	}
	return template.Insert(prompt, "RESULT", result)
}
