package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/step"
)

// expandParallel returns the units of a parallel stage: for each member the units of its branch, in
// sequence in one work tree, and last the unit that gathers them.
func expandParallel(s pipeline.Stage, after []int, first int) (units []unit) {
	var ends []int
	for _, m := range s.Parallel.Agents {
		place, chain := s.ID+"."+m.ID, s.Parallel.Stages
		if chain == nil {
			alone := s
			alone.Parallel, alone.Inputs = nil, nil
			chain = []pipeline.Stage{alone}
		}
		waits := after
		for _, sub := range chain {
			u := unit{stage: sub, name: place, after: waits, member: &m, block: s.ID, place: place}
			if s.Parallel.Stages != nil {
				u.name += "." + sub.ID
			}
			u.stage.Agent, u.stage.Model = m.Agent, m.Model
			u.stage.Inputs = slices.Concat(s.Inputs, m.Inputs, sub.Inputs)
			waits = []int{first + len(units)}
			units = append(units, u)
		}
		ends = append(ends, waits...)
	}
	return append(units, unit{stage: s, name: s.ID, after: ends, gathers: ends})
}

// nameInputs resolves every input to a unit's name. Within a branch its own stages take precedence,
// and a branch's name means its last stage.
func nameInputs(units []unit) {
	named := map[string]string{}
	for _, u := range units {
		if u.place != "" {
			named[u.place] = u.name // the last one wins
		}
	}
	for _, u := range units {
		named[u.name] = u.name
	}
	for i := range units {
		u := &units[i]
		u.stage.Inputs = slices.Clone(u.stage.Inputs)
		for k := range u.stage.Inputs {
			in := &u.stage.Inputs[k]
			in.From = cmp.Or(named[u.place+"."+in.From], named[in.From], in.From)
		}
	}
}

// branchOf returns the units of a unit's branch, in order.
func (f *files) branchOf(i int) (list []int) {
	for k, u := range f.units {
		if u.place != "" && u.place == f.units[i].place {
			list = append(list, k)
		}
	}
	return list
}

// firstIn returns the first unit of a branch.
func (f *files) firstIn(place string) unit {
	return f.units[slices.IndexFunc(f.units, func(u unit) bool { return u.place == place })]
}

// checkApart refuses parallel stages without git: all branches would work in one folder.
func (f *files) checkApart() error {
	for _, u := range f.units {
		if u.place != "" {
			return &step.StoppedError{Why: fmt.Sprintf("stage %s is parallel, which needs a git repository to keep its agents apart", u.block),
				Do: "run git init and make a first commit, or use one agent for the stage"}
		}
	}
	return nil
}

// unchosenUnits returns the units of branches that cannot be chosen any more: with first, those
// that did not complete once another has; with best, those whose checks failed once all others
// completed. Any other failure fails the stage.
func (f *files) unchosenUnits(s *sessionstate.State, g unit) (list []int) {
	choose := pipeline.All
	if g.gathers != nil {
		choose = g.stage.Parallel.Choose
	}
	completed := 0
	for _, end := range g.gathers {
		open, red := false, false
		for _, k := range f.branchOf(end) {
			st, err := s.Stage(k)
			if err != nil || st.Status == sessionstate.Completed {
				continue
			}
			open = true
			red = red || st.Status == sessionstate.Failed && st.Reason == sessionstate.ReasonVerify || st.Status == sessionstate.Skipped
			list = append(list, k)
		}
		switch {
		case !open:
			completed++
		case choose == pipeline.Best && !red:
			return nil // it may still complete
		}
	}
	if completed == 0 || choose != pipeline.First && choose != pipeline.Best {
		return nil
	}
	return list
}

// isBeaten reports whether another branch than the unit's was chosen.
func (f *files) isBeaten(s *sessionstate.State, i int) bool {
	for _, g := range f.units {
		if slices.Contains(f.unchosenUnits(s, g), i) {
			return true
		}
	}
	return false
}

// skipBeaten skips the units of beaten branches. A running one is stopped first and skipped later:
// its work tree is not removed from under an agent.
func skipBeaten(r *run, begun map[int]context.CancelFunc) error {
	for _, g := range r.files.units {
		for _, i := range r.files.unchosenUnits(r.doc.Now(), g) {
			if stop, is := begun[i]; is {
				stop()
				continue
			}
			if st, err := r.doc.Now().Stage(i); err != nil || st.Status == sessionstate.Skipped {
				continue
			}
			why := "another branch was chosen (" + g.stage.Parallel.Choose + ")"
			if err := r.doc.Update("stage_skipped", func(s *sessionstate.State) error { return s.SkipStage(i, why, r.Now()) }); err != nil {
				return err
			}
			r.tell(Note{Kind: StageOver, Stage: r.files.units[i].name, Reason: sessionstate.ReasonStopped, Text: why})
		}
	}
	return nil
}

// redoBranches reruns the branches of a parallel stage whose gathering ended without output:
// gathering the same again would end the same.
func (f *files) redoBranches(s *sessionstate.State) error {
	for i, g := range f.units {
		st, err := s.Stage(i)
		if s.Status == sessionstate.Running || g.gathers == nil || err != nil || st.Status != sessionstate.Failed || st.Reason != sessionstate.ReasonNoOutput {
			continue
		}
		if err := durable.RemoveFile(g.pathOf(manifestFile)); err != nil {
			return err
		}
		for _, end := range g.gathers {
			for _, k := range f.branchOf(end) {
				if err := s.RedoStage(k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
