package learning

import (
	"encoding/json"
	"strings"

	"warp/internal/core/text"
)

// Said is a lesson as an agent gives it: a text, or an object that says more.
type Said struct {
	Type    string `json:"type,omitempty"`
	Lesson  string `json:"lesson"`
	Pattern string `json:"pattern,omitempty"`
	Context string `json:"context,omitempty"`
}

// UnmarshalJSON takes either. What is neither says nothing: an answer is not worth
// less because one of its lessons is none.
func (s *Said) UnmarshalJSON(data []byte) error {
	*s = Said{}
	if json.Unmarshal(data, &s.Lesson) == nil {
		return nil
	}
	type object Said
	var o object
	if json.Unmarshal(data, &o) == nil {
		*s = Said(o)
	}
	return nil
}

// Text is what it says, for people.
func (s Said) Text() string {
	if Fold(s.Pattern) == Fold(s.Lesson) || Fold(s.Pattern) == "" {
		return s.Lesson
	}
	return strings.TrimPrefix(s.Lesson+" -> "+s.Pattern, " -> ")
}

// From makes lessons of what the agent of an iteration said: no more than an iteration
// may teach, on one line each, without secrets. About has the rest of them, and the type
// and the context of those that name none.
func From(about Learning, said []Said, redact func(string) string) (list []Learning) {
	for _, s := range said[:min(len(said), maxSaid)] {
		l := about
		l.Lesson, l.Pattern = text.Opening(redact(s.Lesson)), text.Opening(redact(s.Pattern))
		if Fold(l.Lesson) == "" {
			l.Lesson = l.Pattern
		}
		if Fold(l.Pattern) == "" {
			l.Pattern = l.Lesson
		}
		if s.Type != "" {
			l.Type = s.Type
		}
		if context := text.Opening(redact(s.Context)); context != "" {
			l.Context = context
		}
		if Fold(l.Lesson) != "" {
			list = append(list, l.Bounded())
		}
	}
	return list
}

// Texts makes lessons of texts.
func Texts(texts ...string) (list []Said) {
	for _, t := range texts {
		list = append(list, Said{Lesson: t})
	}
	return list
}
