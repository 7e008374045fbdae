package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/cycle"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// linker builds the graph of a pipeline's stages.
type linker struct {
	*yamltree.Problems
	*Pipeline
	names map[string]named
	edges map[[2]int]yamltree.Place // where a stage names another that it waits for
}

// named is something that stages can name: a stage, a branch, or a stage of a branch.
type named struct {
	stage int
	at    yamltree.Place
}

// linkStages turns the names in stages into edges. If no stage names another, the stages run in
// order; in the dialect they always do, whatever they read.
func (l *linker) linkStages(isDialect bool) {
	isGraph := false
	for i := range l.Stages {
		s := &l.Stages[i]
		s.nameMembers()
		l.claimNames(i)
		l.expandAllInputs(i)
		isGraph = isGraph || s.node.Has("needs") || !isDialect && (s.node.Has("inputs") || len(s.outsideInputs()) > 0)
	}
	for i := range l.Stages {
		s := &l.Stages[i]
		if !isGraph && i > 0 {
			s.After = []int{i - 1}
		}
		for k, need := range s.Needs {
			l.addEdge(i, need, s.node.Get("needs").Elements()[k].Place)
		}
		for _, in := range s.outsideInputs() {
			l.addEdge(i, in.From, in.node.Where("from"))
		}
	}
	l.reportCycles()
}

// claimNames registers the names of a stage, its branches, and their stages.
func (l *linker) claimNames(stage int) {
	s := &l.Stages[stage]
	claim := func(prefix, id string, at yamltree.Place) bool {
		first, isTaken := l.names[prefix+id]
		switch {
		case id == "": // already reported
			return false
		case isTaken:
			l.Report(at, "%q is already the name of what is in line %d", id, first.at.Line)
			return false
		case prefix != "" && !text.ValidName(prefix+id):
			l.Report(at, "%q is not a name (%s)", prefix+id, text.NameRule)
		}
		l.names[prefix+id] = named{stage, at}
		return true
	}
	if !claim("", s.ID, s.node.Where("id")) {
		return
	}
	for _, m := range s.members() {
		isNew := claim(s.ID+".", m.ID, m.node.Where("id", "agent"))
		for _, sub := range s.chain() {
			_ = isNew && claim(s.ID+"."+m.ID+".", sub.ID, sub.node.Where("id"))
		}
	}
}

func (l *linker) addEdge(stage int, name string, at yamltree.Place) {
	s := &l.Stages[stage]
	before, ok := l.names[name]
	switch {
	case name == "": // already reported
	case !ok:
		l.Report(at, "there is no stage %q%s", name, text.DidYouMean(name, slices.Sorted(maps.Keys(l.names))))
	case before.stage == stage && name != s.ID:
		l.Report(at, "%q is in the same parallel stage, whose branches do not see each other; read it in a later stage", name)
	case before.stage == stage:
		l.Report(at, "the stage %q waits for itself", name)
	case !slices.Contains(s.After, before.stage):
		s.After = append(s.After, before.stage)
		slices.Sort(s.After)
		l.edges[[2]int{stage, before.stage}] = at
	}
}

func (l *linker) reportCycles() {
	var waits [][]int
	for _, s := range l.Stages {
		waits = append(waits, s.After)
	}
	for _, stages := range cycle.Find(waits) {
		ring := append(stages, stages[0])
		ids := []string{l.Stages[ring[0]].ID}
		var at yamltree.Place // position of a written edge; a plain list also has implicit ones
		for i, before := range ring[1:] {
			ids = append(ids, l.Stages[before].ID)
			if written, ok := l.edges[[2]int{ring[i], before}]; ok {
				at = written
			}
		}
		l.Report(at, "stages wait for each other: %s", strings.Join(ids, " -> "))
	}
}

// Order returns an order in which the stages can run: of those that wait for nothing, the first as
// written. It omits stages that wait for each other.
func (p *Pipeline) Order() (order []int) {
	isDone := func(i int) bool { return slices.Contains(order, i) }
	for i := 0; i < len(p.Stages); i++ {
		waits := slices.ContainsFunc(p.Stages[i].After, func(a int) bool { return !isDone(a) })
		if !isDone(i) && !waits {
			order = append(order, i)
			i = -1 // an earlier stage may be next
		}
	}
	return order
}
