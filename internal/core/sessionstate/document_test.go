package sessionstate

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
)

const documentedLoop = `{
  "session": "myfeature",
  "type": "loop",
  "started_at": "2025-01-10T10:00:00Z",
  "status": "running",
  "iteration": 3,
  "iteration_completed": 2,
  "iteration_started": "2025-01-10T10:05:00Z",
  "current_stage": 0,
  "stages": [],
  "history": [
    {
      "iteration": 1,
      "timestamp": "2025-01-10T10:01:00Z",
      "plateau": false
    },
    {
      "iteration": 2,
      "timestamp": "2025-01-10T10:05:00Z",
      "plateau": true,
      "reasoning": "No significant improvements found"
    }
  ],
  "completed_at": null,
  "completion_reason": null
}`

// The documents' first example, made by its own steps: what is ours comes last.
func TestALoopIsPrintedAsDocumented(t *testing.T) {
	s := loop(t)
	for i, r := range []Row{{Iteration: 1}, {Iteration: 2, Plateau: true, Reasoning: "No significant improvements found"}} {
		_, err := s.StartIteration(0, at(0))
		ok(t, err)
		ok(t, s.CompleteIteration(0, r, budget.Amount{}, at(1+4*i)))
	}
	_, err := s.StartIteration(0, at(5))
	ok(t, err)
	if got, want := printed(s), compact(t, documentedLoop); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

const documentedPipeline = `{
  "session": "myrefine",
  "pipeline": "full-refine",
  "started_at": "2025-01-10T10:00:00Z",
  "status": "running",
  "current_stage": 2,
  "stages": [
    {
      "name": "improve-plan",
      "loop": "improve-plan",
      "runs": 5,
      "status": "completed",
      "started_at": "2025-01-10T10:00:00Z",
      "completed_at": "2025-01-10T10:15:00Z",
      "iterations_run": 3,
      "reason": "plateau"
    },
    {
      "name": "refine-beads",
      "loop": "refine-beads",
      "runs": 5,
      "status": "running",
      "started_at": "2025-01-10T10:15:00Z"
    }
  ],
  "completed_at": null
}`

// A document of the original engine is read, continued and ended.
func TestAnotherEnginesPipelineIsGoneOnWith(t *testing.T) {
	s, _ := parsed(t, strings.Replace(documentedPipeline, `"reason": "plateau"`, `"reason": "plateau", "theirs": 1.50`, 1))
	iterate(t, s, 1, Row{Plateau: true})
	ok(t, s.EndStage(1, ReasonMaxIterations, "", at(20)))
	ok(t, s.End("", "", at(20)))
	text := printed(s)
	if s.Status != Complete || s.CurrentStage != 1 || !strings.Contains(text, `"theirs":1.50`) {
		t.Errorf("%s", text)
	}
}

func TestAStageIsPrintedAsDocumented(t *testing.T) {
	s := pipeline(t, "improve-plan", "refine-beads")
	for range 3 {
		iterate(t, s, 0, Row{})
	}
	ok(t, s.EndStage(0, ReasonPlateau, "", at(15)))
	ok(t, s.StartStage(1, at(15)))
	_, doc := parsed(t, documentedPipeline)
	got := printed(s)
	for i, st := range doc.Get("stages").Elems {
		if want := compact(t, string(lossless.AppendCompact(nil, st))); !strings.Contains(got, want) {
			t.Errorf("%d: %s\nlacks\n%s", i, got, want)
		}
	}
	if want := `{"session":"myrefine","type":"pipeline","pipeline":"full-refine","started_at":"2025-01-10T10:00:00Z","status":"running","iteration":0,`; !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func TestADocumentThatNobodyChangedIsWrittenBackAsItWas(t *testing.T) {
	for _, text := range []string{documentedLoop, strings.Replace(documentedLoop, `"plateau": true`, `"plateau": true, "theirs": 1.50`, 1)} {
		if s, doc := parsed(t, text); lossless.Encode(s, doc) != doc {
			t.Errorf("%s became %s", text, lossless.AppendCompact(nil, lossless.Encode(s, doc)))
		}
	}
	for _, text := range []string{`{"history": 1}`, `{"history": [1]}`, `{"history": [{"iteration": "1"}]}`} {
		doc, err := lossless.Parse([]byte(text))
		ok(t, err)
		if err := lossless.Decode(doc, &State{}); err == nil || !strings.HasPrefix(err.Error(), "history") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWhatWasWrittenIsReadAgain(t *testing.T) {
	s := pipeline(t, "a", "b")
	ok(t, s.StartStage(0, ten))
	_, err := s.StartIteration(0, ten)
	ok(t, err)
	ok(t, s.CompleteIteration(0, Row{
		Iteration: 1, Changed: true, Summary: "s", Items: []string{"x"}, End: "crashed", Gates: Pass, Agent: "claude", Judge: &Verdict{true, "r", 0.25},
	}, budget.Amount{MicroUSD: 750_000, Tokens: 12}, at(2)))
	again := reread(t, s)
	if diff := cmp.Diff(s, again, cmp.Comparer(func(a, b lossless.Origin) bool { return true })); diff != "" {
		t.Error(diff)
	}
	if r := again.History[0]; r.Cost != "$0.75" || r.Stage != "a" || r.Timestamp != "2025-01-10T10:02:00Z" {
		t.Errorf("%+v", r)
	}
	if c := again.Stages[0].Counts; c.MicroUSD != 750_000 || c.Tokens != 12 || c.Seconds != 120 {
		t.Errorf("%+v", c)
	}
}

// Whatever an agent or a judge says, the document stays JSON, and small.
func TestARowIsBounded(t *testing.T) {
	s := loop(t)
	long := strings.Repeat("é", 100_000) + "\xff"
	many := make([]string, 500)
	for i := range many {
		many[i] = long
	}
	for _, confidence := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 85} {
		iterate(t, s, 0, Row{Reasoning: long, Summary: long, Items: many, End: long, Agent: long, Judge: &Verdict{true, long, confidence}})
	}
	again := reread(t, s)
	if n := len(printed(s)); n > 4*16_000 {
		t.Errorf("%d bytes", n)
	}
	for i, want := range []float64{0, 1, 0, 1} {
		if got := again.History[i].Judge.Confidence; got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if many[0] != long {
		t.Error("the caller's list was changed")
	}
}

func TestValidate(t *testing.T) {
	for _, change := range [][2]string{
		{`"myfeature"`, `"../x"`},
		{`"loop"`, `"drive"`},
		{`"running"`, `"paused"`},
		{`"current_stage": 0`, `"current_stage": -1`},
		{`"iteration_completed": 2`, `"iteration_completed": 4`},
		{`"started_at": "2025-01-10T10:00:00Z"`, `"started_at": "yesterday"`},
		{`"stages": []`, `"stages": [{"name": "a/b", "status": "pending"}]`},
		{`"stages": []`, `"stages": [{"name": "a", "status": "complete"}]`},
		{`"stages": []`, `"stages": [{"name": "a", "status": "pending", "iteration": -1}]`},
		{`"stages": []`, `"stages": [{"name": "a", "status": "pending", "started_at": "now"}]`},
		{`"stages": []`, `"stages": [{"name": "a", "status": "pending"}, {"name": "a", "status": "pending"}]`},
	} {
		doc, err := lossless.Parse([]byte(strings.Replace(documentedLoop, change[0], change[1], 1)))
		ok(t, err)
		s := &State{}
		ok(t, lossless.Decode(doc, s))
		if err := Validate(s); err == nil {
			t.Errorf("%s is accepted", change[1])
		}
	}
	parsed(t, documentedLoop)
}

func TestBegin(t *testing.T) {
	for _, b := range []Beginning{
		{Session: "-x"}, {Session: "a", Pipeline: "p"}, {Session: "a", Stages: []Stage{{Name: "a"}}},
		{Session: "a", Pipeline: "p", Stages: []Stage{{Name: "a"}, {Name: "a"}}},
	} {
		if _, err := Begin(b, ten); err == nil {
			t.Errorf("%+v was begun", b)
		}
	}
	s, err := Begin(Beginning{Session: "a", Pipeline: "p", Stages: []Stage{{Name: "a", Status: Completed, Iteration: 7, IterationCompleted: 7, Counts: Counts{Plateaus: 2}}}}, ten)
	if st := s.Stages[0]; err != nil || st.Status != Pending || st.Iteration != 0 || st.Counts != (Counts{}) {
		t.Errorf("a new session carries on from another: %+v, %v", st, err)
	}
}

func TestPathsAndNames(t *testing.T) {
	for got, want := range map[string]string{
		File("auth"):                           "pipeline-runs/auth/state.json",
		ProgressFile("auth"):                   "pipeline-runs/auth/progress-auth.md",
		PipelineFile("auth"):                   "pipeline-runs/auth/pipeline.yaml",
		StageDir("auth", 2, "plan"):            "pipeline-runs/auth/stage-2-plan",
		Name("auth"):                           "pipeline-runs/auth",
		Slug("Implement user authentication!"): "implement-user-authentication",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, task := range []string{"日本語", "", "!!", strings.Repeat("word ", 100)} {
		if s := Slug(task); CheckName(s) != nil || s != Slug(task) || len(s) > maxSlug {
			t.Errorf("%q: %q", task, s)
		}
	}
	if Slug("日本語") == Slug("!!") {
		t.Error("two tasks have one name")
	}
	if err := CheckName("a b"); err == nil || !strings.Contains(err.Error(), "at most 80") {
		t.Error(err)
	}
}
