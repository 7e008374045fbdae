package fleetview

import (
	"cmp"
	"fmt"
	"strings"

	"warp/internal/core/evidence"
)

// Words describes the machine's state; empty while it is healthy.
func (m Machine) Words() string {
	switch {
	case m.Gone && !m.Seen.IsZero():
		return "has not been heard of since " + m.Seen.Local().Format("15:04")
	case m.Gone:
		return "has not been heard of"
	case m.Draining:
		return "finishes its steps and leaves"
	}
	return m.Hold
}

// Words describes what a requirement does, waits for, or ended as.
func (r Requirement) Words() string {
	switch {
	case r.Ask != nil:
		return "asks: " + r.Ask.Text
	case r.Paused:
		return "paused"
	case r.State == Running:
		return cmp.Or(r.Doing, r.Phase, "begins")
	case r.State == Done && r.Outcome != nil:
		return joinWords(evidence.Result(r.Outcome.Result).Words(), cmp.Or(r.Outcome.Pull, r.Outcome.Commit))
	}
	return r.Why
}

// PhaseWords returns the phase without underscores.
func (r Requirement) PhaseWords() string { return strings.ReplaceAll(r.Phase, "_", " ") }

// FormatBudget formats what the night has spent of its budget.
func (p Purse) FormatBudget() string {
	line := evidence.Dollars(p.Settled) + " spent"
	if p.Reserved > 0 {
		line += ", " + evidence.Dollars(p.Reserved) + " reserved"
	}
	if p.Cap > 0 {
		line += ", of " + evidence.Dollars(p.Cap) + " a night"
	}
	if p.Over > 0 {
		line += "; " + evidence.Dollars(p.Over) + " more than was reserved"
	}
	return line
}

// TrainWords describes a requirement's position in the train of its repository; "" if it has none.
func (v View) TrainWords(r Requirement) string {
	switch n := v.PlaceOf(r); {
	case r.Train == "has the turn":
		return "has the turn to merge"
	case n > 0:
		return fmt.Sprintf("place %d in the merge train", n)
	case r.Train != "":
		return r.Train + " for the merge train"
	}
	return ""
}

func joinWords(words ...string) string {
	return strings.TrimSpace(strings.Join(words, " "))
}
