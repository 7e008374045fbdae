// Package progressfile is the file that each fresh agent of a session reads: how to verify, the
// patterns of the code base, and one section for each iteration, separated by lines of "---".
// Agents and people write in it too, and their text stays unchanged. Agents' results are data:
// whatever they say, they stay within their section.
//
// A lesson appears once: in the section of the iteration that found it, and under "Codebase
// Patterns", where it outlives its section.
//
// The file is bounded. Condense keeps the patterns and the newest sections, reduces each older one
// to a line, and returns what it removed, so that the caller can keep all of it elsewhere.
package progressfile

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/text"
)

const (
	rule     = "---"
	patterns = "## Codebase Patterns"
	earlier  = "## Earlier"
)

// Limits of a section, in bytes and entries.
const (
	maxSummary   = 2000
	maxLine      = 500
	maxFiles     = 30
	maxLearnings = 10
	maxItems     = 10
)

// New returns the file of a new session. Without a way to verify, it omits that line.
func New(session, verify string) string {
	text := "# Progress: " + line(session, maxLine) + "\n\n"
	if verify = line(verify, maxLine); verify != "" {
		text += "Verify: " + verify + "\n\n"
	}
	return text + patterns + "\n(Patterns discovered during implementation)\n\n" + rule + "\n"
}

// Section is the record of an iteration.
type Section struct {
	Iteration int
	Stage     string // "" in a loop, and in a stage's own file
	At        time.Time
	Items     []string // completed; none: the section is named by its number
	Summary   string
	Files     []string
	Learnings []string
}

// Add appends a section, unless the iteration already has one, and drops lessons that are already
// in the file.
func Add(text string, s Section) string {
	if has(text, s.mark()) {
		return text
	}
	s.Learnings = fresh(text, s.Learnings)
	text = strings.TrimRight(text, "\n")
	if text != "" && text != rule && !strings.HasSuffix(text, "\n"+rule) {
		text += "\n\n" + rule // text was added after the last section
	}
	if text != "" {
		text += "\n\n"
	}
	return text + s.String() + "\n" + rule + "\n"
}

// mark identifies a section. It is invisible when the file is rendered.
func (s Section) mark() string {
	if s.Stage != "" {
		return fmt.Sprintf("<!-- %s iteration %d -->", s.Stage, s.Iteration)
	}
	return fmt.Sprintf("<!-- iteration %d -->", s.Iteration)
}

// has finds a mark, on its own line or after a condensed section.
func has(text, mark string) bool {
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if l == mark || strings.HasPrefix(l, "- ") && strings.HasSuffix(l, " "+mark) {
			return true
		}
	}
	return false
}

// String returns the section as in the file.
func (s Section) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s - %s\n%s\n", s.At.UTC().Format(time.DateOnly), s.title(), s.mark())
	if summary := block(s.Summary, maxSummary); summary != "" {
		b.WriteString("- " + summary + "\n")
	}
	if files := list(s.Files, maxFiles); files != "" {
		b.WriteString("- Files: " + files + "\n")
	}
	for _, l := range s.Learnings[:min(len(s.Learnings), maxLearnings)] {
		if l = line(l, maxLine); l != "" {
			b.WriteString("- Learning: " + l + "\n")
		}
	}
	return b.String()
}

func (s Section) title() string {
	if items := list(s.Items, maxItems); items != "" {
		return items
	}
	return strings.TrimSpace(fmt.Sprintf("%s iteration %d", s.Stage, s.Iteration))
}

// list joins the first of many names.
func list(names []string, most int) string {
	var out []string
	for _, n := range names[:min(len(names), most)] {
		if n = line(n, maxLine); n != "" {
			out = append(out, n)
		}
	}
	text := strings.Join(out, ", ")
	if more := len(names) - most; more > 0 && text != "" {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// line puts untrusted words on one line, shown and not obeyed. It escapes comment markers, which
// could hide what follows or forge a mark.
func line(s string, most int) string {
	s = text.Visible(text.OneLine(s))
	s = strings.NewReplacer("<!--", "&lt;!--", "-->", "--&gt;").Replace(s)
	return text.Clip(s, most)
}

// block keeps the lines of untrusted words, and indents all but the first so that none is a rule or
// a heading.
func block(s string, most int) string {
	var out []string
	for l := range strings.Lines(text.Clip(s, most)) {
		if l = line(l, most); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n  ")
}
