package feed

import (
	"cmp"
	"fmt"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
)

// driveRules lists what an unfinished drive may be doing or waiting for; the first match counts.
var driveRules = []struct {
	holds func(located) bool
	say   func(i *Item, v located, parked Item)
}{
	{func(v located) bool { return v.State.Frozen != nil }, sayFrozen},
	{func(v located) bool { return v.State.Paused != nil }, func(i *Item, v located, _ Item) {
		i.State, i.Since, i.Do = Paused, ParseTime(v.State.Paused.At), strings.TrimSpace("warp continue "+i.Name)
	}},
	{func(v located) bool { return v.State.Phase == drivestate.Aborted && v.Stale }, func(i *Item, _ located, _ Item) {
		i.State, i.Why, i.Do = Interrupted, "it was stopped and is not cleaned up yet", "warp resume"
	}},
	{func(v located) bool { return v.State.Phase == drivestate.BudgetExceeded }, sayBudget},
	{func(v located) bool { return v.State.Phase == drivestate.AwaitingContinue && !v.State.Session.Headless }, func(i *Item, _ located, _ Item) {
		i.State, i.Why, i.Do = Waiting, "it asks whether to take the next requirement", "warp continue, or warp stop"
	}},
	{func(v located) bool { return v.Stale }, sayStale},
	{func(v located) bool { return v.State.Waiting != nil }, func(i *Item, v located, _ Item) {
		w := v.State.Waiting
		i.State, i.Why, i.Until = Waiting, w.Why, ParseTime(w.Until)
		if w.Since != "" {
			i.Since = ParseTime(w.Since)
		}
	}},
	{func(located) bool { return true }, func(i *Item, _ located, _ Item) {
		i.State = Running
		if i.Question != nil {
			i.State, i.Do = Waiting, "warp answer "+i.Question.ID
		}
	}},
}

func sayFrozen(i *Item, v located, _ Item) {
	f := v.State.Frozen
	i.State, i.Since, i.Do = Parked, ParseTime(f.At), `put it back, or accept it: warp override --reason "…"`
	var why []string
	for _, m := range f.Moves {
		why = append(why, m.String()+" unseen by the guards")
	}
	if f.State {
		why = append(why, "something other than warp wrote the state")
		i.Do += ", or go back: warp doctor --rebuild"
	}
	i.Why = "frozen: " + strings.Join(why, ", ")
}

func sayBudget(i *Item, v located, parked Item) {
	b := v.State.Budgets
	i.State, i.Since, i.Do = Parked, ParseTime(b.ExceededAt), evidence.RepeatCaps(evidence.BudgetAdvice(v.State), v.State.Issue(), v.State.Session.Caps)
	i.Why = fmt.Sprintf("%s, while %s", drivestate.Spell(b.ExceededReasons), b.ExceededFromPhase.Label())
	if parked.Result == string(evidence.Budget) && parked.Why != "" {
		i.Why, i.Do = parked.Why, cmp.Or(parked.Do, i.Do)
	}
}

// sayStale distinguishes a drive that parked itself from one whose process was killed.
func sayStale(i *Item, v located, parked Item) {
	switch {
	case parked.Result != "" && parked.Result != string(evidence.Merged):
		i.State, i.Result, i.Why, i.Do, i.Since = Parked, parked.Result, parked.Why, parked.Do, parked.Ended
		if parked.Result == string(evidence.Stopped) {
			i.State = Interrupted
		}
	default:
		i.State, i.Why, i.Do = Interrupted, "its process has ended", evidence.RepeatCaps(strings.TrimSpace("warp resume "+i.Name), v.State.Issue(), v.State.Session.Caps)
	}
}

// step describes what a drive is doing.
func step(s *drivestate.State) string {
	if s.Phase == drivestate.Merging && s.Session.Level == 2 {
		return "opening the pull request"
	}
	text := drivestate.Describe(s.Phase, s.Chunk.Index, s.Chunk.Total)
	if n := s.Budgets.RetryCount; n > 0 && text != s.Phase.Label() {
		text += fmt.Sprintf(", attempt %d", n+1)
	}
	return text
}
