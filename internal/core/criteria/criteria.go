// Package criteria reads the acceptance criteria out of an issue's Markdown:
// its checkboxes, in order. Where an issue comes from, and what is done about a
// criterion, is left to others.
package criteria

import (
	"fmt"
	"strings"
)

// Criterion is one checkbox.
type Criterion struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Done bool   `json:"done"`
	Line int    `json:"line"` // counted from 1
}

// Parse lists the checkboxes of a text. One that names itself (AC-01: …) keeps
// its name; the others are named by their position. Two of one name are an
// error: it could not be told which of them is meant.
func Parse(markdown string) ([]Criterion, error) {
	var list []Criterion
	fence := ""
	n := 0
	for line := range strings.Lines(markdown) {
		n++
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark[:3]
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if done, text, ok := box(line); ok {
			c := Criterion{Text: text, Done: done, Line: n}
			c.ID, c.Text = named(text, len(list)+1)
			list = append(list, c)
		}
	}
	seen := map[string]int{}
	for _, c := range list {
		if first := seen[c.ID]; first > 0 {
			return nil, fmt.Errorf("line %d: the criterion %s is there twice, first on line %d", c.Line, c.ID, first)
		}
		seen[c.ID] = c.Line
	}
	return list, nil
}

func fenceOf(line string) string {
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return line
	}
	return ""
}

// box takes a list item with a checkbox apart: "- [ ] text", "* [x] text",
// "1. [ ] text".
func box(line string) (done bool, text string, ok bool) {
	rest := strings.TrimLeft(line, "0123456789")
	switch {
	case rest != line && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")):
		rest = rest[2:]
	case rest == line && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")):
		rest = line[2:]
	default:
		return false, "", false
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) < 4 || rest[0] != '[' || rest[2] != ']' || rest[3] != ' ' || !strings.ContainsRune(" xX", rune(rest[1])) {
		return false, "", false
	}
	text = strings.TrimSpace(rest[4:])
	return rest[1] != ' ', text, text != ""
}

// named splits a criterion's own name from its text.
func named(text string, position int) (id, rest string) {
	plain := strings.TrimLeft(text, "*_`")
	if digits, ok := strings.CutPrefix(plain, "AC-"); ok {
		end := 0
		for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
			end++
		}
		after := strings.TrimLeft(digits[end:], "*_`")
		if end > 0 && end <= 6 && (after == "" || strings.ContainsRune(":.) -–—", []rune(after)[0])) {
			return "AC-" + digits[:end], strings.TrimSpace(strings.TrimLeft(after, ":.)-–—*_` "))
		}
	}
	return fmt.Sprintf("AC-%02d", position), text
}
