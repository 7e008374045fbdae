package taskdoc

import (
	"slices"

	"warp/internal/core/workflowstate/claim"
)

// Order is the tasks in the order in which one after the other can run: phase by
// phase, dependencies first, else as in the document. Of a document with defects,
// tasks that never can begin are left out.
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

// Ready is the tasks that may start now, all at once: those of the first phase that
// is not finished whose dependencies are done, and whose files neither a running
// task claims nor one that comes before them here.
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

// free tells whether all that a task depends on is done.
func free(t Task, done map[string]bool) bool {
	return !slices.ContainsFunc(t.DependsOn, func(id string) bool { return !done[id] })
}
