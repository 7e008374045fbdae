package workflowstate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/budget"
)

// Validate returns why a document is not a valid state. It refuses only what could lead to wrong
// actions: people and other tools edit the file too.
func Validate(s *State) error {
	o, b := &s.Orchestrator, &s.SafetyBounds
	switch {
	case o.Status == "":
		return errors.New("orchestrator.status is missing")
	case !slices.Contains([]Status{Planning, Executing, Reviewing, Completed, Failed}, o.Status):
		return fmt.Errorf("orchestrator.status: %q is none of planning, executing, reviewing, completed, failed", o.Status)
	case o.CurrentPhase < 0 || o.TotalPhases < 0 || o.RalphIteration < 0:
		return errors.New("orchestrator: current_phase, total_phases and ralph_iteration must not be negative")
	case b.MaxIterations < 0 || b.MicroUSD < 0 || b.Millis < 0:
		return errors.New("safety_bounds: numbers must not be negative")
	}
	for _, m := range []struct{ name, text string }{{"max_cost", b.MaxCost}, {"cost_so_far", b.CostSoFar}} {
		if _, err := budget.ParseDollars(m.text); m.text != "" && err != nil {
			return fmt.Errorf("safety_bounds.%s: %w", m.name, err)
		}
	}
	for _, m := range []struct{ name, text string }{{"max_time", b.MaxTime}, {"elapsed_time", b.ElapsedTime}} {
		if _, err := budget.ParseTime(m.text); m.text != "" && err != nil {
			return fmt.Errorf("safety_bounds.%s: %w", m.name, err)
		}
	}
	return errors.Join(checkTimes(s), checkTasks(s))
}

func checkTimes(s *State) error {
	type stamp struct{ name, at string }
	stamps := []stamp{{"orchestrator.start_time", s.Orchestrator.StartTime}}
	if end := s.Orchestrator.EndTime; end != nil {
		stamps = append(stamps, stamp{"orchestrator.end_time", *end})
	}
	if last := s.Supervisor.LastCheck; last != nil {
		stamps = append(stamps, stamp{"supervisor.last_check", *last})
	}
	for _, t := range stamps {
		if _, err := time.Parse(time.RFC3339, t.at); err != nil {
			return fmt.Errorf("%s: %q is not an RFC 3339 time", t.name, t.at)
		}
	}
	return nil
}

// checkTasks refuses a task without an id, or a duplicate, which could be done twice.
func checkTasks(s *State) error {
	seen := map[string]bool{}
	check := func(list string, i int, id string) error {
		if id == "" {
			return fmt.Errorf("%s[%d].task is missing", list, i)
		}
		if seen[id] {
			return fmt.Errorf("%s[%d]: task %q is there already", list, i, id)
		}
		seen[id] = true
		return nil
	}
	for i, d := range s.CompletedTasks {
		if err := check("completed_tasks", i, d.Task); err != nil {
			return err
		}
	}
	for i, p := range s.PendingTasks {
		if err := check("pending_tasks", i, p.Task); err != nil {
			return err
		}
	}
	return nil
}
