package drivestate

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"warp/internal/core/text"
)

// MaxContext limits the text given to an agent at the start of a session.
const MaxContext = 2000

// BriefSession tells a new or compacted session where the drive is: phase and title, anything
// unusual, what is expected and which events are possible, the last failure, the remaining budgets
// and, if there is room, the criteria with their text.
func BriefSession(s *State, l Limits, stale bool, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[warp-drive] phase: %s (%s)\n", s.Phase, Purpose(s.Phase))
	writeSubject(&b, s)
	writeHolds(&b, s, stale && !s.IsLed())
	if f := s.LastFailure; f != nil {
		fmt.Fprintf(&b, "Last failure (%s): %s\n", printable(string(f.Event), 40), printable(f.Text, 150))
	}
	switch {
	case s.Phase == Aborted && s.IsLed():
		b.WriteString("It was stopped, and is not cleaned up yet: warp next does that (it commits work in progress and files a report), and begins nothing else.\n")
	case stale && s.IsLed():
		b.WriteString("The process that ran this drive has ended; what it did is kept. To take it over here, run warp next: you plan and code then, and warp does the rest. A person can also continue it without a session (warp resume), or end it (warp stop).\n")
	case s.IsLed():
		b.WriteString("You do the thinking, and an engine does the rest: run warp next, do what it says, and run it again. warp next --show repeats the request.\n")
	default:
		writeWay(&b, s)
	}
	if s.Phase.Trips() {
		b.WriteString("Budgets used: ")
		for i, a := range s.Used(now).allowances(l) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %d of %d %s", a.reason, a.used, a.limit, a.unit)
		}
		b.WriteString(".\n")
	}
	b.WriteString(listCriteria(s, MaxContext-b.Len()))
	return text.Clip(b.String(), MaxContext)
}

// writeSubject writes the issue and the chunk.
func writeSubject(b *strings.Builder, s *State) {
	if s.Issue() != "" {
		fmt.Fprintf(b, "Issue: #%s", printable(s.Issue(), 80))
		if title := printable(s.Titles[s.Issue()], 90); title != "" {
			fmt.Fprintf(b, " %q", title)
		}
		if s.Branch != nil {
			fmt.Fprintf(b, " on branch %s", printable(*s.Branch, 90))
		}
		fmt.Fprintf(b, ", level %d\n", s.Session.Level)
	}
	if s.Chunk.Total > 0 {
		fmt.Fprintf(b, "Chunk: %d / %d", s.Chunk.Index, s.Chunk.Total)
		if acs := s.Chunk.Present(); len(acs) > 0 {
			fmt.Fprintf(b, ": %s", printable(strings.Join(acs, ", "), 90))
		}
		b.WriteByte('\n')
	}
}

// writeHolds writes what blocks the drive.
func writeHolds(b *strings.Builder, s *State, stale bool) {
	if stale {
		b.WriteString("Note: stale; the process that started this drive has ended. Continue from here.\n")
	}
	if s.Paused != nil {
		fmt.Fprintf(b, "Paused since %s: do nothing until warp continue.\n", printable(s.Paused.At, 40))
	}
	if s.Frozen != nil {
		fmt.Fprintf(b, "Frozen: %s Say so and stop: only a person can unfreeze it.\n", printable((&FrozenError{s.Phase, *s.Frozen}).Error(), 240))
	}
	if w := s.Waiting; w != nil {
		fmt.Fprintf(b, "Waiting until %s: %s\n", printable(w.Until, 40), printable(w.Why, 90))
	}
	if s.Phase == BudgetExceeded {
		fmt.Fprintf(b, "Tripped: %s in %s. Waiting for a person's decision.\n", printable(strings.Join(s.Budgets.ExceededReasons, ", "), 120), printable(string(s.Budgets.ExceededFromPhase), 40))
	}
}

// allowedEvents lists the events that would be accepted now.
func allowedEvents(s *State) []Event {
	return slices.DeleteFunc(Table.Events(s.Phase), func(on Event) bool {
		_, err := s.Check(on)
		return err != nil || s.Frozen != nil && on != Abort && on != BudgetAbort
	})
}

// writeWay writes what is expected of a person who moves the drive by hand, and the events that
// would be accepted.
func writeWay(b *strings.Builder, s *State) {
	fmt.Fprintf(b, "Now: %s", Expected(s.Phase))
	if s.Phase == Committing && s.Chunk.Total > 0 {
		fmt.Fprintf(b, " git commit -m 'feat(scope): description' --trailer '%s'", printable(Trailer(s, s.Chunk.Index), 60))
	}
	var events []string
	for _, on := range allowedEvents(s) {
		to, _ := Table.Next(s.Phase, on)
		events = append(events, fmt.Sprintf("%s (to %s)", on, to))
	}
	if b.WriteByte('\n'); len(events) > 0 {
		fmt.Fprintf(b, "Events that lead on: %s.\nFire one with: warp state transition . EVENT\n", strings.Join(events, ", "))
	}
}

// listCriteria lists the issue's criteria in its own words, one line each, those of the chunk
// first, within room bytes.
func listCriteria(s *State, room int) string {
	const head, most = "Criteria, in the issue's words:\n", 160
	present := s.Chunk.Present()
	var list, others []Criterion
	for _, c := range s.Criteria[s.Issue()] {
		if slices.Contains(present, c.ID) {
			list = append(list, c)
		} else {
			others = append(others, c)
		}
	}
	list = append(list, others...)
	out := ""
	for i, c := range list {
		mark := " "
		if slices.Contains(s.Checked[s.Issue()], c.ID) {
			mark = "x"
		}
		line := fmt.Sprintf("- [%s] %s: %s\n", mark, printable(c.ID, 40), printable(c.Text, most))
		rest := fmt.Sprintf("- … and %d more\n", len(list)-i)
		if len(head)+len(out)+len(line)+len(rest) > room {
			out += rest
			break
		}
		out += line
	}
	if out == "" || len(head)+len(out) > room {
		return ""
	}
	return head + out
}

// BriefChild briefs a session that a headless engine started: the prompt says what to do, and the
// session must leave the drive alone.
func BriefChild(s *State) string {
	return text.Clip(fmt.Sprintf("[warp-drive] warp drive runs you for issue #%s, in phase %s. Do what the prompt asks, and answer in its format. warp moves the phases, runs the tests, checks off criteria, commits and merges: fire no transitions, and change nothing under .claude.\n",
		printable(s.Issue(), 80), s.Phase), MaxContext)
}

// printable cleans a text of the document for people and agents: limited in length, and without
// control characters.
func printable(s string, n int) string {
	return text.Clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s), n)
}
