package drivestate

import (
	"cmp"
	"strings"

	"warp/internal/core/lazy"
)

// spelled are the reasons for budget_exceeded as people read them, with the setting to look at.
var spelled = lazy.Table[string, string]{
	{PhaseTimeout, "a phase took longer than max_phase_minutes"},
	{RetryExceeded, "it took more retries than max_retries_per_chunk allows"},
	{CodingCyclesReached, "it took more coding cycles than max_coding_cycles allows"},
	{NoProgress, "it failed in the same way again, with no new change (max_no_progress)"},
	{TotalChunks, "it has more chunks than max_total_chunks allows"},
	{SessionTimeout, "it took longer than max_session_minutes"},
	{CostExceeded, "its money is spent"},
	{TokensExceeded, "its tokens are spent"},
	{TimeExceeded, "its time is up"},
}

// Spell says in words why budgets tripped. A reason of a later version keeps its name.
func Spell(reasons []string) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = cmp.Or(spelled.Get(r), r)
	}
	return strings.Join(words, ", and ")
}
