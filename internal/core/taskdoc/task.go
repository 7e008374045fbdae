package taskdoc

import (
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"warp/internal/core/text"
)

// field is a labelled part of a task.
type field int

const (
	none field = iota
	description
	dependencies
	agents
	files
	iterations
	criteria
	verify
)

// labels are the spellings of each field; verify is included so that a command there does not get
// lost in the description.
var labels = map[string]field{
	"description": description,
	"depends on":  dependencies, "depends": dependencies, "dependencies": dependencies,
	"agents": agents, "agent": agents,
	"files": files, "file": files,
	"max iterations": iterations, "max iterations per task": iterations,
	"success criteria": criteria, "acceptance criteria": criteria, "criteria": criteria,
	"verify": verify, "verification": verify, "verification commands": verify,
}

func (r *reader) current() *Task { return &r.doc.Phases[r.phase].Tasks[r.task] }

// label handles a heading inside a task.
func (r *reader) label(n *ast.Heading, title string) {
	if r.pending = labels[words(title)]; r.pending == none {
		r.add(r.raw(n), "\n\n")
	}
}

func (r *reader) taskBlock(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		r.fields(n)
	case *ast.List:
		between := "\n\n"
		t := r.current()
		t.Criteria = append(t.Criteria, r.checks.readItems(n, func(item *ast.ListItem) {
			if !r.plain(item) {
				r.add(r.raw(item), between)
				between = "\n"
			}
		})...)
	default:
		r.pending = none
		r.add(r.raw(n), "\n\n")
	}
}

// fields reads a paragraph in which some lines may be fields. A line without a label continues the
// field above it.
func (r *reader) fields(n ast.Node) {
	open, rest := r.pending, none
	if open == criteria {
		open, rest = none, criteria
	}
	var text []string
	for start, line := range r.linesOf(n) {
		line = strings.TrimRight(line, " \t\n")
		label, value, at, ok := labelled(line)
		if f := labels[label]; ok && f != none {
			open, rest = f, none
			if value == "" {
				rest = f
			}
			r.value(f, value, start+at)
			continue
		}
		if ok {
			r.misspelt(label, start)
		}
		if open == none {
			text = append(text, line)
		} else {
			r.value(open, strings.TrimSpace(line), start)
			rest = none
		}
	}
	r.add(strings.Join(text, "\n"), "\n\n")
	r.pending = rest
}

// misspelt reports a label that is almost a known one.
func (r *reader) misspelt(label string, at int) {
	if meant := text.Nearest(label, slices.Collect(maps.Keys(labels))); meant != "" {
		r.defect(at, "there is no field %q; did you mean %q?", label, meant)
	}
}

// plain reads an item without a checkbox. It returns false if the item is just description.
func (r *reader) plain(item *ast.ListItem) (taken bool) {
	block := item.FirstChild()
	if block == nil || block.Lines().Len() == 0 {
		return false
	}
	s := block.Lines().At(0)
	label, _, _, ok := labelled(string(s.Value(r.source)))
	switch {
	case ok && labels[label] != none:
		before := r.pending
		r.pending = none
		r.fields(block)
		r.below(block)
		r.pending = before
		return true
	case r.pending == criteria:
		r.defect(s.Start, "a success criterion needs a checkbox: - [ ] text")
		return true
	case r.pending == dependencies || r.pending == agents || r.pending == files:
		for at, line := range r.linesOf(block) {
			r.value(r.pending, strings.TrimRight(line, " \t\n"), at)
		}
		return true
	case ok:
		r.misspelt(label, s.Start)
	}
	return false
}

// below reads the values listed under a label.
func (r *reader) below(block ast.Node) {
	for n := block.NextSibling(); n != nil && r.pending != none; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			r.checks.readItems(list, func(item *ast.ListItem) { r.plain(item) })
		}
	}
}

// value stores the value of a field, or a further line of it.
func (r *reader) value(f field, value string, at int) {
	t := r.current()
	switch f {
	case description:
		r.add(value, "\n")
	case dependencies:
		r.depend(value, at)
	case agents:
		for _, a := range tokens(value, at) {
			if !text.ValidName(a.text) {
				r.defect(a.at, "%q is not an agent: %s", a.text, text.NameRule)
			} else if r.first(t, "agent "+a.text) {
				t.Agents = append(t.Agents, a.text)
			}
		}
	case files:
		for _, p := range tokens(value, at) {
			pattern, err := normal(p.text)
			if err != nil {
				r.defect(p.at, "the file %q: %v", p.text, err)
			} else if r.first(t, "file "+pattern) {
				t.Files = append(t.Files, pattern)
			}
		}
	case iterations:
		n, err := parseIterations(strings.Trim(value, "`*_ "))
		if err != nil {
			r.defect(at, "max iterations: %q is not accepted: %v", value, err)
		} else if t.Iterations > 0 {
			r.defect(at, "max iterations is set twice")
		}
		t.Iterations = n
	case criteria:
		if value != "" {
			r.defect(at, "success criteria are checkboxes below: - [ ] text")
		}
	case verify:
		r.warn(at, "no command runs here; put it after a criterion: - [ ] Tests pass: `make test`")
		r.add(value, "\n\n")
	}
}

// first reports whether a task gets a value for the first time.
func (r *reader) first(t *Task, value string) bool {
	at := place{t.Line, value}
	had := r.values[at]
	r.values[at] = true
	return !had
}

// depend reads the ids of dependencies.
func (r *reader) depend(value string, at int) {
	t := r.current()
	for _, id := range tokens(value, at) {
		text := strings.TrimRight(id.text, ".")
		switch words(text) {
		case "", "none", "nothing", "–", "—", "task", "tasks":
			continue
		case "phase", "phases":
			r.defect(id.at, "phases run one after the other anyway; name tasks, such as 1.2")
			return
		}
		if _, ok := phaseOf(text); !ok {
			r.defect(id.at, "%q is not the number of a task, such as 1.2, nor none", id.text)
			return
		}
		if r.first(t, "task "+text) {
			r.places[place{t.Line, text}] = r.at(id.at, "")
			t.DependsOn = append(t.DependsOn, text)
		}
	}
}
