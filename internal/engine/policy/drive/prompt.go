package drive

import (
	"fmt"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/prompt"
)

// Limits of what goes into a prompt, in characters. What the engine adds to the issue's own text
// stays under 4,000: approach and decisions are cut, and the failure gets the rest.
const (
	maxAdded     = 3_900
	maxFault     = 2_000
	maxApproach  = 600
	maxDecision  = 200
	maxDecisions = 3 // of each kind
	maxBody      = 30_000
	maxTestsSaid = 600
)

func issueText(i *subject) string {
	return text.Fence(fmt.Sprintf("#%s %s\n\n%s", i.id, i.Title, text.Clip(i.Body, maxBody)))
}

func criteriaText(list []drivestate.Criterion) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s: %s\n", c.ID, c.Text)
	}
	return text.Fence(b.String())
}

func planPrompt(i *subject, open []criteria.Criterion, most int) string {
	return prompt.Render("drive/plan", map[string]any{"Most": most, "Open": criteriaText(newSubject(i.Issue, open).criteria), "Issue": issueText(i)})
}

// verification is what a verifier is told besides the issue.
type verification struct {
	judged           []drivestate.Criterion
	diff             string
	cut              bool
	ignored, changed []string
	tests            string // what the tests said
	decisions        []evidence.Decision
	objection        string // of the work's author to the last verdict
}

func (v verification) prompt(i *subject) string {
	values := map[string]any{"Criteria": criteriaText(v.judged), "Diff": v.diff, "Cut": v.cut, "Ignored": strings.Join(v.ignored, "\n"), "Changed": strings.Join(v.changed, "\n"),
		"Tests": prompt.Clip(maxTestsSaid, v.tests), "Objection": prompt.Clip(maxFault, v.objection), "Issue": issueText(i)}
	addDecisions(values, v.decisions)
	return prompt.Render("drive/verify", values)
}

func conflictPrompt(i *subject, target string, files []string) string {
	return prompt.Render("drive/conflict", map[string]any{"Target": text.Visible(target), "Files": strings.Join(files, "\n"), "Issue": issueText(i)})
}

// codePrompt is the prompt of a coding agent.
type codePrompt struct {
	subject      *subject
	chunk        []drivestate.Criterion
	index, total int
	tests, took  string // the test command, and how long it takes
	approach     string
	decisions    []evidence.Decision
	fault        *fault
	attempt      int
	advice       string // hints about work that is not wrong
	seeds        bool   // seed data is checked
	resumed      bool   // sent in the conversation that has the issue already
}

func (p codePrompt) String() string {
	room := 0
	if p.fault != nil {
		room = min(len(text.Visible(p.fault.text)), maxFault)
	}
	if over := len(p.withoutIssue(room)) - len(criteriaText(p.chunk)) - maxAdded; over > 0 {
		room = max(room-over, len("…"))
	}
	words := p.withoutIssue(room)
	if !p.resumed {
		words += "\nThe whole issue:\n" + issueText(p.subject)
	}
	return words
}

func lastOf(list []string, most int) []string { return list[max(0, len(list)-most):] }

// withoutIssue returns the prompt without the issue's text. room limits the failure's text.
func (p codePrompt) withoutIssue(room int) string {
	values := map[string]any{"Criteria": criteriaText(p.chunk), "Index": p.index, "Total": p.total, "Attempt": p.attempt, "Fault": "",
		"Tests": prompt.Clip(200, p.tests), "Took": p.took, "Approach": prompt.Clip(maxApproach, p.approach), "Seeds": p.seeds, "Advice": prompt.Clip(maxApproach, p.advice)}
	if p.fault != nil {
		values["By"], values["Fault"] = prompt.Clip(200, text.FirstLine(p.fault.by)), text.Fence(prompt.Clip(room, p.fault.text))
	}
	addDecisions(values, p.decisions)
	return prompt.Render("drive/code", values)
}

// addDecisions adds what people decided, and the defaults that were taken for them.
func addDecisions(values map[string]any, decisions []evidence.Decision) {
	for _, d := range decisions {
		name, words := "Decided", prompt.Clip(maxDecision, d.Question)+"\n→ "+prompt.Clip(maxDecision, d.Answer)
		switch {
		case d.Question == "":
			name, words = "Said", prompt.Clip(maxDecision, d.Answer)
		case d.IsDefault():
			name = "Defaults"
		}
		list, _ := values[name].([]string)
		values[name] = lastOf(append(list, words), maxDecisions)
	}
}
