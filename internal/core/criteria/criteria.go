// Package criteria reads the acceptance criteria out of an issue's Markdown:
// its checkboxes, in order. It also checks one off, which changes one byte.
// Where an issue comes from, and what is done about a criterion, is left to
// others.
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

// box is a checkbox with the place of the mark between its brackets.
type box struct {
	Criterion
	mark int
}

// Parse lists the checkboxes of a text. One that names itself (AC-01: …) keeps
// its name; the others are named by their position. Two of one name are an
// error: it could not be told which of them is meant.
func Parse(markdown string) ([]Criterion, error) {
	boxes, err := boxes(markdown)
	if err != nil {
		return nil, err
	}
	var list []Criterion
	for _, b := range boxes {
		list = append(list, b.Criterion)
	}
	return list, nil
}

func boxes(markdown string) ([]box, error) {
	var list []box
	s := scanner{}
	offset, n := 0, 0
	for line := range strings.Lines(markdown) {
		n++
		if at := s.line(line); at.box >= 0 {
			if b, ok := read(line, at.box, len(list)+1); ok {
				b.Line, b.mark = n, offset+at.box+1
				list = append(list, b)
			}
		}
		offset += len(line)
	}
	seen := map[string]int{}
	for _, b := range list {
		if first := seen[b.ID]; first > 0 {
			return nil, fmt.Errorf("line %d: the criterion %s is there twice, first on line %d", b.Line, b.ID, first)
		}
		seen[b.ID] = b.Line
	}
	return list, nil
}

// read takes what stands at the beginning of a list item for a checkbox:
// "[ ] text", "[x] text".
func read(line string, at, position int) (box, bool) {
	rest := line[at:]
	if len(rest) < 4 || rest[0] != '[' || rest[2] != ']' || rest[3] != ' ' && rest[3] != '\t' || !strings.ContainsRune(" xX", rune(rest[1])) {
		return box{}, false
	}
	text := strings.TrimSpace(rest[4:])
	if text == "" {
		return box{}, false
	}
	id, text := named(text, position)
	return box{Criterion: Criterion{ID: id, Text: text, Done: rest[1] != ' '}}, true
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
