package quality

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/learning"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/session"
	"warp/internal/testkit/agenttest"
	"warp/internal/turnstile"
)

var rewrite = flag.Bool("update", false, "write the golden files")

func TestTwoFullPassesEndIt(t *testing.T) {
	p := newPlace(t)
	outs := p.loop(5)
	if len(outs) != 2 || reason(outs[1]) != sessionstate.ReasonGatesPassed || outs[0].Row.Gates != sessionstate.Pass || outs[1].Row.Gates != sessionstate.Pass {
		t.Fatalf("%+v", outs)
	}
	if len(p.scanned) != 2 || len(p.built) != 0 {
		t.Errorf("%d assessments, %d builds", len(p.scanned), len(p.built))
	}
	if !p.scanned[0].ReadOnly || !strings.Contains(p.scanned[0].Prompt, "sell things") {
		t.Errorf("%+v", p.scanned[0])
	}
	if q := p.queue(); q.Loop.Phase != workqueue.Complete || q.ConsecutivePasses != 2 || q.Iteration != 2 {
		t.Errorf("%+v %+v", q, q.Loop)
	}
	if outs[0].Spent.MicroUSD != 1000 || outs[0].Spent.Tokens != 10 {
		t.Errorf("%+v", outs[0].Spent)
	}
}

func TestAsManyFullPassesAsAreWantedEndIt(t *testing.T) {
	for _, n := range []int{1, 3} {
		p := newPlace(t)
		p.s.Passes = n
		outs := p.loop(5)
		if len(outs) != n || reason(outs[n-1]) != sessionstate.ReasonGatesPassed || p.queue().Loop.Phase != workqueue.Complete {
			t.Errorf("%d: %+v", n, outs)
		}
	}
}

