package fleetcmd

import (
	"bytes"
	"strings"
	"testing"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/status"
)

// An agent that tells no prices has not worked for nothing.
func TestCostThatIsNotReportedIsNotZero(t *testing.T) {
	done := func(issue string, s conduct.Spent) flow.Item {
		return flow.Item{Submission: flow.Submission{Repo: "shop", Issue: issue}, State: flow.Done, Spent: s, Outcome: &conduct.Outcome{Result: "merged"}}
	}
	var out bytes.Buffer
	showCost(&out, status.View{Fleet: flow.FleetStatus{Done: []flow.Item{done("1", conduct.Spent{MicroUSD: 2_500_000, Tokens: 7}), done("2", conduct.Spent{Tokens: 9}), done("3", conduct.Spent{})}}})
	lines := strings.Split(out.String(), "\n")
	for _, want := range []string{"agents reported no prices for 2 requirements", "shop#1 $2.50 7 done", "shop#2 (price not reported) 9 done", "shop#3 (price not reported) 0 done"} {
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(strings.Join(strings.Fields(line), " "), want)
		}
		if !found {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}
