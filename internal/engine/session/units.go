package session

import (
	"cmp"
	"slices"

	"warp/internal/core/pipeline"
	"warp/internal/core/session"
)

// unit is what is run as one loop: a stage, a member of a parallel stage, or the
// gathering of what its members did. Each is a stage of the document.
type unit struct {
	stage  pipeline.Stage
	name   string
	after  []int // units
	member *pipeline.Member
	// gathers are the units of the members; nil: it gathers nothing.
	gathers []int
}

func (u unit) commits() bool { return u.stage.Commit }

// judged tells whether what a unit does is checked, and so compared with what it
// began with.
func (u unit) judged(until session.Until) bool {
	return u.stage.Commit || len(u.stage.Verify) > 0 || until.Kind == session.Gates
}

// expand makes the units of a plan. What waits for a parallel stage waits for what
// was gathered.
func expand(p *pipeline.Pipeline) (units []unit) {
	of := make([]int, len(p.Stages)) // the unit that stands for a stage
	for _, i := range p.Order() {
		s := p.Stages[i]
		var after []int
		for _, a := range s.After {
			after = append(after, of[a])
		}
		if s.Parallel == nil {
			of[i] = len(units)
			units = append(units, unit{stage: s, name: s.ID, after: after})
			continue
		}
		var members []int
		for _, m := range s.Parallel.Agents {
			one := s
			one.Parallel, one.Agent, one.Model = nil, m.Agent, m.Model
			members = append(members, len(units))
			units = append(units, unit{stage: one, name: s.ID + "." + m.ID, after: after, member: &m})
		}
		of[i] = len(units)
		units = append(units, unit{stage: s, name: s.ID, after: members, gathers: members})
	}
	return units
}

// described is what the document says of the units before anything has happened.
func described(units []unit) (list []session.Stage) {
	for _, u := range units {
		st := session.Stage{Name: u.name, Loop: cmp.Or(u.stage.Loop, u.stage.ID), Runs: u.stage.Runs}
		if u.gathers != nil {
			st.Loop, st.Runs = "parallel", 1
		}
		list = append(list, st)
	}
	return list
}

// ready are the units that can begin: those that wait for nothing that is not
// completed.
func ready(units []unit, s *session.State) (list []int) {
	status := func(i int) string {
		st, err := s.Stage(i)
		if err != nil {
			return session.Failed
		}
		return st.Status
	}
	for i, u := range units {
		open := status(i) == session.Pending || status(i) == session.Running
		if open && !slices.ContainsFunc(u.after, func(a int) bool { return status(a) != session.Completed }) {
			list = append(list, i)
		}
	}
	return list
}
