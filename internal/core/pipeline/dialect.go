package pipeline

import (
	"slices"
	"strings"
)

// terminations are the dialect's strategies: until for each, the key of its number, and
// all its keys.
var terminations = map[string]struct {
	until, number string
	keys          []string
}{
	"queue":    {"queue", "", []string{"type", "max"}},
	"judgment": {"plateau", "consensus", []string{"type", "consensus", "min_iterations", "max"}},
	"fixed":    {"fixed", "iterations", []string{"type", "iterations", "max"}},
}

// translateTermination says until, runs and min_iterations of a stage as the dialect's
// termination does.
func (r *reader) translateTermination(stage, n *node) {
	kind := n.get("type")
	if kind == nil {
		r.say(n.place, "termination must be a mapping with a type: queue, judgment or fixed")
		return
	}
	t, ok := terminations[kind.text]
	if !ok {
		r.say(kind.place, "type must be queue, judgment or fixed, not %s", kind.quoted())
		return
	}
	var fields []field
	for _, key := range t.keys {
		fields = append(fields, field{key: key})
	}
	said := newMapping(n.place)
	r.addKeys(said, n, "a termination of the type "+kind.text, "", fields)
	until := &node{place: n.place, kind: textKind, text: t.until}
	if number := said.get(t.number); number != nil {
		until.text += " " + number.text
		r.value(number, t.number, "count")
	}
	stage.set("until", "termination", until)
	for key, from := range map[string]string{"min_iterations": "min_iterations", "runs": "max"} {
		if v := said.get(from); v != nil && !stage.has(key) {
			stage.set(key, from, v)
		}
	}
}

// efforts are what may stand behind a model's name and a colon. Other colons belong to
// the name.
var efforts = []string{"minimal", "low", "medium", "standard", "high", "xhigh", "max"}

// SplitModel takes the effort from a model as it is written: gpt-5:high.
func SplitModel(written string) (model, effort string) {
	if i := strings.LastIndexByte(written, ':'); i > 0 && slices.Contains(efforts, written[i+1:]) {
		return written[:i], written[i+1:]
	}
	return written, ""
}
