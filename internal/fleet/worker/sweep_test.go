package worker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
	"warp/internal/testkit/gittest"
)

// Clones go when the fleet has everything of their requirement; all others stay.
func TestClonesOfFinishedRequirementsAreRemoved(t *testing.T) {
	b := newBench(t, time.Minute)
	shop := filepath.Join(b.Folder, "shop")
	gittest.Sh(t, b.Folder, `rm -r shop; git init -q --bare -b main remote.git; mkdir seed shop; cd seed
`+gittest.Init+`git commit -q --allow-empty -m one; git push -q ../remote.git main; cd ../shop
		for n in 1 1.attempt-2 1.gone 2 3 4 5 6 7 8 8.attempt-1 list; do git clone -q ../remote.git issue-$n; done
		for n in 1 2 8; do echo 3 > issue-$n.attempt; echo words > log-$n.txt; done
		cd issue-8.attempt-1; git config user.name t; git config user.email t@example.invalid; git commit -q --allow-empty -m 'not pushed'`)
	ended := func(r evidence.Result, words string) flow.RequirementStatus {
		return flow.RequirementStatus{Outcome: &conduct.Outcome{Result: string(r)}, Evidence: json.RawMessage("{}"), Proven: words != ""}
	}
	b.server.ended = map[string]flow.RequirementStatus{
		"req:shop#1":    ended(evidence.Merged, "{}"),
		"req:shop#2":    ended(evidence.Merged, ""), // its clone alone has the evidence
		"req:shop#3":    ended(evidence.Failed, "{}"),
		"req:shop#4":    {},                           // it runs
		"req:shop#5":    ended(evidence.Merged, "{}"), // and is driven again
		"req:shop#7":    ended(evidence.Merged, "{}"), // its drive has not ended here
		"req:shop#8":    ended(evidence.Pull, "{}"),
		"req:shop#list": ended(evidence.Merged, "{}"),
	}
	seven := flow.Work{Repository: fleetfile.Repository{Name: "shop"}, Issue: "7"}
	b.seats.find(seven).drive = &process{}
	defer func() { b.seats.find(seven).drive = nil }()
	again := flow.Item{Submission: flow.Submission{Repo: "shop", Issue: "5"}}
	b.removeFinished(t.Context(), flow.FleetStatus{Running: []flow.Item{again}})
	list, err := os.ReadDir(shop)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range list {
		left = append(left, e.Name())
	}
	slices.Sort(left)
	if want := "issue-2 issue-2.attempt issue-3 issue-4 issue-5 issue-6 issue-7 issue-8.attempt issue-8.attempt-1 issue-list log-2.txt log-8.txt"; strings.Join(left, " ") != want {
		t.Errorf("left are %s\nwant     %s", strings.Join(left, " "), want)
	}
	b.seats.removeIdle()
	if len(b.seats.all) != 1 || b.seats.find(seven).drive == nil {
		t.Errorf("%d seats are kept", len(b.seats.all))
	}
}

// A step that waits for a seat that is removed meanwhile gets the one that has its place.
func TestASeatThatIsRemovedIsNotSatOn(t *testing.T) {
	b := newBench(t, time.Minute)
	old := b.seats.find(b.work)
	b.seats.removeIdle()
	s := b.seats.take(b.work)
	defer s.Unlock()
	if s == old || !old.removed || b.seats.find(b.work) != s {
		t.Error("two could sit on seats of one requirement")
	}
}
