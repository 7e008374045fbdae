package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/cycle"
	"warp/internal/core/text"
)

// linker makes the graph of a pipeline's stages.
type linker struct {
	*problems
	*Pipeline
	isDialect bool
	index     map[string]int // of stages, by their ids and by the names of their branches
}

// linkStages makes edges of what stages name. Where no stage of a file names any, the
// stages run one after the other; in the dialect they do so whatever they read.
func (l *linker) linkStages() {
	l.index = map[string]int{}
	isGraph := false
	for i := range l.Stages {
		s := &l.Stages[i]
		l.nameMembers(s)
		for _, inputs := range s.inputLists() {
			*inputs = l.expandInputs(l.Stages[:i], *inputs)
		}
		isGraph = isGraph || s.at.has("needs") || !l.isDialect && (s.at.has("inputs") || len(s.branchInputs()) > 0)
		if first, twice := l.index[s.ID]; twice && s.ID != "" {
			l.report(s.at.first("id"), "%q is the id of two stages; the first is in line %d", s.ID, l.Stages[first].at.first("id").line)
		} else {
			l.index[s.ID] = i
		}
	}
	for i := range l.Stages {
		l.indexBranches(i)
	}
	for i := range l.Stages {
		s := &l.Stages[i]
		if !isGraph && i > 0 {
			s.After = []int{i - 1}
		}
		for k, need := range s.Needs {
			l.addEdge(i, need, s.at[fmt.Sprint("needs.", k)])
		}
		for _, in := range slices.Concat(s.Inputs, s.branchInputs()) {
			l.addEdge(i, in.From, in.at.first("from"))
		}
		l.checkChain(s)
	}
	l.checkCycles()
}

// indexBranches adds the names of a stage's branches, and of their stages, for inputs to
// name.
func (l *linker) indexBranches(stage int) {
	s := &l.Stages[stage]
	add := func(called string, at place) {
		switch other, taken := l.index[called]; {
		case s.ID == "" || strings.HasSuffix(called, "."): // that it has no id was reported
			return
		case taken && other != stage:
			l.report(l.Stages[other].at.first("id"), "%q is also a branch of the stage %q", called, s.ID)
		case !text.ValidName(called):
			l.report(at, "%q is not a valid name: %s", called, text.NameRule)
		}
		l.index[called] = stage
	}
	for _, m := range s.members() {
		branch := s.ID + "." + m.ID
		add(branch, m.at.first("agent"))
		for _, sub := range s.chain() {
			add(branch+"."+sub.ID, sub.at.first("id"))
		}
	}
}

func (l *linker) addEdge(stage int, name string, at place) {
	s := &l.Stages[stage]
	before, ok := l.index[name]
	switch {
	case name == "": // reported already
	case !ok:
		l.report(at, "there is no stage %q%s", name, text.DidYouMean(name, slices.Sorted(maps.Keys(l.index))))
	case before == stage && name != s.ID:
		l.report(at, "%q is in the same parallel stage, whose branches do not see each other; read it in a later stage", name)
	case before == stage:
		l.report(at, "the stage %q waits for itself", name)
	case !slices.Contains(s.After, before):
		s.After = append(s.After, before)
		slices.Sort(s.After)
		s.at[fmt.Sprint("after.", before)] = at
	}
}

// checkChain reports stages of a branch that read what comes after them, and those of
// the same name.
func (l *linker) checkChain(s *Stage) {
	for k, sub := range s.chain() {
		if first := s.inChain(sub.ID); first < k && sub.ID != "" {
			l.report(sub.at.first("id"), "%q is the id of two stages of this block", sub.ID)
		}
		for _, in := range sub.Inputs {
			if s.inChain(in.From) >= k {
				l.report(in.at.first("from"), "the stage %q is not before %q in its branch", in.From, sub.ID)
			}
		}
	}
}

// checkCycles reports stages that wait for each other.
func (l *linker) checkCycles() {
	var waits [][]int
	for _, s := range l.Stages {
		waits = append(waits, s.After)
	}
	for _, stages := range cycle.Find(waits) {
		ring := append(stages, stages[0])
		ids := []string{l.Stages[ring[0]].ID}
		var at place // of an edge that was written: in a plain list others are not
		for i, before := range ring[1:] {
			ids = append(ids, l.Stages[before].ID)
			if written, ok := l.Stages[ring[i]].at[fmt.Sprint("after.", before)]; ok {
				at = written
			}
		}
		l.report(at, "stages wait for each other: %s", strings.Join(ids, " -> "))
	}
}

// Order is an order in which the stages can run: of those that wait for nothing, the
// first as written. Stages that wait for each other are left out.
func (p *Pipeline) Order() (order []int) {
	isDone := func(i int) bool { return slices.Contains(order, i) }
	for i := 0; i < len(p.Stages); i++ {
		waits := slices.ContainsFunc(p.Stages[i].After, func(a int) bool { return !isDone(a) })
		if !isDone(i) && !waits {
			order = append(order, i)
			i = -1 // one of the stages before it may be next
		}
	}
	return order
}
