package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

func readNeeds(r *reader, s *Stage, n *node) {
	for _, i := range r.list(n) {
		s.at[fmt.Sprint("needs.", len(s.Needs))] = i.place
		s.Needs = append(s.Needs, r.word(i, "needs"))
	}
}

// link makes edges of what stages name. Where no stage of a file names any, the
// stages run one after the other; in the dialect they do so whatever they read.
func (r *reader) link(p *Pipeline) {
	index := map[string]int{}
	graph := false
	for i := range p.Stages {
		s := &p.Stages[i]
		graph = graph || s.says("needs") || !r.dialect && (s.says("inputs") || len(s.branchInputs()) > 0)
		if first, twice := index[s.ID]; twice && s.ID != "" {
			r.say(s.where("id", "name"), "%q is the id of two stages; the first is in line %d", s.ID, p.Stages[first].where("id", "name").line)
		} else {
			index[s.ID] = i
		}
	}
	r.nameBranches(p, index)
	r.spreadParallel(p)
	for i := range p.Stages {
		s := &p.Stages[i]
		if !graph && i > 0 {
			s.After = []int{i - 1}
		}
		for k, need := range s.Needs {
			r.edge(p, i, index, need, s.at[fmt.Sprint("needs.", k)])
		}
		for _, in := range append(slices.Clip(s.Inputs), s.branchInputs()...) {
			r.edge(p, i, index, in.From, in.at)
		}
		r.chain(s)
	}
	r.cycles(p)
}

func (r *reader) edge(p *Pipeline, stage int, index map[string]int, name string, at place) {
	s := &p.Stages[stage]
	before, ok := index[name]
	switch {
	case name == "": // it was complained about
	case !ok:
		var ids []string
		for id := range index {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		r.say(at, "there is no stage %q%s", name, meant(name, ids))
	case before == stage && name != s.ID:
		r.say(at, "%q is in the same parallel stage, whose branches do not see each other; what reads it belongs into a later stage", name)
	case before == stage:
		r.say(at, "the stage %q waits for itself", name)
	case !slices.Contains(s.After, before):
		s.After = append(s.After, before)
		slices.Sort(s.After)
		s.at[fmt.Sprint("after.", before)] = at
	}
}

// cycles names the stages that wait for each other in a ring.
func (r *reader) cycles(p *Pipeline) {
	const fresh, open, closed = 0, 1, 2
	state := make([]int, len(p.Stages))
	var trail []int
	var visit func(int)
	visit = func(i int) {
		state[i] = open
		trail = append(trail, i)
		for _, next := range p.Stages[i].After {
			switch state[next] {
			case fresh:
				visit(next)
			case open:
				ring := slices.Clone(trail[slices.Index(trail, next):])
				var ids []string
				for _, k := range append(ring, next) {
					ids = append(ids, p.Stages[k].ID)
				}
				r.say(p.Stages[i].at[fmt.Sprint("after.", next)], "stages wait for each other: %s", strings.Join(ids, " -> "))
			}
		}
		trail = trail[:len(trail)-1]
		state[i] = closed
	}
	for i := range p.Stages {
		if state[i] == fresh {
			visit(i)
		}
	}
}

// Ready are the stages that are not done and wait for nothing that is not.
func (p *Pipeline) Ready(done map[int]bool) []int {
	var ready []int
	for i, s := range p.Stages {
		waits := slices.ContainsFunc(s.After, func(a int) bool { return !done[a] })
		if !done[i] && !waits {
			ready = append(ready, i)
		}
	}
	return ready
}

// Waves are the stages in the order in which they can run, those of one wave side
// by side; as written within it.
func (p *Pipeline) Waves() [][]int {
	var waves [][]int
	done := map[int]bool{}
	for {
		wave := p.Ready(done)
		if len(wave) == 0 {
			return waves
		}
		for _, i := range wave {
			done[i] = true
		}
		waves = append(waves, wave)
	}
}

// Order is a topological order: of the stages that can run, the first as written.
func (p *Pipeline) Order() []int {
	var order []int
	done := map[int]bool{}
	for range p.Stages {
		if ready := p.Ready(done); len(ready) > 0 {
			order = append(order, ready[0])
			done[ready[0]] = true
		}
	}
	return order
}

func (s *Stage) says(key string) bool { _, said := s.at[key]; return said }

// where is the place of the first of the keys that was written, or the stage's.
func (s *Stage) where(keys ...string) place {
	for _, k := range keys {
		if at, ok := s.at[k]; ok {
			return at
		}
	}
	return s.at[""]
}
