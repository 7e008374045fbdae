package workflowstate

import "testing"

// A run whose agent reports no cost is never free.
func TestAnUnknownCostIsNotZero(t *testing.T) {
	s := &State{Orchestrator: Orchestrator{Status: Executing, StartTime: "2026-01-15T12:00:00Z"}}
	s.Spent("one", "", 0)
	s.CountUnpriced("")
	if got := s.SafetyBounds.CostSoFar; got != "unknown" || Validate(s) != nil {
		t.Errorf("%q, %v", got, Validate(s))
	}
	s.Spent("two", "", 200_000)
	if got := s.SafetyBounds.CostSoFar; got != "at least $0.20" || s.SafetyBounds.Cost() != 200_000 || Validate(s) != nil {
		t.Errorf("%q, %d, %v", got, s.SafetyBounds.Cost(), Validate(s))
	}
	s.SafetyBounds.CostSoFar = "$1.00" // a person's
	s.CountUnpriced("")
	if s.SafetyBounds.Cost() != 1_000_000 {
		t.Errorf("%d", s.SafetyBounds.Cost())
	}
}
