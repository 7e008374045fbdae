package taskdoc

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"warp/internal/core/text"
)

// section identifies what a second-level heading begins.
type section int

const (
	preamble section = iota
	goal
	context
	success
	bounds
	supervisor
	outer
	plan
	verification
	rollback
	notes
)

// titles are the headings of each section; the first is preferred.
func titles() map[section][]string {
	return map[section][]string{
		goal:         {"goal", "goals", "objective", "objectives"},
		context:      {"context", "background"},
		success:      {"success criteria", "global success criteria", "acceptance criteria"},
		bounds:       {"safety bounds", "bounds", "limits"},
		supervisor:   {"supervisor", "supervisor settings"},
		outer:        {"outer loop", "outer loop settings", "outer ralph loop"},
		plan:         {"phases", "plan", "tasks", "phases and tasks", "implementation plan"},
		verification: {"verification", "verification commands"},
		rollback:     {"rollback plan", "rollback"},
	}
}

// sectionOf returns the section of a title, or else a known title that is similar.
func sectionOf(title string) (s section, meant string) {
	name := strings.TrimLeftFunc(words(title), func(c rune) bool { return !unicode.IsLetter(c) })
	var all []string
	for s, names := range titles() {
		if slices.Contains(names, name) {
			return s, ""
		}
		all = append(all, names...)
	}
	return notes, text.Nearest(name, all)
}

func (r *reader) heading(n *ast.Heading) {
	title := r.headingText(n)
	number, phase := after(title, "phase")
	id, task := after(title, "task")
	r.pending = none
	switch {
	case phase && (digit(number) || r.section == plan && n.Level > 2):
		r.beginPhase(n, number)
	case task && (digit(id) || r.phase >= 0 && n.Level > 3):
		r.beginTask(n, id)
	case n.Level == 1:
		r.title(n, title)
	case n.Level == 2:
		r.beginSection(n, title)
	case r.task >= 0 && n.Level > 4:
		r.label(n, title)
	case r.section == plan:
		r.stray(n, title)
	default:
		if s, _ := sectionOf(title); s == bounds || s == supervisor || s == outer {
			r.defect(n.Pos(), "%q needs its own section: ## %s", title, title)
		}
		r.block(n)
	}
}

// headingText returns the text of a heading, without emphasis around all of it.
func (r *reader) headingText(n *ast.Heading) string {
	title := r.oneLine(n)
	for _, mark := range []string{"**", "__", "*", "_"} {
		if len(title) > 2*len(mark) && strings.HasPrefix(title, mark) && strings.HasSuffix(title, mark) {
			title = title[len(mark) : len(title)-len(mark)]
		}
	}
	return strings.TrimSpace(title)
}

// after returns what follows the word that a title begins with.
func after(title, word string) (rest string, ok bool) {
	if len(title) < len(word) || !strings.EqualFold(title[:len(word)], word) {
		return "", false
	}
	rest = strings.TrimLeft(title[len(word):], " \t")
	return rest, rest == "" || len(rest) < len(title)-len(word) || strings.ContainsRune(":-–—", []rune(rest)[0])
}

func digit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// split separates the number of a phase or task from its name.
func split(s string) (number, name string) {
	end := strings.IndexFunc(s, func(c rune) bool { return c == ':' || unicode.IsSpace(c) || c == '–' || c == '—' || c == '-' })
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeft(s[end:], ":-–— \t")
}

func (r *reader) title(n *ast.Heading, title string) {
	r.leave(preamble)
	switch {
	case r.doc.Line > 0:
		r.defect(n.Pos(), "a second title: the first is on line %d, and sections begin with ##", r.doc.Line)
	case title != "":
		r.doc.Title, r.doc.Line = title, r.line(n.Pos())
	}
}

// leave ends the current section, phase and task.
func (r *reader) leave(s section) {
	r.flush()
	r.section, r.phase, r.task = s, -1, -1
}

func (r *reader) beginSection(n *ast.Heading, title string) {
	s, meant := sectionOf(title)
	r.leave(s)
	if s == notes {
		r.doc.Notes = append(r.doc.Notes, Note{Title: title, Line: r.line(n.Pos())})
		switch {
		case r.source[n.Pos()] != '#':
			r.defect(n.Pos(), "the line below makes %q a heading; leave a blank line before it", title)
		case meant != "":
			r.defect(n.Pos(), "there is no section %q; did you mean %q?", title, meant)
		}
		return
	}
	if r.sections[s] {
		r.defect(n.Pos(), "the section %q appears twice", title)
	}
	r.sections[s] = true
}

func (r *reader) beginPhase(n *ast.Heading, title string) {
	r.leave(plan)
	number, name := split(title)
	p := Phase{Number: -1, Name: name, Line: r.line(n.Pos())}
	if n.Level != 3 {
		r.defect(n.Pos(), "a phase is a heading of the third level: ### Phase 1: name")
	}
	if v, err := strconv.Atoi(number); err == nil && len(number) <= 4 && digit(number) {
		p.Number = v
	} else {
		r.defect(n.Pos(), "the phase has no number that can be read: ### Phase 1: name")
	}
	if name == "" {
		r.defect(n.Pos(), "the phase has no name: ### Phase 1: name")
	}
	r.doc.Phases = append(r.doc.Phases, p)
	r.phase = len(r.doc.Phases) - 1
}

func (r *reader) beginTask(n *ast.Heading, title string) {
	r.flush()
	id, name := split(title)
	if r.phase < 0 {
		r.defect(n.Pos(), "task %s is in no phase; put ### Phase 1: name above it", id)
		r.doc.Phases = append(r.doc.Phases, Phase{Number: -1, Line: r.line(n.Pos())})
		r.section, r.phase = plan, len(r.doc.Phases)-1
	}
	if n.Level != 4 {
		r.defect(n.Pos(), "a task is a heading of the fourth level: #### Task 1.1: name")
	}
	if _, ok := phaseOf(id); !ok {
		r.defect(n.Pos(), "the task has no number that can be read: #### Task 1.1: name")
		id = ""
	}
	if name == "" {
		r.defect(n.Pos(), "the task has no name: #### Task 1.1: name")
	}
	p := &r.doc.Phases[r.phase]
	p.Tasks = append(p.Tasks, Task{ID: id, Phase: r.phase, Name: name, Line: r.line(n.Pos())})
	r.task = len(p.Tasks) - 1
}

// phaseOf returns the phase in a task's id: 2 in 2.1.
func phaseOf(id string) (phase int, ok bool) {
	first, second, dot := strings.Cut(id, ".")
	a, errA := strconv.ParseUint(first, 10, 14)
	b, errB := strconv.ParseUint(second, 10, 14)
	ok = dot && errA == nil && errB == nil && id == strconv.FormatUint(a, 10)+"."+strconv.FormatUint(b, 10)
	return int(a), ok
}

// stray reports a heading among phases and tasks that is neither.
func (r *reader) stray(n *ast.Heading, title string) {
	if n.Level > 3 {
		r.defect(n.Pos(), "%q is not a task; tasks are #### Task 1.1: name, and headings inside one have five # or more", title)
		return
	}
	r.flush()
	r.defect(n.Pos(), "%q is not a phase; phases are ### Phase 1: name", title)
	r.doc.Phases = append(r.doc.Phases, Phase{Number: -1, Name: title, Line: r.line(n.Pos())})
	r.phase, r.task = len(r.doc.Phases)-1, -1
}