func TestAFailingTestBecomesAnItemThatItsGateCloses(t *testing.T) {
	p := newPlace(t)
	p.write("test.sh", failing("fixed", "TestSum"))
	p.build = func(_ agent.Task, _ int) map[string]any {
		p.write("fixed", "")
		return map[string]any{"summary": "summed", "learnings": learning.Texts("sums are hard")} // and claims nothing
	}
	outs := p.loop(5)
	if len(outs) != 3 || reason(outs[2]) != sessionstate.ReasonGatesPassed {
		t.Fatalf("%+v", outs)
	}
	if outs[0].Row.Gates != sessionstate.Fail || outs[0].Row.Changed || outs[0].Row.End != "" {
		t.Errorf("%+v", outs[0].Row)
	}
	row := outs[1].Row
	if row.Gates != sessionstate.Pass || !row.Changed || !slices.Equal(row.Items, []string{"work-001"}) || row.Summary != "summed" || !slices.Equal(outs[1].Files, []string{"fixed"}) {
		t.Errorf("%+v %v", row, outs[1].Files)
	}
	if !slices.Equal(outs[1].Learnings, learning.Texts("sums are hard")) {
		t.Errorf("%v", outs[1].Learnings)
	}
	it := p.item("work-001")
	if it.Source != "gate:test" || it.Status != workqueue.Done || *it.CompletedIteration != 2 || !strings.Contains(it.Title, "TestSum") {
		t.Errorf("%+v", it)
	}
	prompt := p.built[0].Prompt
	for _, want := range []string{"work-001 (S1", "```", "want 3, got 4", "sh test.sh"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
}

func TestTheMostUrgentComesFirst(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("polish", "S3"), found("a hole", "S0"), found("half done", "S1")}}
	p.build = func(a agent.Task, _ int) map[string]any { return map[string]any{"items_completed": a.Criteria} }
	outs := p.loop(6)
	for i, want := range []string{"", "", sessionstate.Pass, sessionstate.Pass} { // passes with work left are none
		if outs[i].Row.Gates != want {
			t.Errorf("%d: %+v", i, outs[i].Row)
		}
	}
	var order []string
	for _, b := range p.built {
		order = append(order, strings.Join(b.Criteria, ","))
	}
	if want := []string{"work-002", "work-003", "work-001"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

func TestAnAgentsWordCountsWhereNoGateSpeaksAgainstIt(t *testing.T) {
	p := newPlace(t)
	p.write("test.sh", "[ -e broken ] || exit 0\n"+failing("fixed", "TestOld"))
	p.scans = [][]map[string]any{{found("a", "S1"), found("b", "S2")}}
	p.build = func(_ agent.Task, n int) map[string]any {
		if n == 1 {
			p.write("broken", "")
		} else {
			p.write("fixed", "")
		}
		return map[string]any{"items_completed": []string{"work-001", "work-002", "work-003", "no such"}}
	}
	b := p.open()
	p.iterate(b, 1)
	if got := p.item("work-001"); got.Status == workqueue.Done {
		t.Error("what broke a test is taken for done")
	}
	if len(p.queue().Items) != 3 {
		t.Fatalf("%+v", p.queue().Items)
	}
	p.iterate(b, 2)
	if got := p.item("work-001"); got.Status != workqueue.Done {
		t.Errorf("%+v", got)
	}
	if got := p.item("work-002"); got.Status == workqueue.Done {
		t.Error("what was not given is taken for done")
	}
}

func TestTheSameGateFailingAsksForAnotherApproachAndThenEnds(t *testing.T) {
	p := newPlace(t)
	p.write("left", "6\n")
	p.write("test.sh", "n=$(cat left)\nwhile [ $n -gt 0 ]; do echo \"--- FAIL: TestN$n (0.00s)\"; n=$((n-1)); done\necho 'FAIL\tshop\t0.01s'\nexit 1\n")
	left := 6
	p.build = func(agent.Task, int) map[string]any { // gets on, and never gets there
		left--
		p.write("left", string(rune('0'+left))+"\n")
		return map[string]any{"summary": "one less"}
	}
	outs := p.loop(10)
	if len(outs) != 6 || reason(outs[5]) != sessionstate.ReasonFailed || !strings.Contains(outs[5].Stop.Why, "test failed 3 times in a row, also with another approach") {
		t.Fatalf("%d %+v", len(outs), outs[len(outs)-1].Stop)
	}
	var told []bool
	for _, b := range p.built {
		told = append(told, strings.Contains(b.Prompt, "the approach so far does not work: the gate test failed 3 times"))
	}
	if want := []bool{false, false, true, false, false}; !slices.Equal(told, want) {
		t.Errorf("%v, want %v", told, want)
	}
	if p.queue().Loop.Phase != workqueue.Failed {
		t.Errorf("%+v", p.queue().Loop)
	}
}

func TestTheOtherApproachIsAskedForUntilAnAgentHasTriedIt(t *testing.T) {
	p := newPlace(t)
	p.write("test.sh", failing("never", "TestSum"))
	p.result = func(a agent.Task, r *agent.Result) {
		if a.Role == agent.Iterate && len(p.built) == 2 {
			r.End, r.Why = agent.Crashed, "it broke"
		}
	}
	b := p.open()
	p.iterate(b, 1)
	p.iterate(b, 2) // nothing has improved
	if out := p.iterate(b, 3); out.Row.End != string(agent.Crashed) || out.Row.Summary != "it broke" || out.Row.Gates != "" || out.Stop != nil {
		t.Errorf("%+v", out)
	}
	p.iterate(b, 4)
	if !strings.Contains(p.built[2].Prompt, "the approach so far does not work") {
		t.Error(p.built[2].Prompt)
	}
}

func TestAnAssessmentThatCannotBeReadFindsNotNothing(t *testing.T) {
	p := newPlace(t)
	p.result = func(_ agent.Task, r *agent.Result) { r.JSON, r.Invalid = nil, "it lacks findings" }
	out := p.iterate(p.open(), 1)
	if out.Row.End != string(agent.Unusable) || !strings.Contains(out.Row.Summary, "it lacks findings") {
		t.Errorf("%+v", out.Row)
	}
	if q := p.queue(); q.Loop.Phase != workqueue.Assess || len(q.GateResults) != 0 {
		t.Errorf("%+v", q)
	}
}

func TestWhatAnAgentWritesOfGatesDoesNotCount(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	p.write("test.sh", "exit 1\n")
	p.build = func(agent.Task, int) map[string]any {
		if _, err := durable.Open(p.o.Store, workqueue.File, turnstile.QueueKind).Update(func(tx *durable.Tx[workqueue.Queue]) error {
			tx.Doc.Gate(workqueue.GateRun{Name: "test", Status: workqueue.Pass})
			return nil
		}); err != nil {
			t.Error(err)
		}
		return map[string]any{}
	}
	if out := p.iterate(p.open(), 1); out.Row.Gates != sessionstate.Fail {
		t.Errorf("%+v", out.Row)
	}
}

func TestWhatIsPutOffIsNotInProgress(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S2")}}
	p.write("test.sh", failing("never", "TestSum"))
	b := p.open()
	p.iterate(b, 1)
	p.iterate(b, 2)
	if a, test := p.item("1"), p.item("2"); a.Status != workqueue.Pending || test.Status != workqueue.InProgress {
		t.Errorf("%+v %+v", a, test)
	}
}

func TestLoopState(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("Sell | apples", "S1"), found("Update CHANGELOG", "S2")}}
	p.write("test.sh", failing("fixed", "TestSum"))
	p.build = func(a agent.Task, n int) map[string]any {
		if n == 2 {
			p.write("fixed", "")
		}
		return map[string]any{"items_completed": a.Criteria}
	}
	var got strings.Builder
	p.o.Passed = func(point string) {
		if phase, ok := strings.CutPrefix(point, "shown_"); ok && (phase == "build" || phase == "recover" || phase == "complete") {
			got.WriteString("=== " + phase + "\n" + p.read(workqueue.StateFile))
		}
	}
	p.loop(9)
	const golden = "testdata/LOOP_STATE.txt"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("%v\n%s", err, got.String())
	}
	var phases []string
	for _, n := range p.notes {
		if n.Kind == session.Phased && n.Iteration == 1 {
			phases = append(phases, n.Text)
		}
	}
	if got := strings.Join(phases, " "); got != "CONTEXTUALIZE ASSESS PLAN BUILD TEST QUALITY EVALUATE RECOVER PLAN" {
		t.Error(got)
	}
}

