package progressfile

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/learning"
)

// Pattern is a lesson under "Codebase Patterns".
type Pattern struct {
	ID   string // the learning's
	Text string
}

// promoted matches our own patterns by their mark, which we may remove again. Other people's lines
// have no mark.
var promoted = regexp.MustCompile(`^- .* <!-- learned [0-9a-f]+ -->$`)

func (p Pattern) line() string {
	return "- " + line(p.Text, maxLine) + " <!-- learned " + p.ID + " -->"
}

// SetPatterns puts lessons under "Codebase Patterns", as many as fit into that many bytes,
// replacing those put there before. What others wrote there stays, and is not repeated.
func SetPatterns(text string, list []Pattern, most int) string {
	kept, _, _ := withoutOurs(text)
	// Read again: without our line below it, a person's line of dashes may be a rule.
	kept, known, at := withoutOurs(strings.Join(kept, "\n"))
	var ours []string
	for _, p := range list {
		l := p.line()
		if words := fold(l); len(l)+1 <= most && words != "" && !known[words] {
			known[words] = true
			most -= len(l) + 1
			ours = append(ours, l)
		}
	}
	switch {
	case at >= 0:
		return strings.Join(slices.Insert(kept, at, ours...), "\n")
	case len(ours) == 0:
		return text
	}
	return addBlock(text, patterns+"\n"+strings.Join(ours, "\n"))
}

// withoutOurs returns a file's lines without our patterns, the texts of the other patterns, and
// where ours go; -1 if there is no place.
func withoutOurs(text string) (kept []string, known map[string]bool, at int) {
	lines := strings.Split(text, "\n")
	known, at = map[string]bool{}, -1
	top, in, here := true, false, false // here: no other heading in between
	for i, l := range lines {
		switch {
		case l == patterns && (top || opens(lines[:i])):
			in, here = true, at < 0
		case l == rule && begins(lines[i+1:]):
			top, in, here = false, false, false
		case strings.HasPrefix(l, "## "):
			here = false
		}
		if in && promoted.MatchString(l) {
			continue
		}
		kept = append(kept, l)
		if in && l != patterns {
			known[fold(l)] = true
		}
		if here && l != "" {
			at = len(kept)
		}
	}
	return kept, known, at
}

// opens reports whether a section begins after some lines.
func opens(lines []string) bool {
	for _, l := range slices.Backward(lines) {
		if l != "" {
			return l == rule
		}
	}
	return true
}

// addBlock inserts a block before the first section.
func addBlock(text, block string) string {
	blocks := split(text)
	first := 0
	if !strings.HasPrefix(blocks[0], "## ") && blocks[0] != "" {
		first = 1
	}
	return join(slices.Insert(blocks, first, block))
}

// fold normalises what a line of the file says.
func fold(l string) string {
	l, _, _ = strings.Cut(l, " <!-- ")
	return learning.Fold(strings.TrimPrefix(strings.TrimPrefix(l, "- "), "Learning: "))
}

// fresh drops the lessons that are already in the file, as a pattern or in an earlier section.
func fresh(text string, lessons []string) (list []string) {
	known := map[string]bool{"": true}
	for l := range strings.Lines(text) {
		if l = strings.TrimRight(l, "\r\n"); strings.HasPrefix(l, "- ") {
			known[fold(l)] = true
		}
	}
	for _, said := range lessons {
		if words := fold(line(said, maxLine)); !known[words] {
			known[words] = true
			list = append(list, said)
		}
	}
	return list
}
