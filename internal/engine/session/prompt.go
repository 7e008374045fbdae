package session

import (
	"path/filepath"
	"strconv"

	"warp/internal/core/pipeline"
	"warp/internal/core/untrusted"
)

// prompt is what the agent of an iteration is asked.
func (b *iterating) prompt(it Iteration, m opening) string {
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
	if said := b.failed(b.unit); said != "" {
		text += "\n\nAfter the last iteration the checks failed. Fix that first. They said:\n" + untrusted.Fence(said) + "\n"
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
