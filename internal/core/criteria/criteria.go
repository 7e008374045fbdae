// Package criteria reads the acceptance criteria of an issue from its Markdown: its checkboxes, in
// order. It also checks one off, which changes one byte, and reads the test changes that a
// criterion allows.
package criteria

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Criterion struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Done bool   `json:"done"`
	Line int    `json:"line"` // counted from 1
}

// box is a checkbox with the offset of the mark between its brackets.
type box struct {
	Criterion
	number int // from an explicit name
	mark   int
}

// Parse lists the checkboxes of a text. One with an explicit name (AC-01: …) keeps it; the others
// are named by their position, or by the next free number. Duplicate names are an error: nothing
// tells them apart.
func Parse(markdown string) ([]Criterion, error) {
	boxes, err := findBoxes(markdown)
	if err != nil {
		return nil, err
	}
	var list []Criterion
	for _, b := range boxes {
		list = append(list, b.Criterion)
	}
	return list, nil
}

func findBoxes(markdown string) ([]box, error) {
	var list []box
	s := scanner{}
	offset, n := 0, 0
	for line := range strings.Lines(markdown) {
		n++
		if at := s.line(line); at.box >= 0 {
			if b, ok := readBox(line, at.box); ok {
				b.Line, b.mark = n, offset+at.box+1
				list = append(list, b)
			}
		}
		offset += len(line)
	}
	return list, nameBoxes(list)
}

// nameBoxes names the boxes without an explicit name by their position, or the next free number.
// Duplicate names are an error.
func nameBoxes(list []box) error {
	seen := map[int]int{}
	for _, b := range list {
		if b.number == 0 && b.ID == "" {
			continue
		}
		if first := seen[b.number]; first > 0 {
			return fmt.Errorf("line %d: the criterion %s appears twice, first on line %d", b.Line, b.ID, first)
		}
		seen[b.number] = b.Line
	}
	for i := range list {
		if list[i].ID != "" {
			continue
		}
		n := i + 1
		for seen[n] > 0 {
			n++
		}
		seen[n] = list[i].Line
		list[i].ID = fmt.Sprintf("AC-%02d", n)
	}
	return nil
}

// readBox reads a checkbox at the beginning of a list item: "[ ] text", "[x] text".
func readBox(line string, at int) (box, bool) {
	rest := line[at:]
	if len(rest) < 4 || rest[0] != '[' || rest[2] != ']' || rest[3] != ' ' && rest[3] != '\t' || !strings.ContainsRune(" xX", rune(rest[1])) {
		return box{}, false
	}
	text := strings.TrimSpace(rest[4:])
	if text == "" {
		return box{}, false
	}
	id, n, text := splitName(text)
	return box{Criterion: Criterion{ID: id, Text: text, Done: rest[1] != ' '}, number: n}, true
}

// splitName splits a criterion's explicit name from its text.
func splitName(text string) (id string, number int, rest string) {
	const emphasis = "*_`"
	plain := strings.TrimLeft(text, emphasis)
	if digits, ok := strings.CutPrefix(plain, "AC-"); ok {
		end := 0
		for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
			end++
		}
		after := strings.TrimLeft(digits[end:], emphasis)
		if end > 0 && end <= 6 && (after == "" || strings.ContainsRune(":.) -–—", []rune(after)[0])) {
			n, _ := strconv.Atoi(digits[:end]) // at most six digits
			rest = strings.TrimLeft(after, ":.)-–—")
			if plain != text { // **AC-01:** closes after the colon what was opened before the name
				rest = strings.TrimLeft(rest, emphasis)
			}
			return "AC-" + digits[:end], n, strings.TrimLeft(strings.TrimSpace(rest), ":.)-–— ")
		}
	}
	return "", 0, text
}

// Check checks or unchecks a criterion. It changes only the byte between the brackets, and nothing
// if the box is already right.
func Check(markdown, id string, done bool) (string, error) {
	list, err := findBoxes(markdown)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, b := range list {
		if b.ID != id {
			ids = append(ids, b.ID)
			continue
		}
		if b.Done == done {
			return markdown, nil
		}
		mark := " "
		if done {
			mark = "x"
		}
		return markdown[:b.mark] + mark + markdown[b.mark+1:], nil
	}
	if len(ids) == 0 {
		return "", fmt.Errorf("there is no criterion %s: the text has no checkboxes (- [ ] …)", id)
	}
	return "", fmt.Errorf("there is no criterion %s; the text has %s", id, strings.Join(ids, ", "))
}

// CheckThese checks every one of the criteria that the text has.
func CheckThese(markdown string, ids []string) string {
	list, err := findBoxes(markdown)
	if err != nil || len(ids) == 0 {
		return markdown
	}
	text := []byte(markdown)
	for _, b := range list {
		if !b.Done && slices.Contains(ids, b.ID) {
			text[b.mark] = 'x'
		}
	}
	return string(text)
}
