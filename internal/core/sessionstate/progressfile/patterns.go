package progressfile

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/learning"
)

// Pattern is a lesson that stands under "Codebase Patterns".
type Pattern struct {
	ID   string // as a learning has it
	Text string
}

// promoted is the mark behind a pattern of ours, which we may take out again. What
// others wrote has none.
var promoted = regexp.MustCompile(`^- .* <!-- learned [0-9a-f]+ -->$`)

func (p Pattern) line() string {
	return "- " + line(p.Text, maxLine) + " <!-- learned " + p.ID + " -->"
}

// SetPatterns puts lessons under "Codebase Patterns", the first of them that fit into
// so many bytes, in place of those that were put there before. What others wrote there
// stays, and is not said twice.
func SetPatterns(text string, list []Pattern, most int) string {
	kept, known, at := withoutOurs(text)
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

// withoutOurs are the lines of a file but for our patterns, what those say that stand
// there besides, and where ours go; -1: there is no place for them.
func withoutOurs(text string) (kept []string, known map[string]bool, at int) {
	lines := strings.Split(text, "\n")
	known, at = map[string]bool{}, -1
	top, in, here := true, false, false // here: no other heading stands between
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

// opens tells whether a section begins behind some lines.
func opens(lines []string) bool {
	for _, l := range slices.Backward(lines) {
		if l != "" {
			return l == rule
		}
	}
	return true
}

// addBlock puts a block where the first section begins.
func addBlock(text, block string) string {
	blocks := split(text)
	first := 0
	if !strings.HasPrefix(blocks[0], "## ") && blocks[0] != "" {
		first = 1
	}
	return join(slices.Insert(blocks, first, block))
}

// fold is what a line of the file says, however it is written.
func fold(l string) string {
	l, _, _ = strings.Cut(l, " <!-- ")
	return learning.Fold(strings.TrimPrefix(strings.TrimPrefix(l, "- "), "Learning: "))
}

// fresh leaves out the lessons that stand in the file already, as a pattern or in the
// section of an earlier iteration.
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
