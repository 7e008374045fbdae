package session

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/learning"
	"warp/internal/core/template"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// prompt returns the prompt of an iteration's agent.
func (b *iterating) prompt(it Iteration, o opening) string {
	vars := b.run.vars(b.unit, b.dir)
	vars["ITERATION"], vars["INDEX"] = strconv.Itoa(it.Number), strconv.Itoa(it.Number-1)
	vars["CTX"] = b.run.reads.shownPath(b.dir, b.unit.pathOf(contextFile))
	if o.Desk != "" {
		d := b.desk(o)
		vars["OUTPUT"], vars["STATUS"], vars["RESULT"] = d.path(outputFile), d.path(statusFile), d.path(resultFile)
	}
	vars["ITEM"], vars["ITEM_ID"] = "(there is no queue)", "(none)"
	if o.Item != nil {
		vars["ITEM"], vars["ITEM_ID"] = text.Fence(o.Item.Title+"\n\n"+o.Item.Text), o.Item.ID
	}
	prompt := template.Render(b.unit.stage.Prompt, vars)
	if said := b.unit.lastFailure(); said != "" {
		prompt += "\n\nAfter the last iteration the checks failed. Fix that first. Their output:\n" + text.Fence(said) + "\n"
	}
	if task := b.run.Task; b.unit.stage.ResultIsFile && task != "" && task != b.run.Name && !template.Uses(b.unit.stage.Prompt, "TASK") { // the prompt was not written for tasks
		prompt += "\n\nThe task of this session: " + vars["TASK"] + "\n"
	}
	if o.Item != nil && b.unit.stage.ResultIsFile && !template.Uses(b.unit.stage.Prompt, "ITEM", "ITEM_ID") { // the prompt does not know that items are assigned
		prompt += "\n\nYour item in this iteration is " + o.Item.ID + ". List it in work.items_completed when it is done:\n" + vars["ITEM"] + "\n"
	}
	if it.Again {
		prompt += "\n\nAn earlier run of this iteration was interrupted: look at what it left before you repeat anything.\n"
	}
	return prompt
}

// vars returns the variables of a unit's prompts. Paths are relative to the agent's folder if
// within it.
func (r *run) vars(u unit, dir string) map[string]string {
	vars := r.Plan.Vars()
	vars["SESSION"], vars["STAGE"], vars["TASK"], vars["RUNS"] = r.Name, u.stage.ID, r.reads.taskOf(u, dir), strconv.Itoa(u.stage.Runs)
	vars["PROGRESS"] = r.reads.shownPath(dir, r.files.path(u.progress))
	vars["SESSION_NAME"], vars["PROGRESS_FILE"], vars["CONTEXT"] = r.Name, vars["PROGRESS"], u.stage.Context
	vars["OUTPUT"] = r.reads.shownPath(dir, u.pathOf(outputFile))
	vars["RUN_DIR"] = r.reads.shownPath(dir, r.files.path("pipeline-runs/"+r.Name))
	vars["INPUTS"] = r.files.inputs(u, func(path string) string { return r.reads.shownPath(dir, path) }, r.reads.initial(dir))
	return vars
}

func relativeWithin(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// writeOutput writes the agent's answer as its output if it wrote none.
func (b *iterating) writeOutput(a step.Answer, said Report) error {
	words := strings.TrimSpace(a.Text)
	if json.Valid([]byte(words)) { // a JSON result is no text for the next stage
		words = strings.TrimSpace(said.Summary)
	}
	if b.outputHash() != "" || words == "" {
		return nil
	}
	return durable.WriteFile(b.unit.pathOf(outputFile), []byte(words+"\n"), 0o644)
}

// Report is an agent's report of its iteration.
type Report struct {
	Summary   string          `json:"summary"`
	Reasoning string          `json:"reasoning"`
	Plateau   bool            `json:"plateau"`
	Done      []string        `json:"items_completed"`
	Found     []string        `json:"items"` // work it came across
	Learnings []learning.Said `json:"learnings"`
	Lessons   []learning.Said `json:"lessons"`

	Unreadable bool `json:"-"` // there is no report; the summary says why
}

// ReportOf reads an agent's report. Without a result its text is the summary, and claims nothing; a
// failed run reports nothing.
func ReportOf(a step.Answer) (s Report) {
	if a.End != agent.Done {
		return s
	}
	if !a.Read(&s) {
		return Report{Summary: text.Opening(orNoAnswer(a.Text, a.Invalid)), Unreadable: a.Text == ""}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}

func orNoAnswer(said, otherwise string) string {
	return cmp.Or(said, otherwise, "no readable answer")
}
