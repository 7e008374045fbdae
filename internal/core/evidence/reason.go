package evidence

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

// maxReason limits the reason for one chunk.
const maxReason = 320

// Reason explains why chunks were given up, in terms a person can search for: the failing test, the
// refusing gate, the unanswered question. It returns "" if none was given up.
func (b *Book) Reason() string {
	var parts []string
	for _, e := range b.Skips {
		why := b.Chunk(e.Row.Chunk).reasonOf(e.Row)
		parts = append(parts, fmt.Sprintf("chunk %d: %s", e.Row.Chunk, text.ClipRunes(text.OneLine(why), maxReason)))
	}
	return strings.Join(parts, "; ")
}

// reasonOf returns why one chunk was given up; b holds only that chunk. If a budget ended it, the
// reason is what used it up.
func (b *Book) reasonOf(k Skipped) string {
	if !strings.HasPrefix(k.Why, "[") {
		return text.FirstLine(k.Why)
	}
	fault, at := "", 0
	if t, ok := Last(b.Tests, Tested.OfChunk); ok && !t.Row.good() {
		fault, at = t.Row.fault(), t.N
	}
	if g, ok := Last(b.Gates, func(g Gate) bool { return !g.Passed && !g.Untried }); ok && g.N > at {
		if fault = text.FirstLine(strings.TrimSpace(g.Row.Reason + "\n" + g.Row.Excerpt)); fault == "" {
			fault = "the gate " + g.Row.Gate + " refuses"
		}
	}
	if fault == "" {
		if r, ok := Last(b.Runs, func(r Run) bool { return r.Why != "" && r.End != "done" && r.End != "" }); ok {
			fault = fmt.Sprintf("%s ended as %s: %s", r.Row.Agent, strings.ReplaceAll(r.Row.End, "_", " "), text.FirstLine(r.Row.Why))
		}
	}
	if fault == "" {
		return text.FirstLine(spellReasons(k.Why))
	}
	attempts := 0
	for _, r := range b.Runs {
		if (r.Row.Role == "code" || r.Row.Role == "fix") && !r.Row.Again {
			attempts++
		}
	}
	return fmt.Sprintf("%s (%s)", fault, text.Count(attempts, "attempt"))
}

// spellReasons says in words which budgets ended a chunk, where a row begins with their names.
func spellReasons(why string) string {
	names, rest, found := strings.Cut(strings.TrimPrefix(why, "["), "]")
	if !found || !strings.HasPrefix(why, "[") {
		return why
	}
	return drivestate.Spell(strings.Fields(names)) + rest
}

// fault describes what is wrong with a test run.
func (t Tested) fault() string {
	names := t.failing()
	if len(names) == 0 {
		names = t.Nameless
	}
	switch {
	case t.TimedOut:
		return "the tests do not end in time"
	case len(names) == 1:
		return names[0] + " still fails"
	case len(names) > 1:
		return text.List(names, 3) + " still fail"
	case t.Exit == 0: // they pass, but a later check refuses the work
		return fmt.Sprintf("%s: %s", t.Command, text.OneLine(t.Excerpt))
	}
	return fmt.Sprintf("the tests fail with exit code %d", t.Exit)
}

// capFlags maps the reason that a limit was reached to the flag that sets it.
var capFlags = []struct{ reason, flag string }{
	{drivestate.CostExceeded, "--max-cost"},
	{drivestate.TokensExceeded, "--max-tokens"},
	{drivestate.TimeExceeded, "--max-time"},
}

// BudgetAdvice returns what a person can do about a drive whose budget is spent.
func BudgetAdvice(s *drivestate.State) string {
	if !s.Budgets.CanContinue() {
		return "warp stop; nothing was coded yet"
	}
	reasons, fresh, more := s.Budgets.ExceededReasons, len(s.Budgets.ExceededReasons), ""
	for _, c := range capFlags {
		if slices.Contains(reasons, c.reason) {
			more += " " + c.flag + " MORE"
			fresh--
		}
	}
	if fresh > 0 {
		more = " --fresh" + more
	}
	return "warp resume" + more + " grants a new budget, warp stop ends the drive"
}

// RepeatCaps makes advice to continue repeat the command line's limits: without them the drive
// would continue with none. It does not repeat a limit that the advice already raises. It names the
// issue with them, because they do not apply to everything else that a bare warp resume resumes.
func RepeatCaps(advice, issue string, caps budget.Caps) string {
	more := ""
	for pair := range slices.Chunk(caps.Flags(), 2) {
		if !strings.Contains(advice, pair[0]) {
			more += " " + strings.Join(pair, " ")
		}
	}
	for _, command := range []string{"warp resume", "warp drive"} {
		before, rest, found := strings.Cut(advice, command)
		if !found {
			continue
		}
		if named, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " "); number(named) {
			command, rest = command+" "+named, rest[1+len(named):]
		} else if more != "" && number(issue) {
			command += " " + issue
		}
		return before + command + more + rest
	}
	return advice
}

// unusedAnswers lists who gave an answer that could not be used, and why.
func (b *Book) unusedAnswers() (list []string) {
	for _, e := range b.Runs {
		if r := e.Row; r.Unread != "" {
			list = append(list, r.Agent+" as "+r.Role+": "+r.Unread)
		}
	}
	return list
}

func unused(b *Book) (items []string) {
	for _, words := range b.unusedAnswers() {
		items = append(items, inline(words))
	}
	return items
}

// Unused returns why the answer of a run could not be used, in words; "": it was used.
func (r Run) Unused() string {
	if r.Unread == "" {
		return ""
	}
	return "the answer could not be used: " + r.Unread
}
