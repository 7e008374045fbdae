package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/learning"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
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
	words := text.Render(b.unit.stage.Prompt, vars)
	if said := b.unit.lastFailure(); said != "" {
		words += "\n\nThe checks failed after the last iteration. Fix that first. Their output:\n" + text.Fence(said) + "\n"
	}
	if task := b.run.Task; b.unit.stage.ResultIsFile && task != "" && task != b.run.Name && !text.UsesVariable(b.unit.stage.Prompt, "TASK") { // the prompt was not written for tasks
		words += "\n\nThe task of this session: " + vars["TASK"] + "\n"
	}
	if o.Item != nil && b.unit.stage.ResultIsFile && !text.UsesVariable(b.unit.stage.Prompt, "ITEM", "ITEM_ID") { // the prompt does not know that items are assigned
		words += "\n\nYour item for this iteration is " + o.Item.ID + ". List it in work.items_completed when it is done:\n" + vars["ITEM"] + "\n"
	}
	if b.unit.member == nil && b.unit.isChecked(b.until) {
		words += prompt.Render("stage", map[string]any{"Checks": b.run.checkCommands(b.unit), "Commit": b.unit.stage.Commit})
	}
	if said := decided(b.run); said != "" {
		words += "\n\nA person has decided:\n" + text.Fence(said) + "\n"
	}
	if it.Again {
		words += "\n\nAn earlier run of this iteration was interrupted: check what it already did before you repeat anything.\n"
	}
	return words
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
	Commit    string          `json:"commit"`
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

// Context is the file context.json, which ${CTX} names: everything an iteration starts with. It has
// exactly the members of the dialect.
type Context struct {
	Session  string `json:"session"`
	Pipeline string `json:"pipeline"`
	Stage    struct {
		ID       string `json:"id"`
		Index    int    `json:"index"`
		Template string `json:"template"`
	} `json:"stage"`
	Iteration int               `json:"iteration"`
	Paths     map[string]string `json:"paths"`
	Inputs    ContextInputs     `json:"inputs"`
	Commands  map[string]string `json:"commands"`
	Limits    struct {
		MaxIterations    int `json:"max_iterations"`
		RemainingSeconds int `json:"remaining_seconds"` // -1: unlimited
	} `json:"limits"`
}

// ContextInputs are the paths of the input files.
type ContextInputs struct {
	Initial  []string                       `json:"from_initial"`
	Stages   map[string][]string            `json:"from_stage"`
	Parallel map[string]map[string][]string `json:"from_parallel"` // by stage and branch
	Previous []string                       `json:"from_previous_iterations"`
}

// writeContext writes an iteration's context if its prompt uses it.
func (b *iterating) writeContext(it Iteration, o opening) error {
	if !text.UsesVariable(b.unit.stage.Prompt, "CTX") {
		return nil
	}
	r, u := b.run, b.unit
	c := Context{Session: r.Name, Pipeline: r.Plan.Name, Iteration: it.Number, Commands: map[string]string{},
		Inputs: r.files.contextInputs(u, r.reads.initialFilesOf(u, b.dir), it.Number, func(path string) string { return r.reads.pathFor(b.dir, path) })}
	c.Stage.ID, c.Stage.Index, c.Stage.Template = u.stage.ID, u.index, u.stage.Loop
	c.Paths = map[string]string{"session_dir": r.reads.pathFor(b.dir, r.files.path(sessionstate.Dir(r.Name))), "stage_dir": r.reads.pathFor(b.dir, u.dir), "progress": r.reads.pathFor(b.dir, r.files.path(u.progress)),
		"output": b.desk(o).path(outputFile), "status": b.desk(o).path(statusFile), "result": b.desk(o).path(resultFile)}
	for _, command := range r.Plan.Commands {
		c.Commands[command.Name] = command.Line
	}
	c.Limits.MaxIterations, c.Limits.RemainingSeconds = u.stage.Runs, -1
	left, err := r.spending.timeLeft(b.taker.Bounds)
	if err != nil {
		return err
	}
	if left > 0 {
		c.Limits.RemainingSeconds = int(left.Seconds())
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteNote(u.pathOf(contextFile), append(text, '\n'))
}

func (f *files) contextInputs(u unit, initial []string, number int, found func(path string) string) ContextInputs {
	c := ContextInputs{Initial: append([]string{}, initial...), Stages: map[string][]string{}, Parallel: map[string]map[string][]string{}, Previous: []string{}}
	for _, in := range u.stage.Inputs {
		list := []string{}
		for _, file := range f.outputs(in, initial) {
			list = append(list, found(file))
		}
		switch {
		case in.Initial: // already in Initial
		case in.Provider != "":
			if c.Parallel[in.Stage] == nil {
				c.Parallel[in.Stage] = map[string][]string{}
			}
			c.Parallel[in.Stage][in.Provider] = append(c.Parallel[in.Stage][in.Provider], list...)
		default:
			c.Stages[in.From] = list
		}
	}
	for _, file := range u.savedOutputs() {
		if filepath.Base(file) < fmt.Sprintf("%04d.md", number) {
			c.Previous = append(c.Previous, found(file))
		}
	}
	return c
}
