package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// prompt is what the agent of an iteration is asked.
func (b *iterating) prompt(it Iteration, o opening) string {
	vars := b.run.vars(b.unit, b.dir)
	vars["ITERATION"] = strconv.Itoa(it.Number)
	if o.Desk != "" {
		vars["OUTPUT"] = b.outputAt(o.Desk)
	}
	vars["ITEM"], vars["ITEM_ID"] = "(there is no queue)", "(none)"
	if o.Item != nil {
		vars["ITEM"], vars["ITEM_ID"] = untrusted.Fence(o.Item.Title+"\n\n"+o.Item.Text), o.Item.ID
	}
	text := pipeline.Render(b.unit.stage.Prompt, vars)
	if said := b.unit.failed(); said != "" {
		text += "\n\nAfter the last iteration the checks failed. Fix that first. They said:\n" + untrusted.Fence(said) + "\n"
	}
	if it.Again {
		text += "\n\nThis iteration was begun before and broken off: look at what is there already before you do anything twice.\n"
	}
	return text
}

// vars are the variables of a unit's prompts. Paths are from where its agent
// works, when they are within.
func (r *run) vars(u unit, dir string) map[string]string {
	vars := r.Plan.Vars()
	vars["SESSION"], vars["STAGE"], vars["TASK"], vars["RUNS"] = r.Name, u.stage.ID, r.Task, strconv.Itoa(u.stage.Runs)
	vars["PROGRESS"] = r.shown(dir, r.files.path(u.progress))
	vars["OUTPUT"] = r.shown(dir, u.in(outputFile))
	vars["RUN_DIR"] = r.shown(dir, r.files.path("pipeline-runs/"+r.Name))
	vars["INPUTS"] = r.files.inputs(u, func(path string) string { return r.shown(dir, path) })
	return vars
}

func within(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// An agent writes its output at a desk outside of the project, from where it is
// fetched when the agent has answered: Claude Code, for one, writes nothing below
// .claude.

// outputAt is the file on a desk.
func (b *iterating) outputAt(desk string) string {
	return filepath.Join(desk, session.Dir(b.run.Name), filepath.Base(b.unit.folder), outputFile)
}

// output is a print of output.md, which may be all that an agent changes.
func (b *iterating) output() string {
	text, err := durable.ReadPlain(b.unit.in(outputFile))
	if err != nil {
		return ""
	}
	return sum(text)
}

// sit gives the agent a desk, with the output so far on it, if its prompt speaks
// of one.
func (b *iterating) sit(o *opening) error {
	if !strings.Contains(b.unit.stage.Prompt, "${OUTPUT}") {
		return nil
	}
	if _, err := os.Stat(o.Desk); o.Desk != "" && err == nil {
		return nil // it was at work before
	}
	desk, err := os.MkdirTemp("", "warp-desk-")
	if err != nil {
		return err
	}
	o.Desk = desk
	file := b.outputAt(desk)
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if text, none := durable.ReadPlain(b.unit.in(outputFile)); err == nil && none == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	return err
}

// fetch takes the output from the desk. What was not touched there is left as it
// is here: an agent may write here as well.
func (b *iterating) fetch(o opening) error {
	file := b.outputAt(o.Desk)
	if st, err := os.Lstat(file); o.Desk == "" || err != nil || !st.Mode().IsRegular() {
		return nil
	}
	text, err := durable.ReadPlain(file)
	if err != nil || sum(text) == o.Output {
		return err
	}
	to := b.unit.in(outputFile)
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(b.run.Redact(string(text))), 0o644))
}

// leave writes the agent's words as its output where it has written none.
func (b *iterating) leave(a step.Answer, said Report) error {
	words := strings.TrimSpace(a.Text)
	if json.Valid([]byte(words)) { // its result is no text for the next stage
		words = strings.TrimSpace(said.Summary)
	}
	if b.output() != "" || words == "" {
		return nil
	}
	return os.WriteFile(b.unit.in(outputFile), []byte(words+"\n"), 0o644)
}

// Report is what an agent told of its iteration.
type Report struct {
	Summary   string   `json:"summary"`
	Reasoning string   `json:"reasoning"`
	Plateau   bool     `json:"plateau"`
	Done      []string `json:"items_completed"`
	Found     []string `json:"items"` // work that it came across
	Learnings []string `json:"learnings"`
	Lessons   []string `json:"lessons"`
}

// ReportOf reads what an agent reports. Without a result its words are all that is
// known, and they claim nothing; a run that failed reports nothing.
func ReportOf(a step.Answer) (s Report) {
	if a.End != agent.Done {
		return s
	}
	if !a.Read(&s) {
		return Report{Summary: text.Opening(firstOf(a.Text, a.Invalid))}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}

func firstOf(said, otherwise string) string {
	return cmp.Or(said, otherwise, "it said nothing that could be read")
}
