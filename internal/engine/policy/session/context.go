package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"warp/internal/core/sessionstate"
	"warp/internal/core/template"
	"warp/internal/durable"
)

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
	if !template.Uses(b.unit.stage.Prompt, "CTX") {
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
	left, err := r.purse.timeLeft(b.taker.Bounds)
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
