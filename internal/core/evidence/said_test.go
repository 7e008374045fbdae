package evidence_test

import (
	"slices"
	"testing"

	"warp/internal/core/evidence"
)

func TestWhatIsSaid(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{evidence.Tested{NotRun: true}.Said(), "not run, as the settings say"},
		{evidence.Tested{TimedOut: true}.Said(), "did not end in time"},
		{evidence.Tested{Broke: []string{"A", "B"}}.Said(), "failed: 2 tests broke"},
		{evidence.Tested{Red: true}.Said(), "red as before, nothing new fails"},
		{evidence.Tested{Exit: 2}.Said(), "failed, exit code 2"},
		{evidence.Gate{}.Said(), "refused"},
		{evidence.Result("").Words(), "not ended"},
		{evidence.Partly.Words(), "partly done"},
		{evidence.Budget.Words(), "budget spent"},
		{evidence.Person.Words(), "needs a person"},
		{evidence.BugSettled(evidence.Subject{Issue: "42"}, ""), "Done with #42: ."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestAnAuditTellsWhatIsNew(t *testing.T) {
	was := evidence.Audit{Unsigned: 1, Forged: 2}
	now := evidence.Audit{Unsigned: 2, Forged: 2, Misplaced: 3, Negative: 1}
	want := []string{
		"1 row of proof is not signed and does not count: an agent, another tool or an older warp wrote it",
		"in 3 places signed rows were removed, rewritten or moved",
		"1 run claims a negative cost and does not count",
	}
	if got := now.Since(was).Describe(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := was.Since(now).Describe(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
