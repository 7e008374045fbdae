package workqueue

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEvaluate(t *testing.T) {
	streak := func(n int) map[string]int { return map[string]int{"test": n} }
	for _, c := range []struct {
		name   string
		facts  Facts
		event  Event
		reason string
		record Record // Before, Iteration and Failing are left out
	}{
		{"a first full pass", Facts{Iteration: 1, Ran: 2}, QueueEmpty, "", Record{Passes: 1}},
		{"the second", Facts{Iteration: 2, Ran: 2, Record: Record{Iteration: 1, Passes: 1}}, GatesPassed, ReasonPassed, Record{Passes: 2}},
		{"at the last iteration, too", Facts{Iteration: 2, Max: 2, Ran: 2, Record: Record{Iteration: 1, Passes: 1}}, GatesPassed, ReasonPassed, Record{Passes: 2}},
		{"the first, where one will do", Facts{Iteration: 1, Passes: 1, Ran: 2}, GatesPassed, ReasonPassed, Record{Passes: 1}},
		{"the second of three", Facts{Iteration: 2, Passes: 3, Ran: 2, Record: Record{Iteration: 1, Passes: 1}}, QueueEmpty, "", Record{Passes: 2}},
		{"the third of three", Facts{Iteration: 3, Passes: 3, Ran: 2, Record: Record{Iteration: 2, Passes: 2}}, GatesPassed, ReasonPassed, Record{Passes: 3}},
		{"an item is open", Facts{Iteration: 2, Ran: 2, Open: 1, Done: 1, Record: Record{Iteration: 1, Passes: 1}}, NextItem, "", Record{}},
		{"an item came and was done", Facts{Iteration: 2, Ran: 2, Added: 1, Done: 1, Record: Record{Iteration: 1, Passes: 1}}, QueueEmpty, "", Record{}},
		{"an old item was done", Facts{Iteration: 2, Ran: 2, Done: 1}, QueueEmpty, "", Record{Passes: 1}},
		{"a gate fails", Facts{Iteration: 2, Ran: 2, Failed: []string{"test"}, Open: 1, Added: 1, Done: 1, Failing: 1, Record: Record{Iteration: 1, Passes: 1}}, GatesFailed, "", Record{Streaks: streak(1)}},
		{"no gate ran", Facts{Iteration: 1, Record: Record{Passes: 1}}, QueueEmpty, "", Record{Stale: 1}},
		{"no gate ever runs", Facts{Iteration: 4, Record: Record{Stale: 1, Changed: 2, Why: "w"}}, GivenUp, ReasonFailed, Record{Stale: 2, Changed: 2, Why: "w"}},
		{"fewer things fail", Facts{Iteration: 5, Ran: 1, Failed: []string{"test"}, Open: 2, Failing: 2, Record: Record{Iteration: 4, Failing: 3, Stale: 1, Streaks: streak(1)}}, GatesFailed, "", Record{Streaks: streak(2)}},
		{"as many fail", Facts{Iteration: 5, Ran: 1, Failed: []string{"test"}, Open: 3, Failing: 3, Record: Record{Iteration: 4, Failing: 3, Stale: 1, Streaks: streak(1)}}, GatesFailed, "", Record{Changed: 5, Why: "nothing improved in 2 iterations"}},
		{"nothing is finished", Facts{Iteration: 5, Ran: 1, Open: 3, Record: Record{Iteration: 4, Stale: 1}}, GatesFailed, "", Record{Changed: 5, Why: "nothing improved in 2 iterations"}},
		{"the same gate, three times", Facts{Iteration: 5, Ran: 1, Failed: []string{"test"}, Open: 3, Done: 1, Failing: 3, Record: Record{Iteration: 4, Failing: 3, Streaks: streak(2)}}, GatesFailed, "", Record{Changed: 5, Why: "the gate test failed 3 times in a row"}},
		{"another gate in between", Facts{Iteration: 5, Ran: 1, Failed: []string{"lint"}, Open: 3, Done: 1, Failing: 3, Record: Record{Iteration: 4, Failing: 3, Streaks: streak(2)}}, GatesFailed, "", Record{Streaks: map[string]int{"lint": 1}}},
		{"again, after the change", Facts{Iteration: 8, Ran: 1, Failed: []string{"test"}, Open: 3, Done: 1, Failing: 3, Record: Record{Iteration: 7, Streaks: streak(2), Changed: 5, Why: "w"}}, GivenUp, ReasonFailed, Record{Streaks: streak(3), Changed: 5, Why: "w"}},
		{"again, at the last iteration", Facts{Iteration: 8, Max: 8, Ran: 1, Open: 1, Record: Record{Iteration: 7, Stale: 1, Changed: 5, Why: "w"}}, GivenUp, ReasonFailed, Record{Stale: 2, Changed: 5, Why: "w"}},
		{"used up", Facts{Iteration: 5, Max: 5, Ran: 1, Open: 1, Done: 1}, Exhausted, ReasonExhausted, Record{}},
		{"used up, where nobody set a bound", Facts{Iteration: MaxIterations, Ran: 1, Open: 1, Done: 1}, Exhausted, ReasonExhausted, Record{}},
		{"a pass is no standstill", Facts{Iteration: 3, Ran: 1, Record: Record{Iteration: 2, Stale: 1}}, QueueEmpty, "", Record{Passes: 1}},
	} {
		v := evaluate(c.facts)
		got := v.Record
		got.Before, got.Iteration, got.Failing = nil, 0, 0
		if diff := cmp.Diff(c.record, got); v.Event != c.event || v.Reason != c.reason || diff != "" {
			t.Errorf("%s: %s, %q (%s)\n%s", c.name, v.Event, v.Reason, v.Why, diff)
		}
		if v.Record.Iteration != c.facts.Iteration || v.Record.Failing != c.facts.Failing || v.Record.Before.Before != nil {
			t.Errorf("%s: %+v", c.name, v.Record)
		}
		if _, err := Table().Next(EvaluatePhase, v.Event); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAnotherApproachIsAskedForOnce(t *testing.T) {
	r := Record{Changed: 5, Why: "the gate test failed 3 times in a row"}
	if got := r.ApproachAdvice(6); got != "the approach so far does not work: the gate test failed 3 times in a row, take another" {
		t.Error(got)
	}
	if r.ApproachAdvice(5) != "" || r.ApproachAdvice(7) != "" || (Record{}).ApproachAdvice(1) != "" {
		t.Error("asked for at the wrong time")
	}
}

func drawFacts(t *rapid.T) Facts {
	f := Facts{Ran: rapid.IntRange(0, 2).Draw(t, "ran"), Open: rapid.IntRange(0, 2).Draw(t, "open"), Added: rapid.IntRange(0, 1).Draw(t, "added"), Done: rapid.IntRange(0, 1).Draw(t, "done"), Failing: rapid.IntRange(0, 3).Draw(t, "failing")}
	for _, gate := range []string{"lint", "test"}[:f.Ran] {
		if rapid.Bool().Draw(t, gate) {
			f.Failed = append(f.Failed, gate)
		}
	}
	return f
}

// Whatever happens, a loop ends within its bound; it never ends well with
// something open or failing; and an iteration that is evaluated again, after a
// crash, counts once.
func TestALoopEndsAndCountsEachIterationOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "most")
		var r Record
		for i := 1; ; i++ {
			if i > most {
				t.Fatalf("it went on after %d iterations", most)
			}
			f := drawFacts(t)
			f.Iteration, f.Max, f.Record = i, most, r
			v := evaluate(f)
			if v.Record.Before.Before != nil {
				t.Fatal("records pile up")
			}
			again := f
			again.Record = v.Record
			if diff := cmp.Diff(v, evaluate(again)); diff != "" {
				t.Fatalf("evaluated again: %s", diff)
			}
			if rapid.Bool().Draw(t, "changed meanwhile") { // someone puts an item there before it is evaluated again
				again.Open, again.Added = again.Open+1, again.Added+1
				if w := evaluate(again); w.Record.Passes != 0 || w.Event == GatesPassed {
					t.Fatalf("%+v", w)
				}
			}
			if v.Event == GatesPassed && (f.Open > 0 || len(f.Failed) > 0 || f.Ran == 0 || f.Added > 0 || r.Passes != 1) {
				t.Fatalf("passed: %+v", f)
			}
			if v.Record.Passes > r.Passes+1 || (f.Open > 0 || len(f.Failed) > 0) && v.Record.Passes != 0 {
				t.Fatalf("%d passes after %d: %+v", v.Record.Passes, r.Passes, f)
			}
			if (v.Reason == "") != !end(v.Event).Final() {
				t.Fatalf("%+v", v)
			}
			if v.Reason != "" {
				return
			}
			if r.Changed > 0 && v.Record.Changed != r.Changed {
				t.Fatal("the approach changed twice")
			}
			r = v.Record
		}
	})
}

