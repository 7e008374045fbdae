package taskdoc

import (
	"fmt"
	"slices"
	"strings"
)

// Revision is a new plan for one task. Omitted fields keep their value; a task that is not in the
// document is added at the end of its phase.
type Revision struct {
	Task        string   `json:"task"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	Criteria    []string `json:"criteria"` // as written after a checkbox
	DependsOn   []string `json:"depends_on"`
}

// Rewrite applies a new plan to a copy of the document. Tasks in fixed are done or running and stay
// as they are. A plan comes from an agent, so it can add no command that the document does not
// have, nor remove one from a task; otherwise the rules of Parse apply.
func Rewrite(d *Document, fixed map[string]bool, plan []Revision) (*Document, []Defect) {
	w := &rewriter{doc: clone(d), fixed: fixed, known: d.Commands(), seen: map[string]bool{}}
	for _, r := range plan {
		w.apply(r)
	}
	defects := append(w.defects, check(w.doc, nil)...)
	w.doc.Warnings = slices.Clone(d.Warnings)
	sortDefects(defects)
	return w.doc, defects
}

type rewriter struct {
	doc     *Document
	fixed   map[string]bool
	known   []string
	seen    map[string]bool
	defects []Defect
}

func (w *rewriter) defect(t Task, format string, args ...any) {
	w.defects = append(w.defects, Defect{Line: t.Line, Column: min(t.Line, 1), Message: "task " + t.ID + ": " + fmt.Sprintf(format, args...)})
}

func (w *rewriter) apply(r Revision) {
	t := w.find(r.Task)
	switch at := (Task{ID: fmt.Sprintf("%.20q", r.Task)}); {
	case t == nil:
		w.defect(at, "it belongs to no pending phase")
		return
	case w.fixed[r.Task]:
		w.defect(at, "it is already running or done, and cannot change")
		return
	case w.seen[r.Task]:
		w.defect(at, "the plan lists it twice")
		return
	}
	w.seen[r.Task] = true
	for _, s := range append([]string{r.Name, r.Description}, r.Criteria...) {
		if strings.ContainsFunc(s, hidden) {
			w.defect(*t, "control characters are not accepted")
			return
		}
	}
	if r.Name != "" {
		t.Name = strings.Join(strings.Fields(r.Name), " ")
	} else if t.Name == "" {
		w.defect(*t, "it has no name")
	}
	if r.Description != "" {
		t.Description = strings.TrimSpace(r.Description)
	}
	if r.DependsOn != nil {
		t.DependsOn = r.DependsOn
	}
	if r.Files != nil {
		w.files(t, r.Files)
	}
	if r.Criteria != nil {
		w.criteria(t, r.Criteria)
	}
}

// find returns the task with that id, adding it if its phase is pending.
func (w *rewriter) find(id string) *Task {
	number, ok := phaseOf(id)
	if !ok {
		return nil
	}
	for i := range w.doc.Phases {
		p := &w.doc.Phases[i]
		for j := range p.Tasks {
			if p.Tasks[j].ID == id {
				return &p.Tasks[j]
			}
		}
		if p.Number == number && slices.ContainsFunc(p.Tasks, func(t Task) bool { return !w.fixed[t.ID] }) {
			p.Tasks = append(p.Tasks, Task{ID: id, Phase: i})
			return &p.Tasks[len(p.Tasks)-1]
		}
	}
	return nil
}

func (w *rewriter) files(t *Task, list []string) {
	t.Files = nil
	for _, f := range list {
		pattern, err := normal(f)
		if err != nil {
			w.defect(*t, "the file %q: %v", f, err)
			continue
		}
		t.Files = append(t.Files, pattern)
	}
}

func (w *rewriter) criteria(t *Task, list []string) {
	before := t.Criteria
	t.Criteria = nil
	for _, text := range list {
		c, ok := criterionOf(text)
		switch {
		case !ok:
			w.defect(*t, "the criterion %q cannot be read", text)
		case c.Run != "" && !slices.Contains(w.known, c.Run):
			w.defect(*t, "a new plan cannot add the command %q: only those of the document are run", c.Run)
		default:
			c.Line = t.Line
			t.Criteria = append(t.Criteria, c)
		}
	}
	for _, b := range before {
		if b.Run != "" && !slices.ContainsFunc(t.Criteria, func(c Criterion) bool { return c.Run == b.Run }) {
			w.defect(*t, "a new plan cannot remove the command %q", b.Run)
		}
	}
}

// criterionOf reads the text after a checkbox.
func criterionOf(text string) (Criterion, bool) {
	d, defects := Parse([]byte("# x\n## Success criteria\n- [ ] " + strings.Join(strings.Fields(text), " ") + "\n### Phase 1: x\n#### Task 1.1: x\n- [ ] x\n"))
	if len(defects) > 0 || len(d.Criteria) != 1 {
		return Criterion{}, false
	}
	return d.Criteria[0], true
}

// clone copies what a rewrite changes.
func clone(d *Document) *Document {
	c := *d
	c.Phases = slices.Clone(d.Phases)
	for i := range c.Phases {
		c.Phases[i].Tasks = slices.Clone(c.Phases[i].Tasks)
	}
	return &c
}
