package drivestate

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/machine"
)

// transitions reads the table that the drive must follow, from a text that
// does not come from the program.
func transitions(t testing.TB) (rows [][3]string, phases []Phase, events []Event) {
	t.Helper()
	data, err := os.ReadFile("testdata/transitions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 {
			t.Fatalf("testdata/transitions.txt: %q", line)
		}
		rows = append(rows, [3]string(f))
		for _, p := range []Phase{Phase(f[0]), Phase(f[2])} {
			if !slices.Contains(phases, p) {
				phases = append(phases, p)
			}
		}
		if e := Event(f[1]); !slices.Contains(events, e) {
			events = append(events, e)
		}
	}
	if len(rows) != 46 || len(phases) != 19 || len(events) != 30 {
		t.Fatalf("%d rows, %d phases, %d events, want 46, 19, 30", len(rows), len(phases), len(events))
	}
	return rows, phases, events
}

func TestEveryCellOfTheTable(t *testing.T) {
	rows, phases, events := transitions(t)
	leads := map[Phase]map[Event]Phase{}
	allowed := map[Phase][]string{}
	for _, r := range rows {
		from := Phase(r[0])
		if leads[from] == nil {
			leads[from] = map[Event]Phase{}
		}
		leads[from][Event(r[1])] = Phase(r[2])
		allowed[from] = append(allowed[from], r[1])
	}
	cells := 0
	for _, from := range phases {
		for _, on := range events {
			cells++
			s := working(from)
			st := Step{Event: on, Now: t1, Limits: huge}
			to, ok := leads[from][on]
			if !ok {
				checkRefusal(t, from, on, allowed[from], refused(t, s, st))
				continue
			}
			out := must(t, s, st)
			if s.Phase != to || out.From != from || out.To != to || out.Event != on || out.Tripped() || len(out.Warnings) > 0 {
				t.Errorf("%s in %s leads to %s (%+v), want %s", on, from, s.Phase, out, to)
			}
			if err := Validate(s); err != nil {
				t.Errorf("%s in %s leaves a document that is none: %v", on, from, err)
			}
		}
	}
	if cells != 19*30 {
		t.Errorf("%d cells, want %d", cells, 19*30)
	}
}

func checkRefusal(t *testing.T, from Phase, on Event, allowed []string, err error) {
	t.Helper()
	want := `event "` + string(on) + `" is not allowed in phase "` + string(from) + `"; allowed: ` + strings.Join(allowed, ", ")
	if len(allowed) == 0 {
		want = `event "` + string(on) + `" is not allowed in phase "` + string(from) + `"; no event is allowed here`
	}
	var r *machine.Refusal
	if !errors.As(err, &r) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestEventsThatDoNotExistAreRefusedEverywhere(t *testing.T) {
	_, phases, _ := transitions(t)
	for _, from := range phases {
		for _, on := range []Event{"", "init", "Start", "start ", "no_progress"} {
			err := refused(t, working(from), Step{Event: on, Now: t1, Limits: huge})
			if !strings.HasPrefix(err.Error(), `there is no event "`+string(on)+`" (phase "`+string(from)+`"); `) {
				t.Errorf("%q in %s: %v", on, from, err)
			}
		}
	}
}

func TestTheTableIsTheDocumentedOneInOrder(t *testing.T) {
	rows, phases, _ := transitions(t)
	for i, r := range Table.Rows() {
		if got := [3]string{string(r.From), string(r.On), string(r.To)}; got != rows[i] {
			t.Errorf("row %d is %v, want %v", i, got, rows[i])
		}
	}
	// A budget that trips leads to budget_exceeded; no row does.
	reachable := append(Table.Reachable(Idle), BudgetExceeded)
	for _, p := range phases {
		if !slices.Contains(reachable, p) {
			t.Errorf("no way leads to %s", p)
		}
		if _, ok := Table.Way(p, Completed); !ok {
			t.Errorf("no way leads from %s to the end", p)
		}
	}
}

func TestEveryPhaseSaysWhatItIsFor(t *testing.T) {
	_, phases, _ := transitions(t)
	waiting := []Phase{Idle, AwaitingContinue, BudgetExceeded, Aborted, Completed}
	for _, p := range phases {
		if !p.Known() || Purpose(p) == "" || Expected(p) == "" {
			t.Errorf("%s: purpose %q, expected %q", p, Purpose(p), Expected(p))
		}
		if p.Trips() == slices.Contains(waiting, p) {
			t.Errorf("%s: budgets can trip: %v", p, p.Trips())
		}
		if p.Active() != (p != Idle && p != Completed) {
			t.Errorf("%s is active: %v", p, p.Active())
		}
	}
	for _, p := range []Phase{"", "Coding", "coding ", "paused"} {
		if p.Known() || Purpose(p) != "" || Expected(p) != "" {
			t.Errorf("%q passes for a phase", p)
		}
	}
}

func TestTheDrawingShowsWhereBudgetsTrip(t *testing.T) {
	d := Drawing(Coding)
	if d.Start != Idle || d.Current != Coding || d.Trap != BudgetExceeded || d.Why == "" {
		t.Errorf("%+v", d)
	}
	want := []Phase{Prerequisites, Discovering, Planning, Chunking, Coding, UpdatingDocs, Testing, Committing, DocDriftCheck,
		Reporting, ChunkComplete, RequirementComplete, Merging, SessionEnding}
	if !slices.Equal(d.Trapped, want) {
		t.Errorf("budgets trip in %v, want %v", d.Trapped, want)
	}
}

func TestNoCellHasTwoRows(t *testing.T) {
	if twice := Table.Ambiguous(); len(twice) > 0 {
		t.Errorf("two rows for %v", twice)
	}
}
