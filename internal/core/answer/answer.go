// Package answer knows what an agent in each role answers: the form of its result, the JSON schema
// that asks for it, and how to find it in what the agent said. It is pure, and the only place that
// knows the forms; what an engine does with an answer is the engine's.
package answer

import (
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

// Role is the part that an agent plays.
type Role string

const (
	Plan      Role = "plan"
	Code      Role = "code"
	Fix       Role = "fix"
	Verify    Role = "verify"
	Judge     Role = "judge"
	Supervise Role = "supervise"
	Scan      Role = "scan"
	Iterate   Role = "iterate"
	Choose    Role = "choose"
	Check     Role = "check"
)

// Roles are all roles.
var Roles = []Role{Plan, Code, Fix, Verify, Judge, Supervise, Scan, Iterate, Choose, Check}

// member is one member of a role's result.
type member struct {
	name     string
	form     string // string, boolean, number, strings, ids, id, objects, chunks, lessons, object
	required bool
	within   []member // of objects
}

// forms are the results by role. Only verdicts are required: the engine does without the rest.
var forms = map[Role][]member{
	Plan: {{name: "approach", form: "string"}, {name: "chunks", form: "chunks"}},
	Code: coded,
	Fix:  coded,
	Verify: {
		{name: "criteria", form: "objects", required: true, within: []member{{name: "id", form: "id", required: true}, {name: "met", form: "boolean", required: true}, {name: "reason", form: "string"}}},
		{name: "unasked", form: "objects", within: []member{{name: "file", form: "string", required: true}, {name: "why", form: "string"}}},
	},
	Judge:   {{name: "stop", form: "boolean", required: true}, {name: "reason", form: "string"}, {name: "confidence", form: "number"}},
	Choose:  {{name: "choice", form: "string", required: true}, {name: "reason", form: "string"}},
	Iterate: append([]member{{name: "plateau", form: "boolean"}, {name: "reasoning", form: "string"}, {name: "items_completed", form: "strings"}}, made...),
	Supervise: {{name: "conflicts", form: "objects", required: true, within: []member{
		{name: "type", form: "string", required: true}, {name: "severity", form: "string", required: true}, {name: "action", form: "string"}, {name: "resolution", form: "string"}}}},
	Check: {{name: "criteria", form: "objects", required: true, within: []member{
		{name: "id", form: "id", required: true}, {name: "kind", form: "strings", required: true}, {name: "contract", form: "string"}, {name: "decided", form: "string"},
		{name: "command", form: "string"}, {name: "keep_as", form: "string"}, {name: "why", form: "string"}}}},
	Scan: {{name: "findings", form: "objects", required: true, within: []member{
		{name: "title", form: "string", required: true}, {name: "priority", form: "string"}, {name: "files", form: "strings"}}}},
}

// coded is the result of a coder: what it made, which criteria need no change, and what it objects
// to in the verdict that it was shown.
var coded = append([]member{{name: "done", form: "ids"}, {name: "objection", form: "string"}}, made...)

// made is what each role that changes files may say of its work: a line for the commit, the files
// that belong in it, and a question to a person.
var made = []member{
	{name: "summary", form: "string"},
	{name: "commit", form: "string"},
	{name: "files", form: "strings"},
	{name: "decision", form: "object", within: []member{{name: "question", form: "string", required: true}, {name: "options", form: "strings"}, {name: "default", form: "string"}}},
}

// lesson is a lesson that is more than a text. Readers of lessons skip whatever is neither: that
// does not devalue a verdict.
var lesson = []member{{name: "type", form: "string"}, {name: "lesson", form: "string"}, {name: "pattern", form: "string"}, {name: "context", form: "string"}}

// extras may come with any result.
var extras = []member{{name: "learnings", form: "lessons"}, {name: "lessons", form: "lessons"}, {name: "items", form: "strings"}}

// Schema returns the JSON schema of a role's result. Where the result names criteria, it allows
// only the ids that are asked for; none: any.
func Schema(r Role, ids []string) []byte {
	return lossless.AppendCompact(nil, objectSchema(membersOf(r), ids))
}

func membersOf(r Role) []member { return slices.Concat(forms[r], extras) }

func objectSchema(members []member, ids []string) *lossless.Value {
	var props []lossless.Member
	required := &lossless.Value{Kind: lossless.Array}
	for _, m := range members {
		props = append(props, lossless.Member{Key: m.name, Value: m.schema(ids)})
		if m.required {
			required.Elems = append(required.Elems, lossless.NewString(m.name))
		}
	}
	return lossless.NewObject(
		lossless.Member{Key: "type", Value: lossless.NewString("object")},
		lossless.Member{Key: "properties", Value: lossless.NewObject(props...)},
		lossless.Member{Key: "required", Value: required})
}

func (m member) schema(ids []string) *lossless.Value {
	array := func(items *lossless.Value) *lossless.Value {
		return lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString("array")}, lossless.Member{Key: "items", Value: items})
	}
	word := lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString("string")})
	id := word
	if len(ids) > 0 {
		id = lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString("string")}, lossless.Member{Key: "enum", Value: lossless.Encode(ids, nil)})
	}
	switch m.form {
	case "id":
		return id
	case "ids":
		return array(id)
	case "strings":
		return array(word)
	case "chunks":
		return array(array(id))
	case "objects":
		return array(objectSchema(m.within, ids))
	case "lessons":
		either := &lossless.Value{Kind: lossless.Array, Elems: []*lossless.Value{word, objectSchema(lesson, nil)}}
		return array(lossless.NewObject(lossless.Member{Key: "anyOf", Value: either}))
	case "object":
		return objectSchema(m.within, ids)
	}
	return lossless.NewObject(lossless.Member{Key: "type", Value: lossless.NewString(m.form)})
}

// Valid returns why a value is no result of a role, or "".
func Valid(r Role, v *lossless.Value) string {
	if v == nil {
		return "there is none"
	}
	return check(membersOf(r), v, "it")
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
	case "string", "id":
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
		case "strings", "ids":
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
