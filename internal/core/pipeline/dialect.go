package pipeline

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// termination is how the dialect says until, runs and min_iterations of a stage.
type termination struct {
	Type          string `yaml:"type,line"`
	Consensus     int    `yaml:"consensus,count"`
	Iterations    int    `yaml:"iterations,count"`
	MinIterations int    `yaml:"min_iterations,count"`
	Max           int    `yaml:"max,count"`

	marks
}

// terminations are the types, and until for each.
var terminations = map[string]string{"queue": "queue", "judgment": "plateau", "fixed": "fixed"}

// translateTermination says it as stages do. A bound that the stage has itself stays.
func (d *decoder) translateTermination(n *node, s *Stage) {
	kind := n.get("type")
	if kind == nil {
		d.report(n.place, "termination must be a mapping with a type: queue, judgment or fixed")
		return
	}
	until, ok := terminations[kind.text]
	if !ok {
		d.report(kind.place, "type must be queue, judgment or fixed, not %s", kind.quoted())
		return
	}
	var t termination
	d.decode(n, "a termination of the type "+kind.text, reflect.ValueOf(&t).Elem())
	if number := cmp.Or(t.Consensus, t.Iterations); number > 0 {
		until += fmt.Sprint(" ", number)
	}
	s.Until, s.at["until"] = until, n.place
	if t.at.has("min_iterations") && !s.at.has("min_iterations") {
		s.MinIterations, s.at["min_iterations"] = t.MinIterations, t.at["min_iterations"]
	}
	if t.at.has("max") && !s.at.has("runs") {
		s.Runs, s.at["runs"] = t.Max, t.at["max"]
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
