package notify_test

import (
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/notify"
)

func TestTheEndOfARequirementInWords(t *testing.T) {
	took := evidence.Effort{Cost: evidence.Cost{Runs: 2, MicroUSD: 260_000}, Took: 192 * time.Second}
	failed := took
	failed.Failing = []string{"TestStore", "TestList"}
	for _, c := range []struct {
		o          evidence.Outcome
		e          evidence.Effort
		kind, text string
	}{
		{evidence.Outcome{Issue: "1", Title: "Greet", Result: evidence.Merged, Why: "x"}, took, "merged", "#1 merged: Greet\n$0.26, 3 min 12 s"},
		{evidence.Outcome{Issue: "1", Result: evidence.Pull, Pull: "https://x.invalid/1"}, evidence.Effort{}, "merged", "#1 pull request open\nhttps://x.invalid/1"},
		{evidence.Outcome{Issue: "3", Result: evidence.Failed, Why: "1 of 1 chunks could not be done", Do: "warp evidence 3"}, failed, "failed",
			"#3 failed\n2 tests failed: TestStore, TestList\n1 of 1 chunks could not be done\nwarp evidence 3\n$0.26, 3 min 12 s"},
		{evidence.Outcome{Issue: "4", Result: evidence.Person, Why: "not logged in"}, evidence.Effort{}, "needs_person", "#4 needs a person\nnot logged in"},
		{evidence.Outcome{Result: evidence.NoWork}, took, "", "# no work\n$0.26, 3 min 12 s"},
	} {
		if m := notify.Outcome(c.o, c.e); m.Kind != c.kind || m.Text != "[warp-drive] "+c.text {
			t.Errorf("%s %q, want %s %q", m.Kind, m.Text, c.kind, c.text)
		}
	}
}
