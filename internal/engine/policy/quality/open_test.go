package quality

import (
	"context"
	"os"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/core/telemetry"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/session"
)

func TestItPausesForUrgentWorkOnce(t *testing.T) {
	p := newPlace(t)
	p.o.PauseOn = workqueue.S0
	p.scans = [][]map[string]any{{found("fine", "S1"), found("a hole", "S0")}, {found("another", "S0")}}
	p.build = func(a agent.Task, _ int) map[string]any { return map[string]any{"items_completed": a.Criteria} }
	b := p.open()
	out := p.iterate(b, 1)
	if !strings.Contains(out.Pause, "work-002 (S0) a hole") || strings.Contains(out.Pause, "fine") || len(p.built) > 0 {
		t.Fatalf("%+v", out)
	}
	if p.queue().Loop.Phase != workqueue.Paused || !strings.Contains(p.read(workqueue.StateFile), "Status: PAUSED") {
		t.Errorf("%+v", p.queue().Loop)
	}
	_ = b.Close()
	b = p.open() // a person has said that it goes on
	for n := 2; n <= 3; n++ {
		if out := p.iterate(b, n); out.Pause != "" || out.Stop != nil {
			t.Fatalf("%d: %+v", n, out)
		}
	}
	if len(p.built) != 2 || p.built[0].Criteria[0] != "work-002" {
		t.Fatalf("%+v", p.built)
	}
	if out := p.iterate(b, 4); !strings.Contains(out.Pause, "another") {
		t.Errorf("%+v", out)
	}
}

func TestItPausesForWhatAGateFound(t *testing.T) {
	p := newPlace(t)
	p.o.PauseOn = workqueue.S1
	p.write("test.sh", failing("fixed", "TestSum"))
	b := p.open()
	if out := p.iterate(b, 1); !strings.Contains(out.Pause, "TestSum") || out.Row.Gates != sessionstate.Fail {
		t.Fatalf("%+v", out)
	}
	if out := p.iterate(b, 2); out.Pause != "" || len(p.built) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestResetBeginsWithAnEmptyQueueAndKeepsTheOld(t *testing.T) {
	p := newPlace(t)
	p.queued("old")
	p.o.Reset = true
	p.loop(5)
	if len(p.built) > 0 || len(p.queue().Items) > 0 {
		t.Errorf("%+v", p.queue().Items)
	}
	if old := p.read(".claude/state/loop/work_queue.json.20260129T120000Z"); !strings.Contains(old, `"old"`) {
		t.Error(old)
	}
}

func TestWorkThatWaitsIsDoneWithoutAReset(t *testing.T) {
	p := newPlace(t)
	p.queued("mine")
	p.build = func(a agent.Task, _ int) map[string]any { return map[string]any{"items_completed": a.Criteria} }
	p.loop(5)
	if len(p.scanned) != 2 || len(p.built) != 1 || p.item("1").Status != workqueue.Done || p.queue().Task != "sell things" {
		t.Errorf("%d %d %+v", len(p.scanned), len(p.built), p.queue())
	}
}

func TestErrorsThatNobodyTriesAgainAreWork(t *testing.T) {
	p := newPlace(t)
	if _, err := durable.Open(p.o.Store, "state/errors/classified.json", durable.Kind[telemetry.Errors]{Name: "errors"}).Update(func(tx *durable.Tx[telemetry.Errors]) error {
		tx.Doc = &telemetry.Errors{Errors: []telemetry.Entry{
			{ID: "e1", Classification: "syntax", Tool: "Bash", Message: "syntax error near x", Status: telemetry.Queued},
			{ID: "e2", Classification: "network", Tool: "Bash", Message: "no route", Status: telemetry.Pending},
		}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	p.iterate(p.open(), 1)
	if q := p.queue(); len(q.Items) != 1 || q.Items[0].Source != workqueue.FromError || len(p.built) != 1 {
		t.Errorf("%+v", q.Items)
	}
}

func TestOnlyOneLoopAtATime(t *testing.T) {
	p := newPlace(t)
	b := p.open()
	if _, err := New(t.Context(), p.o, p.stage()); !isLocked(err) {
		t.Errorf("%v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = p.open()
	if err := os.Remove(p.o.Store.Dir() + "/locks/quality-loop.lock"); err != nil { // an agent did
		t.Fatal(err)
	}
	p.iterate(b, 1)
	if _, err := New(t.Context(), p.o, p.stage()); !isLocked(err) {
		t.Errorf("%v", err)
	}
}

func TestTheIterationsOfALoopAreCountedFromItsBeginning(t *testing.T) {
	p := newPlace(t)
	p.s.Most = 3
	p.write("test.sh", failing("never", "TestSum"))
	p.build = func(_ agent.Task, n int) map[string]any {
		return map[string]any{"items": []string{strings.Repeat("x", n)}}
	}
	for i := range 2 { // the second goes on with the queue of the first
		outs := p.loop(3)
		if len(outs) != 3 || reason(outs[2]) != sessionstate.ReasonMaxIterations || p.queue().Iteration != 3*(i+1) {
			t.Fatalf("%+v %d", outs, p.queue().Iteration)
		}
		p.s.Session = "second"
	}
}

func TestAStoppedLoopGoesOnFromItsPhase(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	ctx, stop := context.WithCancel(context.Background())
	p.o.Tell = func(n session.Note) {
		if n.Kind == session.Phased && n.Text == string(workqueue.Test) {
			stop()
		}
	}
	b := p.open()
	if _, err := b.Iterate(ctx, session.Iteration{Number: 1}); err != context.Canceled {
		t.Fatal(err)
	}
	_ = b.Close()
	if _, err := p.open().Iterate(context.Background(), session.Iteration{Number: 1, Again: true}); err != nil {
		t.Fatal(err)
	}
	if len(p.scanned) != 1 || len(p.built) != 1 || p.queue().Loop.Record.Iteration != 1 {
		t.Errorf("%d %d %+v", len(p.scanned), len(p.built), p.queue().Loop)
	}
}

func TestAnotherSessionBeginsAnew(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	ctx, stop := context.WithCancel(context.Background())
	p.build = func(agent.Task, int) map[string]any { stop(); return map[string]any{"summary": "did it"} }
	b := p.open()
	if _, err := b.Iterate(ctx, session.Iteration{Number: 1}); err != context.Canceled {
		t.Fatal(err)
	}
	p.iterate(b, 1) // of the same name, after the first was stopped for good
	if len(p.scanned) != 2 || len(p.built) != 2 || p.queue().Iteration != 2 {
		t.Errorf("%d %d %d", len(p.scanned), len(p.built), p.queue().Iteration)
	}
}

func TestALoopThatHasEndedBeginsAnewWhenItsSessionGoesOn(t *testing.T) {
	p := newPlace(t)
	p.s.Most = 1
	p.write("test.sh", failing("never", "TestSum"))
	b := p.open()
	if out := p.iterate(b, 1); reason(out) != sessionstate.ReasonMaxIterations {
		t.Fatalf("%+v", out)
	}
	_ = b.Close()
	p.s.Most = 3
	if out := p.iterate(p.open(), 2); out.Stop != nil || len(p.scanned) != 2 || len(p.built) != 1 {
		t.Errorf("%+v", out)
	}
}