func end(e Event) Phase {
	to, err := Table().Next(EvaluatePhase, e)
	if err != nil {
		panic(err)
	}
	return to
}

// A whole loop on the document: work is found, done, breaks a test, is fixed.
func TestAQueueOverAWholeLoop(t *testing.T) {
	q := newQueue("mail", noon)
	pass := func() {
		for _, g := range []string{"test", "lint"} {
			q.Gate(GateRun{Name: g, Status: Pass, At: noon})
		}
	}
	steps := []struct {
		do    func()
		event Event
		line  string
	}{
		{func() {
			q.Add(Found{Title: "a", Source: FromAssess})
			q.Add(Found{Title: "b", Source: FromAssess})
			must(q.Done("1"))
			pass()
		}, NextItem, "Fixed 1 item, 2 new issues found"},
		{func() {
			must(q.Done("2"))
			pass()
			q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: red})
		}, GatesFailed, "Fixed 1 item, 2 new issues found, gates failing: test"},
		{pass, QueueEmpty, "Fixed 2 items, gates passing"},
		{pass, GatesPassed, "Fixed 0 items, gates passing"},
	}
	for i, s := range steps {
		q.Iteration = i + 1
		s.do()
		v := q.Evaluate(9, 0)
		if w := q.Evaluate(9, 0); !cmp.Equal(v, w) {
			t.Errorf("again: %+v", w)
		}
		want := fmt.Sprintf("Iteration %d: %s", i+1, s.line)
		if v.Event != s.event || len(q.Loop.History) != i+1 || q.Loop.History[i] != want || q.ConsecutivePasses != v.Record.Passes {
			t.Errorf("%d: %+v %q", i+1, v, q.Loop.History)
		}
	}
	if q.Loop.Reason != ReasonPassed || q.ConsecutivePasses != 2 {
		t.Errorf("%+v", q.Loop)
	}
}

