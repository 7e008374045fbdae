package learning

import (
	"encoding/json"
	"strings"

	"warp/internal/core/text"
)

// Said is a lesson as an agent reports it: a text, or an object with more.
type Said struct {
	Type    string `json:"type,omitempty"`
	Lesson  string `json:"lesson"`
	Pattern string `json:"pattern,omitempty"`
	Context string `json:"context,omitempty"`
}

// UnmarshalJSON accepts both. Anything else gives an empty lesson: one bad lesson must not spoil an
// answer.
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

// Text returns the lesson for people.
func (s Said) Text() string {
	if Fold(s.Pattern) == Fold(s.Lesson) || Fold(s.Pattern) == "" {
		return s.Lesson
	}
	return strings.TrimPrefix(s.Lesson+" -> "+s.Pattern, " -> ")
}

// From makes lessons from what an iteration's agent said: up to the limit per iteration, on one
// line each, without secrets. About provides the other members, and the default type and context.
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

func Texts(texts ...string) (list []Said) {
	for _, t := range texts {
		list = append(list, Said{Lesson: t})
	}
	return list
}
