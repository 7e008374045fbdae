package pipeline

import (
	"iter"
	"slices"
	"strings"

	"warp/internal/core/name"
)

// all are the stages of a pipeline, and those of its parallel blocks behind theirs.
func (p *Pipeline) all() iter.Seq[*Stage] {
	return func(yield func(*Stage) bool) {
		for i := range p.Stages {
			s := &p.Stages[i]
			if !yield(s) {
				return
			}
			for k := range s.chain() {
				if !yield(&s.Parallel.Stages[k]) {
					return
				}
			}
		}
	}
}

// chain are the stages that each branch of a parallel stage does one after the other;
// nil: it does the stage itself.
func (s *Stage) chain() []Stage {
	if s.Parallel == nil {
		return nil
	}
	return s.Parallel.Stages
}

// isChain tells whether a stage is nothing but what its branches do.
func (s *Stage) isChain() bool { return len(s.chain()) > 0 }

// branchStages are the stages of one branch.
func (s *Stage) branchStages() []Stage {
	if s.isChain() {
		return s.chain()
	}
	return []Stage{*s}
}

// branchInputs are what the branches of a parallel stage read of other stages.
func (s *Stage) branchInputs() (all []Input) {
	if s.Parallel == nil {
		return nil
	}
	for _, m := range s.Parallel.Agents {
		all = append(all, m.Inputs...)
	}
	for _, sub := range s.chain() {
		for _, in := range sub.Inputs {
			if s.chained(in.From) < 0 {
				all = append(all, in)
			}
		}
	}
	return all
}

// chained is the place of a stage in the chain of a parallel one; -1: it has none.
func (s *Stage) chained(id string) int {
	return slices.IndexFunc(s.chain(), func(sub Stage) bool { return sub.ID == id })
}

// chain complains about stages of a branch that read what comes after them, and about
// those of the same name.
func (r *reader) chain(s *Stage) {
	for k, sub := range s.chain() {
		if first := s.chained(sub.ID); first < k && sub.ID != "" {
			r.say(sub.where("id", "name"), "%q is the id of two stages of this block", sub.ID)
		}
		for _, in := range sub.Inputs {
			if at := s.chained(in.From); at >= k {
				r.say(in.at, "the stage %q is not before %q in its branch", in.From, sub.ID)
			}
		}
	}
}

// nameBranches adds the names of branches and of their stages to those of stages, for
// inputs to name.
func (r *reader) nameBranches(p *Pipeline, index map[string]int) {
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Parallel == nil || s.ID == "" {
			continue
		}
		add := func(called string, at place) {
			switch other, taken := index[called]; {
			case strings.HasSuffix(called, "."): // that it has no id was complained about
				return
			case taken && other != i:
				r.say(p.Stages[other].where("id", "name"), "%q is also a branch of the stage %q", called, s.ID)
			case !name.Valid(called):
				r.say(at, "%q is no name: %s", called, name.Rule)
			}
			index[called] = i
		}
		for _, m := range s.Parallel.Agents {
			branch := s.ID + "." + m.ID
			add(branch, m.at)
			for _, sub := range s.chain() {
				add(branch+"."+sub.ID, sub.where("id", "name"))
			}
		}
	}
}

// choice fills in how one of the branches is chosen, and complains about what cannot
// be meant.
func (r *reader) choice(s *Stage) {
	p := s.Parallel
	verified := slices.ContainsFunc(s.branchStages(), func(b Stage) bool { return len(b.Verify) > 0 })
	switch {
	case p.Choose == "" && p.Judge != nil:
		p.Choose = ByJudge
	case p.Choose == "":
		p.Choose = All
	case p.Choose != ByJudge && p.Judge != nil:
		r.say(p.chooseAt, "there is a judge, but choose is %q", p.Choose)
	case p.Choose == Best && !verified:
		r.say(p.chooseAt, "choose is best, and no stage of the block has verify: nothing tells which is")
	}
	s.Commit = s.Commit || slices.ContainsFunc(s.branchStages(), func(b Stage) bool { return b.Commit })
	if s.Commit && p.Choose == All {
		r.say(s.where("commit", "id", "name"), "commit: true on a parallel stage commits the branch that is chosen, and here none is: give it a judge, or choose: best or first")
	}
}
