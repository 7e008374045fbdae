package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// Subject is the requirement that a page is about.
type Subject struct {
	Issue    string // its number
	Title    string
	Branch   string
	Level    int
	User     string  // who is mentioned; "": no one
	Criteria []Named // all of its criteria, in order
	Settles  []int   // issues that are settled when the work is merged

	Chunk, Total int
	Started      string // the session's stamp; "": not known
	Ended        string // now
}

// Named is a criterion as it stands.
type Named struct {
	ID, Text string
	Done     bool
	Skipped  bool // given up
}

// status is what became of a criterion.
func (n Named) status() Status {
	switch {
	case n.Skipped:
		return GivenUp
	case n.Done:
		return Met
	}
	return Open
}

// Bounds of a page. Trackers take some 65,000 characters.
const (
	maxBody  = 60_000
	maxItems = 60 // of one list
	reserve  = 300
)

// paper is a body on its way. It is made of parts that stand for themselves, and
// takes no more when it is full, so that nothing is cut in the middle.
type paper struct {
	text strings.Builder
	cut  int // parts that found no place
}

// put adds a paragraph, a list or a block.
func (p *paper) put(part string) {
	switch {
	case part == "":
	case p.cut > 0 || p.text.Len()+len(part)+2 > maxBody-reserve:
		p.cut++
	default:
		p.text.WriteString(part)
		p.text.WriteString("\n\n")
	}
}

// section adds a heading and a list; nothing when the list is empty.
func (p *paper) section(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	p.put("## " + heading)
	if left := len(items) - maxItems; left > 0 {
		items = append([]string{fmt.Sprintf("(%d earlier ones are left out here)", left)}, items[left:]...)
	}
	for group := range slices.Chunk(items, 8) { // small against a page
		p.put("- " + strings.Join(group, "\n- "))
	}
}

// body ends the paper. Issue is where the rest can be asked for.
func (p *paper) body(issue string) string {
	if p.cut > 0 {
		fmt.Fprintf(&p.text, "This text is too long: %d parts are left out. %s\n", p.cut, all(issue))
	}
	return strings.TrimRight(p.text.String(), "\n") + "\n"
}

func all(issue string) string {
	if number(issue) {
		return "`warp evidence " + issue + "` shows all of it."
	}
	return "`warp report` shows all of it."
}
