package session

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/pipeline"
	"warp/internal/core/untrusted"
)

// mostSaid bounds what a prompt repeats of a failing check.
const mostSaid = 3000

// prompt is what the agent of an iteration is asked.
func (b *iterating) prompt(it Iteration, m marker) string {
	vars := b.vars(b.unit, b.dir)
	vars["ITERATION"] = strconv.Itoa(it.Number)
	if m.Desk != "" {
		vars["OUTPUT"] = b.outputAt(m.Desk)
	}
	vars["ITEM"], vars["ITEM_ID"] = "(there is no queue)", "(none)"
	if m.Item != nil {
		vars["ITEM"], vars["ITEM_ID"] = untrusted.Fence(m.Item.Title+"\n\n"+m.Item.Text), m.Item.ID
	}
	text := pipeline.Render(b.units[b.unit].stage.Prompt, vars)
	if said, err := os.ReadFile(b.failedFile()); err == nil {
		text += "\n\nAfter the last iteration the checks failed. Mend that first. They said:\n" + untrusted.Fence(string(said)) + "\n"
	}
	if it.Again {
		text += "\n\nThis iteration was begun before and broken off: look at what is there already before you do anything twice.\n"
	}
	return text
}

// vars are the variables of a unit's prompts. Paths are from where its agent
// works, when they are within.
func (r *run) vars(i int, dir string) map[string]string {
	u := r.units[i]
	vars := r.Plan.Vars()
	vars["SESSION"], vars["STAGE"], vars["TASK"], vars["RUNS"] = r.Name, u.stage.ID, r.Task, strconv.Itoa(u.stage.Runs)
	vars["PROGRESS"] = within(dir, r.path(r.progressFile(i)))
	vars["OUTPUT"] = within(dir, r.outputFile(i))
	vars["RUN_DIR"] = within(dir, r.path("pipeline-runs/"+r.Name))
	vars["INPUTS"] = r.inputs(i, dir)
	return vars
}

func within(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// inputs are the files that a stage is to read, one a line.
func (r *run) inputs(i int, dir string) string {
	var list []string
	for _, in := range r.units[i].stage.Inputs {
		for k, u := range r.units {
			if u.name != in.From {
				continue
			}
			if in.All {
				each, _ := filepath.Glob(filepath.Join(r.folder(k), "outputs", "*.md"))
				list = append(list, each...)
			}
			if _, err := os.Stat(r.outputFile(k)); err == nil {
				list = append(list, r.outputFile(k))
			}
		}
	}
	if len(list) == 0 {
		return "(none)"
	}
	for k := range list {
		list[k] = "- " + within(dir, list[k])
	}
	return strings.Join(list, "\n")
}

// wanted tells whether another stage reads the outputs of all iterations of this
// one.
func (r *run) wanted(i int) bool {
	for _, u := range r.units {
		for _, in := range u.stage.Inputs {
			if in.All && in.From == r.units[i].name {
				return true
			}
		}
	}
	return false
}
