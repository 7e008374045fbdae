package session

import (
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// Report is what an agent told of its iteration.
type Report struct {
	Summary   string   `json:"summary"`
	Reasoning string   `json:"reasoning"`
	Plateau   bool     `json:"plateau"`
	Done      []string `json:"items_completed"`
	Found     []string `json:"items"` // work that it came across
	Learnings []string `json:"learnings"`
	Lessons   []string `json:"lessons"`
}

// ReportOf reads what an agent reports. Without a result its words are all that is
// known, and they claim nothing; a run that came to nothing reports nothing.
func ReportOf(a step.Answer) (s Report) {
	if a.End != agent.Done {
		return s
	}
	if !a.Read(&s) {
		return Report{Summary: text.Opening(firstOf(a.Text, a.Invalid))}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return "it said nothing that could be read"
}
