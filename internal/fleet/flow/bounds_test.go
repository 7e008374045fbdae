package flow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// state is what a workflow hands on to its next history.
func state(t *testing.T, env *testsuite.TestWorkflowEnvironment, into any) *commonpb.Payloads {
	t.Helper()
	var next *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &next) {
		t.Fatalf("it does not begin a new history: %v", err)
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, into); err != nil {
		t.Fatal(err)
	}
	return next.Input
}

// onTheWire is how long payloads are as the server gets them.
func onTheWire(t *testing.T, list *commonpb.Payloads) (size int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if _, err := connect.CreateKey(path); err != nil {
		t.Fatal(err)
	}
	k, err := connect.ReadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := k.Encode(list.Payloads)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sent {
		size += len(p.Data)
	}
	return size
}

var words = strings.Fields(`add remove show hide rename export import sort filter cache retry limit report refuse accept
	invoice customer order basket price discount stock warehouse parcel label carrier tax currency account password session
	token page list table column header footer button form field menu search index query timeout header cookie locale
	when while after before without for from into with on of the a every all first last empty large old new wrong missing
	slow duplicate expired cancelled German mobile nightly CSV PDF JSON API webhook Postgres Redis`)

func randomTitle(random *rand.Rand) string {
	var title []string
	for range 5 + random.IntN(7) {
		title = append(title, words[random.IntN(len(words))])
	}
	return strings.Join(title, " ") + fmt.Sprintf(" (%d)", random.IntN(10_000))
}

// A server takes payloads of 2 MB.
func TestAFullFleetFitsIntoAPayload(t *testing.T) {
	const count, most = 20_000, 1_500_000
	random := rand.New(rand.NewPCG(1, 21))
	var list []flow.Submission
	for n := range count + 500 {
		s := flow.Submission{Repo: []string{"x", "y"}[n%2], Issue: fmt.Sprint(n), Title: randomTitle(random), Priority: random.IntN(4)}
		if random.IntN(10) == 0 {
			s.Needs = []string{fmt.Sprintf("x#%d", random.IntN(count)*2)}
		}
		list = append(list, s)
	}
	w := newWorld()
	var full flow.FleetStatus
	env, _ := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		n := time.Duration(0)
		for batch := range slices.Chunk(list, flow.MostSubmitted) {
			n += time.Minute
			at(env, n, flow.Submit, batch)
		}
		env.RegisterDelayedCallback(func() {
			ask(t, env, flow.FleetID("f"), &full)
			env.SetCurrentHistoryLength(5_000)
			env.SignalWorkflow(flow.NewNight, "n")
		}, time.Hour)
	})
	if len(full.Queue) != 20_200 || full.Refused != 300 {
		t.Errorf("%d wait, %d were refused", len(full.Queue), full.Refused)
	}
	shown, err := converter.GetDefaultDataConverter().ToPayloads(full)
	if err != nil {
		t.Fatal(err)
	}
	var next flow.FleetState
	handed, asked := onTheWire(t, state(t, env, &next)), onTheWire(t, shown)
	t.Logf("%d items: %d bytes are handed on, %d are shown", len(next.Items), handed, asked)
	if handed > most || asked > most {
		t.Errorf("%d bytes are handed on, %d are shown", handed, asked)
	}
	i := next.Items[100]
	if i.Title != list[100].Title || i.ID() != "x#100" || len(next.Queue.Entries) != 20_200 {
		t.Errorf("%+v, %d entries", i, len(next.Queue.Entries))
	}
}

// Titles and reasons without end do not make a state without end.
func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("very ", 1000)
	w := newWorld()
	w.trouble = func(d *drive, _ flow.Step) error {
		d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "failed", Why: long, Do: long}}
		return nil
	}
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, []flow.Submission{{Repo: "x", Issue: "1", Title: long}})
	})
	if len(s.Parked) != 1 {
		t.Fatalf("%+v", s)
	}
	for _, got := range []string{s.Parked[0].Title, s.Parked[0].Why, s.Parked[0].Outcome.Why, s.Parked[0].Outcome.Do} {
		if len(got) > 310 || !strings.HasPrefix(got, "very ") {
			t.Errorf("%d bytes: %.20q", len(got), got)
		}
	}
}

// A wait without a bound does not make a history without one: it goes on in the next.
func TestLongWaitsBeginANewHistory(t *testing.T) {
	for name, c := range map[string]struct {
		ask    *conduct.Ask
		signal string
		v      any
		doing  string
	}{
		"a question": {&conduct.Ask{ID: "q"}, flow.Ping, "", "waits for an answer"},
		"a pause":    {nil, flow.Pause, flow.Order{}, "is paused"},
		"the train":  {nil, flow.Ping, "", "waits for its turn to merge"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.trouble = func(d *drive, _ flow.Step) error {
				if d.at == 1 && c.ask != nil {
					d.next = &flow.Stepped{Ask: c.ask}
				}
				return nil
			}
			var before flow.RequirementStatus
			env, _ := alone(t, w, flow.Requirement{NoCaps: true}, func(env *testsuite.TestWorkflowEnvironment) {
				for n := range 3 {
					env.RegisterDelayedCallback(func() { env.SignalWorkflow(c.signal, c.v) }, time.Duration(n)*time.Hour)
				}
				env.RegisterDelayedCallback(func() {
					ask(t, env, "default-test-workflow-id", &before)
					env.SetCurrentHistoryLength(5_000)
					env.SignalWorkflow(c.signal, c.v)
				}, 4*time.Hour)
			})
			var next flow.Requirement
			state(t, env, &next)
			if before.Doing != c.doing || next.Worker != "one" || next.Paused != (name == "a pause") || (next.At.Ask != nil) != (c.ask != nil) || (next.Boarded > 0) != (name == "the train") {
				t.Errorf("%q: %+v", before.Doing, next)
			}
		})
	}
}

// What arrives in the moment in which a history ends goes on into the next.
func TestNothingIsLostBetweenHistories(t *testing.T) {
	w := newWorld()
	env, _ := alone(t, w, flow.Requirement{NoCaps: true}, func(env *testsuite.TestWorkflowEnvironment) {
		w.trouble = func(*drive, flow.Step) error { return notTaken() }
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflowSkippingWorkflowTask(flow.Assign, map[string]any{"Worker": "two", "Attempt": 2})
		}, time.Hour)
		env.RegisterDelayedCallback(func() {
			env.SetCurrentHistoryLength(5_000)
			env.SignalWorkflow(flow.Ping, "")
		}, time.Hour+time.Second)
	})
	var next flow.Requirement
	state(t, env, &next)
	if next.Worker != "two" || next.Work.Attempt != 2 {
		t.Errorf("%+v", next)
	}
}
