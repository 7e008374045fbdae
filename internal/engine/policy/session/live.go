package session

import (
	"fmt"
	"strings"

	"warp/internal/core/livestate"
)

// Show adds a note to the live state for other processes. Agents' events are added where the agents
// run.
func (n Note) Show(s *livestate.State) {
	s.Title = n.Session
	switch n.Kind {
	case Said, Ending:
		return
	case Staged, Iterating, Phased:
		s.Do(n.At, n.doing())
	default:
		words := n.Text
		if n.Passed != nil {
			words = map[bool]string{true: "passed ", false: "failed "}[*n.Passed] + words
		}
		s.Say(n.At, n.Kind, words)
	}
}

func (n Note) doing() string {
	var words []string
	if n.Stage != "" {
		words = append(words, "stage "+n.Stage)
	}
	if n.Iteration > 0 {
		iteration := fmt.Sprintf("iteration %d", n.Iteration)
		if n.Most > 0 {
			iteration += fmt.Sprintf(" of at most %d", n.Most)
		}
		words = append(words, iteration)
	}
	if n.Kind == Phased {
		words = append(words, strings.ToLower(n.Text))
	}
	return strings.Join(words, ", ")
}
