package taskdoc

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/schedule"
	"warp/internal/core/workflowstate/claim"
)

// places maps each dependency to its position in the text. The line of its heading identifies a
// task.
type places map[place]Defect

type place struct {
	line int
	on   string
}

// checker applies the rules for a plan, wherever it comes from.
type checker struct {
	*Document
	places  places
	tasks   []Task
	byID    map[string]int // the first with that id
	defects []Defect
}

// check finds the defects of a document as a whole.
func check(d *Document, p places) []Defect {
	c := &checker{Document: d, places: p, tasks: d.Tasks(), byID: map[string]int{}}
	if d.Title == "" {
		c.at(1, "the document has no title: # Title")
	}
	if d.Goal == "" {
		d.Warnings = append(d.Warnings, Defect{Line: max(1, d.Line), Column: 1, Message: "there is no section ## Goal; agents see only the title"})
	}
	switch {
	case len(c.tasks) == 0:
		c.at(1, "the document has no tasks: ### Phase 1: name, and #### Task 1.1: name below it")
	case len(c.tasks) > MaxTasks:
		c.at(c.tasks[MaxTasks].Line, "the document has %d tasks; at most %d are accepted", len(c.tasks), MaxTasks)
	}
	c.collisions("the document", d.Criteria)
	c.phases()
	c.names()
	for i := range c.tasks {
		c.task(i)
	}
	if len(c.tasks) <= MaxTasks {
		c.cycles()
	}
	return c.defects
}

func (c *checker) at(line int, format string, args ...any) {
	c.defects = append(c.defects, Defect{Line: line, Column: min(line, 1), Message: fmt.Sprintf(format, args...)})
}

func (c *checker) phases() {
	seen := map[int]int{}
	last := -1
	for _, p := range c.Phases {
		if len(p.Tasks) == 0 {
			c.at(p.Line, "phase %q has no tasks", p.Name)
		}
		if p.Number < 0 {
			continue
		}
		if first, twice := seen[p.Number]; twice {
			c.at(p.Line, "phase %d appears twice, first on line %d", p.Number, first)
			continue
		}
		seen[p.Number] = p.Line
		if p.Number < last {
			c.at(p.Line, "phase %d comes after phase %d; phases run in the order of the document", p.Number, last)
		}
		last = max(last, p.Number)
	}
}

// names finds duplicate ids and ids in the wrong phase.
func (c *checker) names() {
	for i, t := range c.tasks {
		if t.ID == "" {
			continue
		}
		if first, twice := c.byID[t.ID]; twice {
			c.at(t.Line, "task %s appears twice, first on line %d", t.ID, c.tasks[first].Line)
			continue
		}
		c.byID[t.ID] = i
		if n := c.Phases[t.Phase].Number; n >= 0 {
			if own, _ := phaseOf(t.ID); own != n {
				c.at(t.Line, "task %s is in phase %d", t.ID, n)
			}
		}
	}
}

func (c *checker) task(i int) {
	t := c.tasks[i]
	if len(t.Criteria) == 0 {
		c.at(t.Line, "task %s has no success criteria: nothing could tell when it is done", t.ID)
	}
	c.collisions("task "+t.ID, t.Criteria)
	for _, on := range t.DependsOn {
		other, known := c.byID[on]
		switch {
		case !known:
			c.dependency(t, on, "task %s depends on %s, which is not a task", t.ID, on)
		case on == t.ID:
			c.dependency(t, on, "task %s depends on itself", t.ID)
		case c.tasks[other].Phase > t.Phase:
			c.dependency(t, on, "task %s depends on %s, which is in a later phase", t.ID, on)
		}
	}
}

// dependency adds a defect at the position of a dependency.
func (c *checker) dependency(t Task, on, format string, args ...any) {
	at, known := c.places[place{t.Line, on}]
	if !known {
		c.at(t.Line, format, args...)
		return
	}
	at.Message = fmt.Sprintf(format, args...)
	c.defects = append(c.defects, at)
}

func (c *checker) collisions(of string, list []Criterion) {
	seen := map[string]int{}
	for _, k := range list {
		if first, twice := seen[k.Key]; twice {
			c.at(k.Line, "%s has two criteria that are called %s, first on line %d; reword one of them", of, k.Key, first)
			continue
		}
		seen[k.Key] = k.Line
	}
}

// cycles reports one cycle for each group of tasks that wait for each other. A task that depends on
// itself has its own defect.
func (c *checker) cycles() {
	waits := make([][]int, len(c.tasks))
	for i, t := range c.tasks {
		for _, id := range t.DependsOn {
			if other, known := c.byID[id]; known && other != i && c.byID[t.ID] == i {
				waits[i] = append(waits[i], other)
			}
		}
	}
	for _, tasks := range schedule.FindCycles(waits) {
		var ids []string
		for _, t := range tasks {
			ids = append(ids, c.tasks[t].ID)
		}
		c.dependency(c.tasks[tasks[0]], ids[1], "tasks wait for each other: %s -> %s", strings.Join(ids, " -> "), ids[0])
	}
}

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

// IsTrivial reports whether one look at a task is enough: it claims documentation only, or one file,
// and no task waits for another because of it.
func (d *Document) IsTrivial(t Task) bool {
	if len(t.Files) == 0 || len(t.DependsOn) > 0 {
		return false
	}
	for _, other := range d.Tasks() {
		if slices.Contains(other.DependsOn, t.ID) {
			return false
		}
	}
	if len(t.Files) == 1 && !strings.ContainsAny(t.Files[0], "*?[{") {
		return !strings.HasSuffix(t.Files[0], "/")
	}
	return !slices.ContainsFunc(t.Files, func(file string) bool {
		ext := strings.ToLower(path.Ext(file))
		return ext != ".md" && ext != ".rst" && ext != ".adoc" && !strings.HasPrefix(file, "docs/")
	})
}
