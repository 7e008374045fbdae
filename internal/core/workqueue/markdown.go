package workqueue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/untrusted"
)

// What LOOP_STATE.md shows at most.
const (
	shownOpen = 100
	shownDone = 20
)

// Markdown is LOOP_STATE.md: where the loop is, for people.
func (q *Queue) Markdown() string {
	loop := q.Loop
	if loop == nil {
		loop = &Loop{}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Loop State\n\n## Meta\n- Started: %s\n- Current Iteration: %d\n- Status: %s\n- Task: \"%s\"\n",
		cell(loop.Started), q.Iteration, cell(loop.Phase.Status()), cell(q.Task))
	if loop.Why != "" && loop.Phase.Final() {
		fmt.Fprintf(&b, "- Ended: %s\n", cell(loop.Why))
	}
	b.WriteString("\n## Quality Gates\n| Gate | Status | Last Check | Issues |\n|------|--------|------------|--------|\n")
	for _, g := range shownGates(q.GateResults) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(label(g.Name)), cell(strings.ToUpper(g.Status)), clock(g.Timestamp), issues(g.GateResult))
	}
	b.WriteString("\n## Work Queue\n| Priority | Item | Status |\n|----------|------|--------|\n")
	items, left := shownItems(q.Ordered())
	for _, it := range items {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(string(it.Priority)), cell(it.Title), cell(strings.ToUpper(it.Status)))
	}
	if left != "" {
		fmt.Fprintf(&b, "\n%s\n", left)
	}
	b.WriteString("\n## History\n")
	for _, line := range loop.History[max(0, len(loop.History)-Newest):] {
		fmt.Fprintf(&b, "- %s\n", cell(line))
	}
	return b.String()
}

// labels are what people call the gates, in the order in which they are shown.
var labels = [...][2]string{{"preflight", "Pre-flight"}, {"lint", "Lint"}, {"type", "Type"}, {"test", "Tests"}, {"security", "Security"}}

func label(name string) string {
	for _, l := range labels {
		if l[0] == name {
			return l[1]
		}
	}
	return name
}

func shownGates(gates Gates) Gates {
	place := func(g NamedResult) int {
		for i, l := range labels {
			if l[0] == g.Name {
				return i
			}
		}
		return len(labels)
	}
	list := slices.Clone(gates)
	slices.SortStableFunc(list, func(a, b NamedResult) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// clock is the time of day of a stamp.
func clock(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "-"
	}
	return t.UTC().Format("15:04:05")
}

func issues(g GateResult) string {
	text := strconv.Itoa(g.Issues)
	if g.Issues > 0 && g.Severity != "" {
		text += " (" + cell(string(g.Severity)) + ")"
	}
	return text
}

// shownItems leaves out the earliest of many that are done and the last of many
// that are not, and says how many.
func shownItems(list []Item) (shown []Item, left string) {
	done, open := 0, 0
	for _, it := range list {
		if it.Status == Done {
			done++
		}
	}
	earlier, later := max(0, done-shownDone), max(0, len(list)-done-shownOpen)
	since := newestDone(list)
	for _, it := range list {
		switch {
		case it.Status == Done && !since[it.ID]:
		case it.Status != Done && open == shownOpen:
		case it.Status != Done:
			open++
			fallthrough
		default:
			shown = append(shown, it)
		}
	}
	var parts []string
	if later > 0 {
		parts = append(parts, fmt.Sprintf("%d more are open.", later))
	}
	if earlier > 0 {
		parts = append(parts, fmt.Sprintf("%d more are done.", earlier))
	}
	return shown, strings.Join(parts, " ")
}

// newestDone are the ids of the items that were finished last.
func newestDone(list []Item) map[string]bool {
	done := slices.DeleteFunc(slices.Clone(list), func(it Item) bool { return it.Status != Done })
	when := func(it Item) int {
		if it.CompletedIteration == nil {
			return 0
		}
		return *it.CompletedIteration
	}
	slices.SortStableFunc(done, func(a, b Item) int { return cmp.Compare(when(b), when(a)) })
	ids := map[string]bool{}
	for _, it := range done[:min(len(done), shownDone)] {
		ids[it.ID] = true
	}
	return ids
}

// cell is somebody's text in one cell of a table: it opens no other cell or
// line, is no link, no image and no HTML, and hides nothing.
func cell(s string) string {
	s = untrusted.Visible(text.OneLine(text.Clip(s, 500)))
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, `<`, `&lt;`, `](`, `]\(`).Replace(s)
}
