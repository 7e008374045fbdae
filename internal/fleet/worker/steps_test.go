package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
)

const (
	phase    = `{"kind":"phase","n":1,"phase":"implement","agent":true,"tokens":5}`
	push     = `{"kind":"push","n":2,"what":"warp/7"}`
	filing   = `{"kind":"file","n":2,"what":"a report"}`
	question = `{"kind":"question","n":3,"ask":{"id":"q1","text":"blue?"}}`
	end      = `{"kind":"end","outcome":{"result":"merged","commit":"abc"},"micro_usd":7}`
)

// wantKind holds a step's failure to its kind.
func wantKind(t *testing.T, err error, kind, words string) {
	t.Helper()
	var e *temporal.ApplicationError
	if !errors.As(err, &e) || e.Type() != kind || !e.NonRetryable() || !strings.Contains(err.Error(), words) {
		t.Errorf("%v: want %s with %q", err, kind, words)
	}
}

func TestADriveIsLedFromPhaseToOutcome(t *testing.T) {
	b := newBench(t, time.Minute, "what is none of the conversation", phase, push, question, end)
	at, err := b.BeginWork(t.Context(), b.work)
	if err != nil || at.Phase != "implement" || !at.Agent || at.Spent.Tokens != 5 {
		t.Fatal(at, err)
	}
	at, err = b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1, MicroUSD: 9})
	if err != nil || at.Ask == nil || at.Ask.ID != "q1" {
		t.Fatal(at, err)
	}
	at, err = b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 2, Answer: &flow.Answer{Question: "q1", Text: "yes", By: "ada"}})
	if err != nil || at.Outcome == nil || at.Outcome.Commit != "abc" || at.Spent.MicroUSD != 7 {
		t.Fatal(at, err)
	}
	for _, want := range []string{`"n":1,"go":true,"micro_usd":9`, `"n":2,"go":true`, `"n":3,"go":true,"answer":"yes","by":"ada"`} {
		if !strings.Contains(b.replied(), want) {
			t.Errorf("%s is missing in\n%s", want, b.replied())
		}
	}
	if b.seats.find(b.work).drive != nil {
		t.Error("the drive is still there")
	}
}

// A drive says what to do in its work tree, which people who have a fleet do not see.
func TestTheAdviceIsForThoseWhoHaveAFleet(t *testing.T) {
	for advice, want := range map[string]string{
		"check git log, then warp resume": "check git log, then warp-fleet submit shop#7",
		"to continue: warp resume":        "to continue: warp-fleet submit shop#7",
		"warp resume --max-cost MORE":     "warp resume --max-cost MORE",
	} {
		b := newBench(t, time.Minute, `{"kind":"end","outcome":{"result":"needs_person","do":"`+advice+`"}}`)
		b.work.Repository.Name, b.work.Issue = "shop", "7"
		if at, err := b.BeginWork(t.Context(), b.work); err != nil || at.Outcome == nil || at.Outcome.Do != want {
			t.Errorf("%q: %+v, %v", advice, at.Outcome, err)
		}
	}
}

func TestAnAnswerToAnotherQuestionIsNotGiven(t *testing.T) {
	b := newBench(t, time.Minute, strings.Replace(question, `"n":3`, `"n":1`, 1), end)
	if at, err := b.BeginWork(t.Context(), b.work); err != nil || at.Ask == nil {
		t.Fatal(at, err)
	}
	if _, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1, Answer: &flow.Answer{Question: "q0", Text: "yes"}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.replied(), "yes") {
		t.Error(b.replied())
	}
}

func TestADeniedPhaseSaysWhy(t *testing.T) {
	b := newBench(t, time.Minute, phase, end)
	if _, err := b.BeginWork(t.Context(), b.work); err != nil {
		t.Fatal(err)
	}
	if _, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1, Deny: "no money"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.replied(), `"go":false,"why":"no money"`) {
		t.Error(b.replied())
	}
}

func TestNothingBeginsWithoutAnAcknowledgement(t *testing.T) {
	for _, refusal := range []error{errCut, errGone} {
		b := newBench(t, time.Minute, phase)
		b.server.beat = func(int) error { return refusal }
		_, err := b.BeginWork(t.Context(), b.work)
		wantKind(t, err, flow.WorkerLost, refusal.Error())
		if b.seats.find(b.work).drive != nil {
			t.Errorf("%v: a drive was started", refusal)
		}
	}
}

// Half the time-out without an acknowledgement, or a word that the attempt is over, ends
// the drive before the step returns.
func TestADriveEndsWithItsAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		timeout time.Duration
		refusal error
	}{"cut off": {400 * time.Millisecond, errCut}, "given away": {time.Second, errGone}, "cancelled": {time.Second, temporal.NewCanceledError()}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.timeout, `{"kind":"live","what":"thinks"}`)
			b.server.beat = func(n int) error {
				if n == 1 {
					return nil
				}
				return c.refusal
			}
			_, err := b.BeginWork(t.Context(), b.work)
			wantKind(t, err, flow.WorkerLost, errLost.Error())
			if b.seats.find(b.work).drive != nil {
				t.Error("the drive is kept")
			}
			if !strings.Contains(b.replied(), "the worker is gone") {
				t.Errorf("the drive still ran when the step was given up: %q", b.replied())
			}
		})
	}
}

