package session

import (
	"encoding/json"
	"strings"
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
		return said{Summary: opening(firstOf(a.Text, a.Invalid))}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}

// opening is how a text begins.
func opening(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := []rune(text); len(cut) > 200 {
		return string(cut[:200]) + "…"
	}
	return text
}