// A hook makes an error of the agent's session an item while the agent runs.
func TestWhatAHookQueuesMeanwhileIsKept(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	p.build = func(agent.Task, int) map[string]any {
		if _, err := durable.Open(p.o.Store, workqueue.File, turnstile.QueueKind).Update(func(tx *durable.Tx[workqueue.Queue]) error {
			tx.Doc.Add(workqueue.Found{Title: "Bash: SyntaxError", Source: workqueue.FromError, Priority: workqueue.S0, Ref: "error-1#0"})
			return nil
		}); err != nil {
			t.Error(err)
		}
		return map[string]any{"summary": "did it"}
	}
	p.iterate(p.open(), 1)
	q := p.queue()
	if len(q.Items) != 2 || q.Items[0].Title != "a" || q.Items[1].Title != "Bash: SyntaxError" || q.Items[1].Priority != workqueue.S0 || q.Items[1].Status != workqueue.Pending {
		t.Errorf("%+v", q.Items)
	}
}

func TestPromptsHaveTheirParts(t *testing.T) {
	tell := brief{Task: "sell things", Progress: "progress.md", Finished: []string{"done"}, Items: []workqueue.Item{{ID: "work-001", Title: "fix it"}}, Another: "it failed", Again: true}
	for _, role := range []agent.Role{agent.Scan, agent.Iterate} {
		agenttest.CheckPrompt(t, role, tell.prompt(role))
		agenttest.CheckGolden(t, "loop-"+string(role), tell.prompt(role), 0, *rewrite)
	}
}