func TestPushesAndFilingsAreFenced(t *testing.T) {
	for name, line := range map[string]string{"push": push, "file": filing} {
		b := newBench(t, time.Minute, phase, line, end)
		if _, err := b.BeginWork(t.Context(), b.work); err != nil {
			t.Fatal(err)
		}
		b.server.mu.Lock()
		first := b.server.beats + 1 // the step's own; the fence asks again
		b.server.beat = func(n int) error {
			if n > first {
				return errGone
			}
			return nil
		}
		b.server.mu.Unlock()
		_, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1})
		wantKind(t, err, flow.WorkerLost, name)
		if strings.Contains(b.replied(), `"n":2`) {
			t.Errorf("%s was let through:\n%s", name, b.replied())
		}
	}
}

func TestADriveThatBreaksIsDropped(t *testing.T) {
	for last, want := range map[string]string{"break": "exit code 7: something is broken", "leave": "the drive ended without an outcome"} {
		b := newBench(t, time.Minute, phase, last)
		if _, err := b.BeginWork(t.Context(), b.work); err != nil {
			t.Fatal(err)
		}
		_, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1})
		wantKind(t, err, flow.StepBroken, want)
		if b.seats.find(b.work).drive != nil {
			t.Errorf("%s: the drive is kept", last)
		}
	}
}

// A worker that was started anew in the middle begins the drive again, says where it stands,
// and goes on when it is told to.
func TestAWorkerStartedAnewTakesTheStep(t *testing.T) {
	b := newBench(t, time.Minute, phase, end)
	at, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 4})
	if err != nil || at.Phase == "" || strings.Contains(b.replied(), `"go":true`) {
		t.Fatal(at, err, b.replied())
	}
	at, err = b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 5})
	if err != nil || at.Outcome == nil || at.Outcome.Result != "merged" {
		t.Fatal(at, err)
	}
	b = newBench(t, time.Minute, end)
	if at, err := b.TakeStep(t.Context(), flow.Step{Work: b.work, Serial: 1}); err != nil || at.Outcome == nil {
		t.Error("the drive was done already:", at, err)
	}
}

func TestBeginningAgainEndsTheDriveBefore(t *testing.T) {
	b := newBench(t, time.Minute, phase)
	if _, err := b.BeginWork(t.Context(), b.work); err != nil {
		t.Fatal(err)
	}
	old := b.seats.find(b.work).drive
	if _, err := b.BeginWork(t.Context(), b.work); err != nil {
		t.Fatal(err)
	}
	select {
	case <-old.done:
	default:
		t.Error("two drives run")
	}
	if err := b.LeaveWork(t.Context(), b.work); err != nil || b.seats.find(b.work).drive != nil {
		t.Error("the drive is there after its worker left it:", err)
	}
}

// Leaving waits until the step under way is over, which may take longer than the server waits
// for a word.
func TestLeavingIsHeardOfWhileItWaits(t *testing.T) {
	b := newBench(t, 400*time.Millisecond)
	again := make(chan struct{})
	b.server.beat = func(n int) error {
		if n == 3 {
			close(again)
		}
		return nil
	}
	s := b.seats.take(b.work)
	left := make(chan error, 1)
	go func() { left <- b.LeaveWork(t.Context(), b.work) }()
	select {
	case <-again:
	case <-time.After(20 * time.Second):
		t.Error("the server hears nothing while the worker waits")
	}
	s.Unlock()
	if err := <-left; err != nil {
		t.Error(err)
	}
}

func TestACloneThatFailsKeepsItsPassword(t *testing.T) {
	b := newBench(t, time.Minute, phase)
	b.work.Issue = "8"
	b.work.Repository.URL = "file://user:hunter2@/nowhere/shop.git"
	_, err := b.BeginWork(t.Context(), b.work)
	wantKind(t, err, flow.StepBroken, "clone shop")
	if strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

func TestNeedsElsewhereGetTheFleetsNames(t *testing.T) {
	known := []fleetfile.Repository{{Name: "shop", URL: "git@github.com:Acme/Shop.git"}, {Name: "web", URL: "https://github.com/acme/web/"}}
	for need, want := range map[string]string{"acme/shop#7": "shop#7", "acme/web#1": "web#1", "other/shop#7": "other/shop#7"} {
		if got := nameNeed(need, known); got != want {
			t.Errorf("%s: %s", need, got)
		}
	}
}

// A worker that is interrupted is drained, and stays until nothing is left on it.
func TestAnInterruptedWorkerLeavesWhenNothingIsLeft(t *testing.T) {
	b := newBench(t, time.Minute)
	looks := 0
	b.server.fleet = func() (flow.FleetStatus, error) {
		looks++
		m := flow.MachineStatus{Machine: flow.Machine{WorkerInfo: b.WorkerInfo, Draining: looks > 1}, Resting: max(0, 3-looks)}
		return flow.FleetStatus{Machines: []flow.MachineStatus{m}}, nil
	}
	if err := b.leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.server.signals, "; "); got != "fleet:f drain {Worker:w1 Back:false}" {
		t.Errorf("it said %s", got)
	}
	if looks != 3 {
		t.Errorf("it left after %d looks", looks)
	}
	b.server.fleet = func() (flow.FleetStatus, error) { return flow.FleetStatus{}, nil }
	if err := b.leave(t.Context()); err != nil {
		t.Error("it does not leave a fleet that has forgotten it:", err)
	}
	b.server.fleet = nil
	if err := b.leave(t.Context()); err != nil {
		t.Error("it does not leave a server that is gone:", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.leave(over); err != nil {
		t.Error("a second interrupt did not end it:", err)
	}
}
