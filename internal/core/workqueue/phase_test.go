package workqueue

import (
	"slices"
	"testing"

	"warp/internal/core/machine"
)

// flow is the table as it is meant: the events of each phase besides pause,
// stop and broke, which every working phase has.
var flow = map[Phase]map[Event]Phase{
	Contextualize: {ContextReady: Assess, WorkWaits: Plan},
	Assess:        {WorkFound: Plan, NothingFound: Test},
	Plan:          {ItemsChosen: Build, NothingToDo: Test},
	Build:         {Built: Test},
	Test:          {Tested: Quality},
	Quality:       {Checked: EvaluatePhase},
	EvaluatePhase: {NextItem: Plan, QueueEmpty: Assess, GatesFailed: Recover, GatesPassed: Complete, Exhausted: Stopped, GivenUp: Failed},
	Recover:       {Recovered: Plan},
}

func TestEveryCellOfTheTable(t *testing.T) {
	if list := Table().Ambiguous(); len(list) > 0 {
		t.Errorf("told twice: %v", list)
	}
	for _, p := range Table().States() {
		for _, e := range Table().AllEvents() {
			want := flow[p][e]
			switch {
			case e == Resumed && p == Paused:
				want = Contextualize
			case e == StopAsked && (flow[p] != nil || p == Paused):
				want = Stopped
			case e == PauseAsked && flow[p] != nil:
				want = Paused
			case e == Broke && flow[p] != nil:
				want = Failed
			}
			if got, err := Table().Next(p, e); got != want || (err == nil) != (want != "") {
				t.Errorf("%s on %s leads to %q, want %q", p, e, got, want)
			}
		}
		if p.Final() != (len(Table().Events(p)) == 0) {
			t.Errorf("%s: final %v", p, p.Final())
		}
	}
	reached := Table().Reachable(Contextualize)
	if len(reached) != len(Table().States()) || len(reached) != 12 {
		t.Errorf("reachable: %v of %v", reached, Table().States())
	}
	for _, p := range reached {
		if _, ok := Table().Way(p, Complete, Broke, StopAsked); !ok && !p.Final() {
			t.Errorf("%s cannot end well", p)
		}
	}
}

func TestPhasesHaveTheWordsOfTheDocument(t *testing.T) {
	var words []string
	for _, p := range Table().States() {
		words = append(words, p.Status())
	}
	want := []string{"CONTEXTUALIZING", "ASSESSING", "PLANNING", "BUILDING", "TESTING", "CHECKING", "EVALUATING", "RECOVERING", "PAUSED", "COMPLETE", "STOPPED", "FAILED"}
	slices.Sort(words)
	slices.Sort(want)
	if !slices.Equal(words, want) {
		t.Errorf("%v", words)
	}
	if _, err := Table().Render("mermaid", machine.Drawing[Phase]{Start: Contextualize, Current: Build}); err != nil {
		t.Error(err)
	}
}
