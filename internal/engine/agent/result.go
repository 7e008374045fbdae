package agent

import (
	"fmt"
	"strings"

	"warp/internal/core/lossless"
)

// member is one member of a role's result.
type member struct {
	name     string
	form     string // string, boolean, number, strings, objects, chunks, lessons, object
	required bool
	within   []member // of objects
}

// forms are the results by role. Only verdicts are required: the engine does without the rest.
var forms = map[Role][]member{
	Plan:    {{name: "approach", form: "string"}, {name: "chunks", form: "chunks"}},
	Code:    summary,
	Fix:     summary,
	Verify:  {{name: "criteria", form: "objects", required: true, within: []member{{name: "id", form: "string", required: true}, {name: "met", form: "boolean", required: true}, {name: "reason", form: "string"}}}},
	Judge:   {{name: "stop", form: "boolean", required: true}, {name: "reason", form: "string"}, {name: "confidence", form: "number"}},
	Choose:  {{name: "choice", form: "string", required: true}, {name: "reason", form: "string"}},
	Iterate: {{name: "summary", form: "string"}, {name: "plateau", form: "boolean"}, {name: "reasoning", form: "string"}, {name: "items_completed", form: "strings"}},
	Supervise: {{name: "conflicts", form: "objects", required: true, within: []member{
		{name: "type", form: "string", required: true}, {name: "severity", form: "string", required: true}, {name: "action", form: "string"}, {name: "resolution", form: "string"}}}},
	Scan: {{name: "findings", form: "objects", required: true, within: []member{
		{name: "title", form: "string", required: true}, {name: "priority", form: "string"}, {name: "files", form: "strings"}}}},
}

var summary = []member{
	{name: "summary", form: "string"},
	{name: "decision", form: "object", within: []member{{name: "question", form: "string", required: true}, {name: "options", form: "strings"}, {name: "default", form: "string"}}},
}

// lesson is a lesson that is more than a text. Readers of lessons skip whatever is neither: that
// does not devalue a verdict.
var lesson = []member{{name: "type", form: "string"}, {name: "lesson", form: "string"}, {name: "pattern", form: "string"}, {name: "context", form: "string"}}

// extras may come with any result.
var extras = []member{{name: "learnings", form: "lessons"}, {name: "lessons", form: "lessons"}, {name: "items", form: "strings"}}

// Schema returns the JSON schema of a role's result.
func Schema(r Role) []byte {
	return lossless.AppendCompact(nil, objectSchema(append(append([]member{}, forms[r]...), extras...)))
}

func objectSchema(members []member) *lossless.Value {
	var props []lossless.Member
	required := &lossless.Value{Kind: lossless.Array}
	for _, m := range members {
		props = append(props, lossless.Member{Key: m.name, Value: m.schema()})
		if m.required {
			required.Elems = append(required.Elems, lossless.NewString(m.name))
		}
	}
	return lossless.NewObject(
		lossless.Member{Key: "type", Value: lossless.NewString("object")},
		lossless.Member{Key: "properties", Value: lossless.NewObject(props...)},
		lossless.Member{Key: "required", Value: required})
}

func (m member) schema() *lossless.Value {
	array := func(items *lossless.Value) *lossless.Value {
		return lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString("array")}, lossless.Member{Key: "items", Value: items})
	}
	word := lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString("string")})
	switch m.form {
	case "strings":
		return array(word)
	case "chunks":
		return array(array(word))
	case "objects":
		return array(objectSchema(m.within))
	case "lessons":
		either := &lossless.Value{Kind: lossless.Array, Elems: []*lossless.Value{word, objectSchema(lesson)}}
		return array(lossless.NewObject(lossless.Member{Key: "anyOf", Value: either}))
	case "object":
		return objectSchema(m.within)
	}
	return lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString(m.form)})
}

// Valid returns why a value is no result of a role, or "".
func Valid(r Role, v *lossless.Value) string {
	if v == nil {
		return "there is none"
	}
	return check(append(append([]member{}, forms[r]...), extras...), v, "it")
}

func check(members []member, v *lossless.Value, what string) string {
	if v.Kind != lossless.Object {
		return fmt.Sprintf("%s must be an object, not %s", what, v.Kind)
	}
	for _, m := range members {
		x := v.Get(m.name)
		if x == nil || x.Kind == lossless.Null {
			if m.required {
				return fmt.Sprintf("%s lacks %s", what, m.name)
			}
			continue
		}
		if why := m.check(x); why != "" {
			return why
		}
	}
	return ""
}

func (m member) check(v *lossless.Value) string {
	switch m.form {
	case "string":
		return checkKind(m.name, v, lossless.String)
	case "boolean":
		return checkKind(m.name, v, lossless.Bool)
	case "number":
		return checkKind(m.name, v, lossless.Number)
	case "object":
		return check(m.within, v, m.name)
	}
	if why := checkKind(m.name, v, lossless.Array); why != "" {
		return why
	}
	for i, e := range v.Elems {
		what := fmt.Sprintf("%s[%d]", m.name, i)
		why := ""
		switch m.form {
		case "strings":
			why = checkKind(what, e, lossless.String)
		case "chunks":
			why = member{name: what, form: "strings"}.check(e)
		case "objects":
			why = check(m.within, e, what)
		}
		if why != "" {
			return why
		}
	}
	return ""
}

func checkKind(what string, v *lossless.Value, want lossless.Kind) string {
	if v.Kind != want {
		return fmt.Sprintf("%s must be %s, not %s", what, want, v.Kind)
	}
	return ""
}

// Extract finds a result in an agent's text: the whole text, or the last fenced block that is one.
// It does not search prose.
func Extract(r Role, words string) *lossless.Value {
	if v := parseResult(r, words); v != nil {
		return v
	}
	var found *lossless.Value
	for rest := words; ; {
		_, after, open := strings.Cut(rest, fence)
		block, next, shut := strings.Cut(after, fence)
		if !open || !shut {
			return found
		}
		_, body, _ := strings.Cut(block, "\n") // the language
		if v := parseResult(r, body); v != nil {
			found = v
		}
		rest = next
	}
}

const fence = "```"

func parseResult(r Role, s string) *lossless.Value {
	v, err := lossless.Parse([]byte(strings.TrimSpace(s)))
	if err != nil || Valid(r, v) != "" {
		return nil
	}
	return v
}
