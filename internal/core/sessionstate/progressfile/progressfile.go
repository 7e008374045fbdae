// Package progressfile is the file that each fresh agent of a session reads: how to
// verify, the patterns of the code base, and one section for each iteration,
// separated by lines of "---". Agents and people write in it too, and what they
// wrote is kept as it is. Agents' results are data: whatever they say, they stay
// within their section.
//
// What iterations learn is said once: in the section of the first that found it, and
// under "Codebase Patterns", where it outlives its section.
//
// The file is bounded. Condense keeps the patterns and the newest sections, makes
// one line of each older one, and hands back what it took out, so that the caller who
// stores the file can keep all of it beside.
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

// The bounds of a section, in bytes and in entries.
const (
	maxSummary   = 2000
	maxLine      = 500
	maxFiles     = 30
	maxLearnings = 10
	maxItems     = 10
)

// New is the file of a session that has just begun. Without a way to verify, the
// line is left out.
func New(session, verify string) string {
	text := "# Progress: " + line(session, maxLine) + "\n\n"
	if verify = line(verify, maxLine); verify != "" {
		text += "Verify: " + verify + "\n\n"
	}
	return text + patterns + "\n(Patterns discovered during implementation)\n\n" + rule + "\n"
}

// Section is what an iteration leaves behind.
type Section struct {
	Iteration int
	Stage     string // "" in a loop, and in a stage's own file
	At        time.Time
	Items     []string // that it completed; none: the section is named by its number
	Summary   string
	Files     []string
	Learnings []string
}

// Add puts a section at the end. An iteration that has one is not added again, and a
// lesson that stands in the file is not said again.
func Add(text string, s Section) string {
	if has(text, s.mark()) {
		return text
	}
	s.Learnings = fresh(text, s.Learnings)
	text = strings.TrimRight(text, "\n")
	if text != "" && text != rule && !strings.HasSuffix(text, "\n"+rule) {
		text += "\n\n" + rule // text was added behind the last section
	}
	if text != "" {
		text += "\n\n"
	}
	return text + s.String() + "\n" + rule + "\n"
}

// mark is how a section is found again. It is not seen when the file is rendered.
func (s Section) mark() string {
	if s.Stage != "" {
		return fmt.Sprintf("<!-- %s iteration %d -->", s.Stage, s.Iteration)
	}
	return fmt.Sprintf("<!-- iteration %d -->", s.Iteration)
}

// has finds a mark, on its own line or behind a condensed section.
func has(text, mark string) bool {
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if l == mark || strings.HasPrefix(l, "- ") && strings.HasSuffix(l, " "+mark) {
			return true
		}
	}
	return false
}

// String is the section as it stands in the file.
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

// list names the first of many.
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

// line is the words of others on one line, shown and not obeyed. What would open a
// comment, and hide what follows or forge a mark, is written out.
func line(s string, most int) string {
	s = text.Visible(text.OneLine(s))
	s = strings.NewReplacer("<!--", "&lt;!--", "-->", "--&gt;").Replace(s)
	return text.Clip(s, most)
}

// block is the words of others on as many lines as they have, each behind the first
// one indented: none of them is a rule or a heading.
func block(s string, most int) string {
	var out []string
	for l := range strings.Lines(text.Clip(s, most)) {
		if l = line(l, most); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n  ")
}
