package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

const (
	maxSynthesis     = 1500
	maxSynthesisLine = 240
)

// Synthesis merges the findings of finished agents into a text of at most 1,500 bytes: the worst
// first, duplicates once, then further recommendations. It returns "" if there is nothing.
func Synthesis(results []Result) string {
	var b strings.Builder
	found := merge(results)
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = f.line()
	}
	list(&b, fmt.Sprintf("Findings of the finished agents (%s):\n", severities(found)), lines)
	list(&b, "Recommended by them:\n", listRecommendations(results))
	return b.String()
}

// list adds lines below a heading as far as they fit, and nothing without lines.
func list(b *strings.Builder, head string, lines []string) {
	if len(lines) == 0 || b.Len()+len(head)+len(more(len(lines))) > maxSynthesis {
		return
	}
	b.WriteString(head)
	for i, line := range lines {
		left := len(lines) - i - 1
		if b.Len()+len("- "+line+"\n")+len(more(left)) > maxSynthesis {
			b.WriteString(more(left + 1))
			return
		}
		b.WriteString("- " + line + "\n")
	}
}

// listRecommendations returns the distinct recommendations of results.
func listRecommendations(results []Result) (lines []string) {
	for _, r := range results {
		for _, text := range r.Recommendations {
			if line := oneLine(text, maxSynthesisLine); line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// more replaces the lines that do not fit.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("- and %d more\n", n)
}

// sourced is a finding with the agents that found it.
type sourced struct {
	Finding
	by []string
}

// merge sorts findings by severity. Of those with the same category and title it keeps the worst.
func merge(results []Result) (all []sourced) {
	for _, r := range results {
		for _, f := range r.Findings {
			all = append(all, sourced{f, []string{r.Type}})
		}
	}
	slices.SortStableFunc(all, func(a, b sourced) int { return strings.Compare(a.Severity, b.Severity) })
	place := map[string]int{}
	merged := all[:0]
	for _, f := range all {
		key := fold(f.Category) + "\n" + fold(f.Title)
		at, known := place[key]
		if !known {
			place[key] = len(merged)
			merged = append(merged, f)
		} else if by := &merged[at].by; !slices.Contains(*by, f.by[0]) {
			*by = append(*by, f.by[0])
		}
	}
	return merged
}

func fold(s string) string { return strings.ToLower(text.OneLine(s)) }

// severities counts findings by severity: "S0 1, S2 3".
func severities(found []sourced) string {
	var counts Counts
	for _, f := range found {
		counts = counts.add(oneLine(f.Severity, 8))
	}
	parts := make([]string, 0, len(counts))
	for _, c := range counts[:min(len(counts), 8)] { // other programs may write anything
		parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.N))
	}
	return strings.Join(parts, ", ")
}

func (f sourced) line() string {
	text := f.Severity
	if f.Category != "" {
		text += " " + f.Category
	}
	text += ": " + oneLine(f.Title, 120)
	if by := strings.Join(slices.DeleteFunc(f.by, func(s string) bool { return s == "" }), ", "); by != "" {
		text += " (" + oneLine(by, 60) + ")"
	}
	if f.Recommendation != "" {
		text += ". Recommended: " + f.Recommendation
	}
	return oneLine(text, maxSynthesisLine)
}
