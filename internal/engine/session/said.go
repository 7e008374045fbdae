package session

import (
	"encoding/json"

	"warp/internal/core/text"
)

// said is what an agent told of its iteration.
type said struct {
	Summary   string   `json:"summary"`
	Reasoning string   `json:"reasoning"`
	Plateau   bool     `json:"plateau"`
	Items     []string `json:"items_completed"`
	Found     []string `json:"items"` // work that it came across
	Learnings []string `json:"learnings"`
	Lessons   []string `json:"lessons"`
}

// said reads an agent's result. Without one its words are all that is known, and
// they claim nothing.
func (a *answer) said() (s said) {
	if a.Result == nil || json.Unmarshal(a.Result, &s) != nil {
		return said{Summary: text.Opening(firstOf(a.Text, a.Invalid))}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}
