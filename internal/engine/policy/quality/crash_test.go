package quality

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/session"
	"warp/internal/testkit/need"
)

// story is a loop that goes through every phase, a pause and a reset.
func story(t *testing.T) *place {
	p := newPlace(t)
	p.o.PauseOn, p.o.Reset = workqueue.S0, true
	p.scans = [][]map[string]any{{found("a", "S1"), found("hole", "S0")}, {}, {}}
	p.write("test.sh", "echo >>"+p.root+"/.git/runs\n"+failing("fixed", "TestSum", "TestTax"))
	p.build = func(a agent.Task, n int) map[string]any {
		if n == 2 {
			p.write("fixed", "")
		}
		return map[string]any{"summary": "did", "items_completed": a.Criteria, "learnings": []string{"l"}}
	}
	p.queued("left over")
	return p
}

// nobody are processes that are gone, so that what they held can be taken.
const nobody = 1 << 30

// tell runs a story in processes that die where they are told to; what it came to.
func tell(t *testing.T, die func(int) bool) (p *place, came string) {
	p = story(t)
	p.die = die
	for it := (session.Iteration{Number: 1}); it.Number < 20 && len(p.points) < 1000; {
		out, died := p.process(nobody+len(p.points), it)
		if died != "" {
			it.Again = true
			continue
		}
		came += fmt.Sprintf("%d: %+v files %v learnings %v spent %+v stop %v pause %q\n", it.Number, out.Row, out.Files, out.Learnings, out.Spent, reason(out), out.Pause)
		if out.Stop != nil {
			came += fmt.Sprintf("%d assessments, %d builds, %d test runs\n", len(p.scanned), len(p.built), len(p.read(".git/runs")))
			return p, came + string(lossless.AppendIndent(nil, lossless.Encode(*p.queue(), nil))) + p.read(workqueue.StateFile)
		}
		it = session.Iteration{Number: it.Number + 1}
	}
	t.Fatal("no end")
	return nil, ""
}

func TestKilledAtEveryPointItComesToTheSame(t *testing.T) {
	p, want := tell(t, nil)
	if !strings.Contains(want, "stop gates-passed") {
		t.Fatal(want)
	}
	for i, point := range p.points {
		if slices.Index(p.points, point) != i {
			continue // the first of its kind will do
		}
		if i%4 != 1 && !need.Whole() {
			continue // make crash has each
		}
		if _, got := tell(t, func(n int) bool { return n == i+1 }); got != want {
			t.Errorf("killed at %s:\n%s\nwant\n%s", point, got, want)
		}
	}
	for _, point := range []string{"queue_kept", "queue_removed", "iteration_marked", "iteration_entered", "assess_answered", "build_marked", "build_answered", "gate_test", "gate_security",
		"phase_build", "phase_evaluate", "phase_recover", "phase_paused", "shown_test", "pause_marked", "phase_complete", "shown_complete"} {
		if !slices.Contains(p.points, point) {
			t.Errorf("nothing was killed at %s", point)
		}
	}
}

func TestKilledAgainAndAgainItComesToTheSame(t *testing.T) {
	_, want := tell(t, nil)
	p, got := tell(t, func(n int) bool { return n%2 == 1 }) // of a pause each process would pass the same point
	if got != want {
		t.Errorf("killed %d times:\n%s\nwant\n%s", len(p.points), got, want)
	}
}

func TestAnAgentIsToldThatItsWorkWasBrokenOff(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}, {found("b", "S1")}}
	p.build = func(a agent.Task, _ int) map[string]any { return map[string]any{"items_completed": a.Criteria} }
	p.die = func(n int) bool { return p.points[n-1] == "build_marked" && len(p.built) == 0 && n < 20 }
	if _, at := p.process(nobody, session.Iteration{Number: 1}); at != "build_marked" {
		t.Fatal(at)
	}
	p.die = nil
	p.process(nobody, session.Iteration{Number: 1, Again: true})
	p.process(nobody, session.Iteration{Number: 2})
	for i, want := range []bool{true, false} {
		if got := strings.Contains(p.built[i].Prompt, "was interrupted"); got != want {
			t.Errorf("%d: %s", i, p.built[i].Prompt)
		}
	}
}
