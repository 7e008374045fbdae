package evidence

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/scope"
)

// Subject is a page's requirement.
type Subject struct {
	Issue    string // number
	Title    string
	Branch   string
	Level    int
	User     string  // user to mention; "" for none
	Criteria []Named // all of its criteria, in order
	Settles  []int   // issues that the merge settles
	Unasked  []scope.Point
	Contents Contents // of the branch, if it is to be merged

	Chunk, Total int
	Started      string // the session's start; "" if unknown
	Ended        string
}

// Named is a criterion with its current state.
type Named struct {
	ID, Text string
	Done     bool
	Skipped  bool // given up
}

func (n Named) status() Status {
	switch {
	case n.Skipped:
		return GivenUp
	case n.Done:
		return Met
	}
	return Open
}

// Limits of a page. Trackers accept about 65,000 characters.
const (
	maxBody  = 60_000
	maxItems = 60 // in one list
	reserve  = 300
)

// paper builds a page from self-contained parts. Once full it takes no more, so nothing is cut in
// the middle.
type paper struct {
	text strings.Builder
	cut  int // parts that did not fit
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

// section adds a heading and a list, unless the list is empty.
func (p *paper) section(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	p.put("## " + heading)
	if left := len(items) - maxItems; left > 0 {
		items = append([]string{fmt.Sprintf("(%d earlier ones are left out here)", left)}, items[left:]...)
	}
	for group := range slices.Chunk(items, 8) { // small compared with a page
		p.put("- " + strings.Join(group, "\n- "))
	}
}

// body finishes the page. Issue is where to find the rest.
func (p *paper) body(issue string) string {
	command := "warp report"
	if number(issue) {
		command = "warp evidence " + issue
	}
	if p.cut > 0 {
		fmt.Fprintf(&p.text, "This text is too long: %d parts are left out. `%s` shows all of it.\n", p.cut, command)
	}
	return strings.TrimRight(p.text.String(), "\n") + "\n"
}
