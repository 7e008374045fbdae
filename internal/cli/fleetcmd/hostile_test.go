package fleetcmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/status"
)

// Nothing that others wrote moves the cursor, or stands in a line of its own.
func TestWhatOthersWroteIsNotObeyed(t *testing.T) {
	const evil = "x\x1b[2J\nFAKE line\r\u202e"
	item := flow.Item{Submission: flow.Submission{Repo: evil, Issue: evil, Title: evil}, Worker: evil, Account: evil, Why: evil,
		Outcome: &conduct.Outcome{Result: evil, Why: evil, Do: evil, Commit: evil}, State: flow.State(evil)}
	ask := &conduct.Ask{ID: evil, Text: evil, Options: []string{evil}, Default: evil}
	v := status.View{
		Fleet: flow.FleetStatus{Name: evil, Night: evil, Paused: evil, Circles: []string{evil}, Running: []flow.Item{item}, Parked: []flow.Item{item}, Done: []flow.Item{item}, Queue: []flow.Queued{{Item: item, Reason: evil}},
			Machines: []flow.MachineStatus{{Machine: flow.Machine{WorkerInfo: flow.WorkerInfo{Name: evil, Pool: evil}}, Hold: evil}}},
		Budget: flow.BudgetStatus{Night: evil, Days: map[string]int64{evil: 1}, Repos: map[string]int64{evil: 1}},
		Now:    map[string]status.Now{item.ID(): {Phase: evil, Doing: evil, Train: evil, Ask: ask}},
	}
	d := fleetview.Detail{Requirement: fleetview.Requirement{Repo: evil, Issue: evil, Title: evil, State: fleetview.State(evil), Phase: evil, Doing: evil, Worker: evil, Train: evil, Ask: ask, Outcome: item.Outcome}, Notes: []string{evil},
		Evidence: &evidence.Account{Title: evil, Criteria: []evidence.Proof{{ID: evil, Text: evil, Status: evil}}}}
	for name, show := range map[string]func(io.Writer){
		"status": func(w io.Writer) { showView(w, v, time.Now()) },
		"watch":  func(w io.Writer) { _ = draw(w, v, time.Now()) },
		"report": func(w io.Writer) { _ = printReport(w, v) },
		"cost":   func(w io.Writer) { showCost(w, v) },
		"show":   func(w io.Writer) { showDetail(w, d) },
		"line":   func(w io.Writer) { printLine(w, "%s: %v", evil, fmt.Errorf("%s", evil)) },
	} {
		var out bytes.Buffer
		show(&out)
		if out.Len() == 0 || strings.ContainsAny(out.String(), "\x1b\r\u202e") || strings.Contains(out.String(), "\nFAKE") {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}