func TestTheFactsOfAnIteration(t *testing.T) {
	q := newQueue("mail", noon)
	q.Iteration = 1
	for _, title := range []string{"old", "again"} {
		q.Add(Found{Title: title, Source: FromPerson})
	}
	must(q.Done("2"))
	q.Gate(GateRun{Name: "type", Status: Pass, At: noon})
	q.Iteration = 2
	q.Add(Found{Title: "again", Source: FromPerson})
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: red})
	q.Gate(GateRun{Name: "lint", Status: Warn, At: noon})
	must(q.Done("1"))
	want := Facts{Iteration: 2, Max: 9, Ran: 2, Failed: []string{"test"}, Open: 3, Added: 3, Done: 1, Failing: 2}
	if diff := cmp.Diff(want, q.Facts(9)); diff != "" {
		t.Error(diff)
	}
}

func TestAnItemBetweenTwoPassesCountsAnew(t *testing.T) {
	q := newQueue("mail", noon)
	q.Iteration = 1
	q.Gate(GateRun{Name: "test", Status: Pass, At: noon})
	if v := q.Evaluate(9, 0); v.Record.Passes != 1 {
		t.Fatalf("%+v", v)
	}
	q.Add(Found{Title: "mine", Source: FromPerson}) // warp queue add, while the loop runs
	q.Iteration = 2
	must(q.Done("1"))
	q.Gate(GateRun{Name: "test", Status: Pass, At: noon})
	if v := q.Evaluate(9, 0); v.Event != QueueEmpty || q.ConsecutivePasses != 1 {
		t.Errorf("%+v", v)
	}
	// A gate that did not run again does not speak for this iteration.
	q.Iteration = 3
	if v := q.Evaluate(9, 0); v.Event == GatesPassed || q.Loop.History[2] != "Iteration 3: Fixed 0 items, no gate ran" {
		t.Errorf("%+v %q", v, q.Loop.History)
	}
	other := &Queue{Iteration: 1}
	if v := other.Evaluate(0, 0); v.Event != QueueEmpty || other.Loop == nil {
		t.Errorf("a queue that no loop has begun on: %+v", v)
	}
	for i := range 30 {
		other.Iteration = i + 1
		other.Evaluate(0, 0)
	}
	if h := other.Loop.History; len(h) != newest || h[newest-1][:13] != "Iteration 30:" {
		t.Errorf("%q", h)
	}
}
