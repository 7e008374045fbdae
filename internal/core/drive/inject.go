package drive

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"warp/internal/core/text"
)

// MaxContext bounds what is put before an agent at the start of a session.
const MaxContext = 2000

// Context tells a session that begins where the drive is: the phase, what is
// expected, which events lead on, what is left of the budgets.
func (s *State) Context(l Limits, stale bool, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[warp-drive] phase: %s (%s)\n", s.Phase, Purpose(s.Phase))
	if s.Issue() != "" {
		fmt.Fprintf(&b, "Issue: #%s", printable(s.Issue(), 80))
		if s.Branch != nil {
			fmt.Fprintf(&b, " on branch %s", printable(*s.Branch, 200))
		}
		fmt.Fprintf(&b, ", level %d\n", s.Session.Level)
	}
	if s.Chunk.Total > 0 {
		fmt.Fprintf(&b, "Chunk: %d / %d", s.Chunk.Index, s.Chunk.Total)
		if acs := s.criteria(s.Chunk.Index); len(acs) > 0 {
			fmt.Fprintf(&b, ": %s", printable(strings.Join(acs, ", "), 300))
		}
		b.WriteByte('\n')
	}
	if stale {
		b.WriteString("Note: stale; the process that began this drive has ended. Carry on from here.\n")
	}
	if s.Paused != nil {
		fmt.Fprintf(&b, "Paused since %s: do nothing until warp continue.\n", printable(s.Paused.At, 40))
	}
	if s.Frozen != nil {
		fmt.Fprintf(&b, "Frozen: %s Say so and stop: a person has to look at it.\n", printable((&FrozenError{s.Phase, *s.Frozen}).Error(), 500))
	}
	if s.Phase == BudgetExceeded {
		fmt.Fprintf(&b, "Tripped: %s in %s.\n", printable(strings.Join(s.Budgets.ExceededReasons, ", "), 150), printable(string(s.Budgets.ExceededFromPhase), 40))
	}
	fmt.Fprintf(&b, "Now: %s", Expected(s.Phase))
	if s.Phase == Committing && s.Chunk.Total > 0 {
		fmt.Fprintf(&b, " git commit -m 'feat(scope): description' --trailer '%s'", printable(Trailer(s, s.Chunk.Index), 200))
	}
	b.WriteByte('\n')
	if events := Table.Events(s.Phase); len(events) > 0 {
		b.WriteString("Events that lead on: ")
		for i, e := range events {
			to, _ := Table.Next(s.Phase, e)
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s (to %s)", e, to)
		}
		b.WriteString(".\nFire one with: warp state transition . EVENT\n")
	}
	if s.Phase.Trips() {
		b.WriteString("Budgets used: ")
		for i, a := range s.Allowances(l, now) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %d of %d %s", a.Reason, a.Used, a.Limit, a.Unit)
		}
		b.WriteString(".\n")
	}
	return text.Clip(b.String(), MaxContext)
}

// Child is what a session is told that a headless engine has started: the prompt
// says what to do, and nothing of the drive is its business.
func (s *State) Child() string {
	return text.Clip(fmt.Sprintf("[warp-drive] warp drive runs you for issue #%s, in phase %s. Do what the prompt asks and answer as it says. warp itself moves the phases, runs the tests, checks criteria off, commits and merges: fire no transitions, and change nothing under .claude.\n",
		printable(s.Issue(), 80), s.Phase), MaxContext)
}

// printable is a text of the document for people and agents: bounded, so that
// it crowds nothing out, and without characters that do things.
func printable(s string, n int) string {
	return text.Clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s), n)
}
