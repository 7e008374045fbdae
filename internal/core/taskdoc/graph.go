package taskdoc

import (
	"slices"

	"warp/internal/core/workflowstate/claim"
)

// Order returns the tasks in an order in which they can run one after another: phase by phase,
// dependencies first, otherwise as in the document. In a document with defects, it omits tasks that
// can never start.
func Order(d *Document) []Task {
	var all []Task
	done := map[string]bool{}
	for _, p := range d.Phases {
		pending := slices.Clone(p.Tasks)
		for {
			i := slices.IndexFunc(pending, func(t Task) bool { return free(t, done) })
			if i < 0 {
				break
			}
			all = append(all, pending[i])
			done[pending[i].ID] = true
			pending = slices.Delete(pending, i, i+1)
		}
	}
	return all
}

// Ready returns the tasks that may start now, all at once: those of the first unfinished phase
// whose dependencies are done, and whose files are claimed neither by a running task nor by an
// earlier one in the result.
func Ready(d *Document, done, running map[string]bool) []Task {
	for _, p := range d.Phases {
		if !slices.ContainsFunc(p.Tasks, func(t Task) bool { return !done[t.ID] }) {
			continue
		}
		var ready []Task
		var taken []Task
		for _, t := range p.Tasks {
			if running[t.ID] && !done[t.ID] {
				taken = append(taken, t)
			}
		}
		for _, t := range p.Tasks {
			if done[t.ID] || running[t.ID] || !free(t, done) {
				continue
			}
			if !slices.ContainsFunc(taken, func(other Task) bool { return claim.Overlap(t.Files, other.Files) }) {
				ready, taken = append(ready, t), append(taken, t)
			}
		}
		return ready
	}
	return nil
}

// free reports whether all dependencies of a task are done.
func free(t Task, done map[string]bool) bool {
	return !slices.ContainsFunc(t.DependsOn, func(id string) bool { return !done[id] })
}
