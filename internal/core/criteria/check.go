package criteria

import (
	"fmt"
	"strings"
)

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
