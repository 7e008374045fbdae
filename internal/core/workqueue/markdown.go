package workqueue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/text"
)

// Limits of LOOP_STATE.md.
const (
	shownOpen = 100
	shownDone = 20
)

// Markdown returns LOOP_STATE.md, which shows people where the loop is.
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
		label, _ := labelOf(g.Name)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(label), cell(strings.ToUpper(g.Status)), clock(g.Timestamp), issues(g.GateResult))
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
	for _, line := range loop.History[max(0, len(loop.History)-newest):] {
		fmt.Fprintf(&b, "- %s\n", cell(line))
	}
	return b.String()
}

// labels are the display names of gates, in display order.
var labels = [][2]string{{"preflight", "Pre-flight"}, {"lint", "Lint"}, {"type", "Type"}, {"test", "Tests"}, {"security", "Security"}}

// labelOf returns a gate's label and position; gates without a label come last.
func labelOf(gate string) (label string, place int) {
	i := slices.IndexFunc(labels, func(l [2]string) bool { return l[0] == gate })
	if i < 0 {
		return gate, len(labels)
	}
	return labels[i][1], i
}

func shownGates(gates Gates) Gates {
	list := slices.Clone(gates)
	slices.SortStableFunc(list, func(a, b NamedResult) int {
		_, first := labelOf(a.Name)
		_, second := labelOf(b.Name)
		return cmp.Compare(first, second)
	})
	return list
}

// clock returns the time of day of a stamp.
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

// shownItems limits the list, dropping the earliest done items and the last open ones, and says how
// many.
func shownItems(list []Item) (shown []Item, left string) {
	open := slices.DeleteFunc(slices.Clone(list), func(it Item) bool { return it.Status == Done })
	done := slices.DeleteFunc(slices.Clone(list), func(it Item) bool { return it.Status != Done })
	slices.SortStableFunc(done, func(a, b Item) int { return cmp.Compare(b.completedIn(), a.completedIn()) })
	var parts []string
	if more := len(open) - shownOpen; more > 0 {
		open = open[:shownOpen]
		parts = append(parts, fmt.Sprintf("%d more are open.", more))
	}
	if more := len(done) - shownDone; more > 0 {
		done = done[:shownDone]
		parts = append(parts, fmt.Sprintf("%d more are done.", more))
	}
	kept := append(IDs(open), IDs(done)...)
	shown = slices.DeleteFunc(slices.Clone(list), func(it Item) bool { return !slices.Contains(kept, it.ID) })
	return shown, strings.Join(parts, " ")
}

// completedIn returns the iteration in which an item was done; 0 if unknown.
func (it Item) completedIn() int {
	if it.CompletedIteration == nil {
		return 0
	}
	return *it.CompletedIteration
}

// cell escapes a text for one table cell: it cannot start another cell or line, link, show an image
// or HTML, or hide anything.
func cell(s string) string {
	s = text.Visible(text.OneLine(text.Clip(s, 500)))
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, `<`, `&lt;`, `](`, `]\(`).Replace(s)
}
