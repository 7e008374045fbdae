package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Drawing describes how to show a table: which states can be reached from anywhere, besides the
// rows, and which state is the current one.
type Drawing[S ~string] struct {
	Start   S
	Current S      // highlighted, if not empty
	Trap    S      // drawn with a dashed arrow from every state of Trapped
	Trapped []S    // where a budget can trip
	Why     string // label of the dashed arrows
}

// Formats are the names that Render knows.
var Formats = []string{"mermaid", "dot", "markdown"}

// Render draws the table in one of Formats.
func (t *Table[S, E]) Render(format string, d Drawing[S]) (string, error) {
	switch format {
	case "markdown":
		return t.Markdown(), nil
	case "mermaid":
		return t.mermaid(d), nil
	case "dot":
		return t.dot(d), nil
	}
	return "", fmt.Errorf("there is no format %q; there are %s", format, strings.Join(Formats, ", "))
}

// Markdown formats the rows as a table.
func (t *Table[S, E]) Markdown() string {
	var b strings.Builder
	b.WriteString("| Phase | Event | Next Phase |\n| --- | --- | --- |\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.From, r.On, r.To)
	}
	return b.String()
}

func (t *Table[S, E]) mermaid(d Drawing[S]) string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	if d.Start != "" {
		fmt.Fprintf(&b, "    [*] --> %s\n", d.Start)
	}
	for _, e := range t.edges() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", e.from, e.to, strings.Join(e.on, ", "))
	}
	for _, s := range d.Trapped {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", s, d.Trap, d.Why)
	}
	for _, s := range t.final() {
		fmt.Fprintf(&b, "    %s --> [*]\n", s)
	}
	if d.Current != "" {
		fmt.Fprintf(&b, "    classDef current fill:#fd6,stroke:#a60\n    class %s current\n", d.Current)
	}
	return b.String()
}

func (t *Table[S, E]) dot(d Drawing[S]) string {
	var b strings.Builder
	b.WriteString("digraph phases {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n")
	for _, s := range t.final() {
		fmt.Fprintf(&b, "  %q [peripheries=2];\n", s)
	}
	if d.Current != "" {
		fmt.Fprintf(&b, "  %q [style=\"rounded,filled\", fillcolor=\"#ffdd66\"];\n", d.Current)
	}
	for _, e := range t.edges() {
		fmt.Fprintf(&b, "  %q -> %q [label=%q];\n", e.from, e.to, strings.Join(e.on, ", "))
	}
	for _, s := range d.Trapped {
		fmt.Fprintf(&b, "  %q -> %q [style=dashed, label=%q];\n", s, d.Trap, d.Why)
	}
	b.WriteString("}\n")
	return b.String()
}

type edge struct {
	from, to string
	on       []string
}

// edges joins the rows between the same two states: one arrow, several labels.
func (t *Table[S, E]) edges() []edge {
	var es []edge
	for _, r := range t.rows {
		i := slices.IndexFunc(es, func(e edge) bool { return e.from == string(r.From) && e.to == string(r.To) })
		if i < 0 {
			i = len(es)
			es = append(es, edge{from: string(r.From), to: string(r.To)})
		}
		es[i].on = append(es[i].on, string(r.On))
	}
	return es
}

// final lists the states without outgoing transitions.
func (t *Table[S, E]) final() []S {
	var ss []S
	for _, s := range t.States() {
		if len(t.Events(s)) == 0 {
			ss = append(ss, s)
		}
	}
	return ss
}
