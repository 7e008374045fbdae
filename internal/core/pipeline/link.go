package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/cycle"
	"warp/internal/core/text"
)

// linkStages makes edges of what stages name. Where no stage of a file names any, the
// stages run one after the other; in the dialect they do so whatever they read.
func (r *reader) linkStages(p *Pipeline) {
	index := map[string]int{}
	graph := false
	for i := range p.Stages {
		s := &p.Stages[i]
		r.nameMembers(s)
		r.expandInputs(p, i)
		graph = graph || s.at.has("needs") || !r.dialect && (s.at.has("inputs") || len(s.branchInputs()) > 0)
		if first, twice := index[s.ID]; twice && s.ID != "" {
			r.report(s.at.first("id"), "%q is the id of two stages; the first is in line %d", s.ID, p.Stages[first].at.first("id").line)
		} else {
			index[s.ID] = i
		}
	}
	r.indexBranches(p, index)
	for i := range p.Stages {
		s := &p.Stages[i]
		if !graph && i > 0 {
			s.After = []int{i - 1}
		}
		for k, need := range s.Needs {
			r.addEdge(p, i, index, need, s.at[fmt.Sprint("needs.", k)])
		}
		for _, in := range append(slices.Clip(s.Inputs), s.branchInputs()...) {
			r.addEdge(p, i, index, in.From, in.at.first("from"))
		}
		r.checkChain(s)
	}
	r.checkCycles(p)
}

// indexBranches adds the names of branches and of their stages to those of stages, for
// inputs to name.
func (r *reader) indexBranches(p *Pipeline, index map[string]int) {
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.ID == "" {
			continue
		}
		add := func(called string, at place) {
			switch other, taken := index[called]; {
			case strings.HasSuffix(called, "."): // that it has no id was reported
				return
			case taken && other != i:
				r.report(p.Stages[other].at.first("id"), "%q is also a branch of the stage %q", called, s.ID)
			case !text.ValidName(called):
				r.report(at, "%q is not a valid name: %s", called, text.NameRule)
			}
			index[called] = i
		}
		for _, m := range s.members() {
			branch := s.ID + "." + m.ID
			add(branch, m.at.first("agent"))
			for _, sub := range s.chain() {
				add(branch+"."+sub.ID, sub.at.first("id"))
			}
		}
	}
}

func (r *reader) addEdge(p *Pipeline, stage int, index map[string]int, name string, at place) {
	s := &p.Stages[stage]
	before, ok := index[name]
	switch {
	case name == "": // reported already
	case !ok:
		r.report(at, "there is no stage %q%s", name, text.DidYouMean(name, slices.Sorted(maps.Keys(index))))
	case before == stage && name != s.ID:
		r.report(at, "%q is in the same parallel stage, whose branches do not see each other; read it in a later stage", name)
	case before == stage:
		r.report(at, "the stage %q waits for itself", name)
	case !slices.Contains(s.After, before):
		s.After = append(s.After, before)
		slices.Sort(s.After)
		s.at[fmt.Sprint("after.", before)] = at
	}
}

// checkChain reports stages of a branch that read what comes after them, and those of
// the same name.
func (r *reader) checkChain(s *Stage) {
	for k, sub := range s.chain() {
		if first := s.inChain(sub.ID); first < k && sub.ID != "" {
			r.report(sub.at.first("id"), "%q is the id of two stages of this block", sub.ID)
		}
		for _, in := range sub.Inputs {
			if s.inChain(in.From) >= k {
				r.report(in.at.first("from"), "the stage %q is not before %q in its branch", in.From, sub.ID)
			}
		}
	}
}

// checkCycles reports stages that wait for each other.
func (r *reader) checkCycles(p *Pipeline) {
	var waits [][]int
	for _, s := range p.Stages {
		waits = append(waits, s.After)
	}
	for _, stages := range cycle.Find(waits) {
		ring := append(stages, stages[0])
		ids := []string{p.Stages[ring[0]].ID}
		var at place // of an edge that was written: in a plain list others are not
		for i, before := range ring[1:] {
			ids = append(ids, p.Stages[before].ID)
			if written, ok := p.Stages[ring[i]].at[fmt.Sprint("after.", before)]; ok {
				at = written
			}
		}
		r.report(at, "stages wait for each other: %s", strings.Join(ids, " -> "))
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
