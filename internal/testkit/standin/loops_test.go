package standin

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/pipeline"
	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// stage is a stage's prompt, as its loop renders it.
func stage(t *testing.T, settings []pipeline.Setting, more map[string]string) string {
	t.Helper()
	p, problems := pipeline.LoadLoop("s", settings, pipeline.Outside{Read: os.ReadFile, Loop: library.Loop})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	vars := p.Vars()
	maps.Copy(vars, map[string]string{"TASK": "make it good", "PROGRESS": ".claude/progress-it.md", "INPUTS": "- .claude/pipeline-runs/it/stage-0-plan/output.md",
		"OUTPUT": ".claude/pipeline-runs/it/stage-1-s/output.md", "ITEM": "(there is no queue)", "ITEM_ID": "(none)"})
	maps.Copy(vars, more)
	return text.Render(p.Stages[0].Prompt, vars)
}

// Each built-in loop comes to an end: two changes where they belong, and then none.
func TestBuiltInLoopsReachAPlateau(t *testing.T) {
	const out = ".claude/pipeline-runs/it/stage-1-s/output.md"
	for _, loop := range library.Loops() {
		if loop == "work" {
			continue // its end is an empty queue
		}
		text, _ := library.Loop(loop)
		commits := strings.Contains(string(text), "commit: true\n")
		want := "output.md"
		if commits {
			want = refined
		}
		dir := t.TempDir()
		prompt := stage(t, []pipeline.Setting{{Key: "loop", Value: loop, Flag: "test"}}, nil)
		for pass := range 4 {
			before := tree(t, dir)
			have := asked(t, dir, agent.Iterate, "", prompt)
			if changes := pass < passes; strings.Contains(have, `"plateau":false`) != changes || (tree(t, dir) != before) != changes {
				t.Errorf("%s, pass %d: %s", loop, pass+1, have)
			}
			if pass == 0 && !strings.Contains(have, `"pass 1 refined `+want+`"`) {
				t.Errorf("%s: %s", loop, have)
			}
		}
		if have := get(dir, out); have != "- it stage-1-s, pass 1: refined by the demo agent\n- it stage-1-s, pass 2: refined by the demo agent\n" {
			t.Errorf("%s: %s", loop, have)
		}
		if has := get(dir, refined) != ""; has != commits {
			t.Errorf("%s: %s is %v", loop, refined, has)
		}
	}
}

func TestAPromptOfOnesOwnIsALoopToo(t *testing.T) {
	dir := t.TempDir()
	prompt := stage(t, []pipeline.Setting{{Key: "prompt", Value: "Make it better.", Flag: "test"}}, nil)
	for i, want := range []string{`{"summary":"pass 1 refined demo_refined.md","plateau":false`, `{"summary":"pass 2`, `{"summary":"nothing is left to refine","plateau":true`} {
		if have := asked(t, dir, agent.Iterate, "", prompt); !strings.HasPrefix(have, want) {
			t.Errorf("%d: %s", i, have)
		}
	}
	dir = t.TempDir()
	if have := asked(t, dir, agent.Iterate, "", prompt, "--read-only"); !strings.Contains(have, `"plateau":true`) || tree(t, dir) != "" {
		t.Error(have)
	}
	if have := asked(t, dir, agent.Iterate, "liar", prompt); !strings.Contains(have, `"plateau":false`) || tree(t, dir) != "" {
		t.Error(have)
	}
}

// A member of a parallel stage has its output outside of its work tree.
func TestAnOutputElsewhereIsWritten(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "pipeline-runs", "it", "stage-1-s.a", "output.md")
	asked(t, dir, agent.Iterate, "", stage(t, []pipeline.Setting{{Key: "loop", Value: "review", Flag: "test"}}, map[string]string{"OUTPUT": out}))
	if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), "pass 1") || tree(t, dir) != "" {
		t.Errorf("%s %v", text, err)
	}
}

func TestAnItemIsDoneAndTold(t *testing.T) {
	dir := t.TempDir()
	r := newRuns(t, dir, "")
	prompt := stage(t, []pipeline.Setting{{Key: "loop", Value: "work", Flag: "test"}}, map[string]string{"ITEM_ID": "bd-7", "ITEM": "Do it"})
	for i, plateau := range []bool{false, true} { // the second time as after a crash
		res := r.ask(t, dir, agent.Iterate, func(t *agent.Task) { t.Criteria, t.Prompt = []string{"bd-7"}, prompt })
		if compact(res.JSON.Get("items_completed")) != `["bd-7"]` || compact(res.JSON.Get("plateau")) != fmt.Sprint(plateau) || get(dir, "demo_bd_7.txt") == "" {
			t.Errorf("%d: %s", i, compact(res.JSON))
		}
	}
}

// Where a loop has criteria, an iteration does one, and the judge counts those that are met.
func TestIterationsDoOneCriterionEach(t *testing.T) {
	dir := scratch(t)
	r := newRuns(t, dir, "")
	for _, c := range []struct {
		role agent.Role
		want string
	}{
		{agent.Judge, `{"stop":false,"reason":"0 of 2 criteria are met","confidence":1}`},
		{agent.Iterate, `{"summary":"AC-01 is done","plateau":false,"reasoning":"one criterion at a time","items_completed":["AC-01"]}`},
		{agent.Judge, `{"stop":false,"reason":"1 of 2 criteria are met","confidence":1}`},
		{agent.Iterate, `{"summary":"AC-02 is done","plateau":false,"reasoning":"one criterion at a time","items_completed":["AC-01","AC-02"]}`},
		{agent.Judge, `{"stop":true,"reason":"2 of 2 criteria are met","confidence":1}`},
		{agent.Iterate, `{"summary":"nothing is left to do","plateau":true,"reasoning":"every criterion is met","items_completed":["AC-01","AC-02"]}`},
	} {
		res := r.ask(t, dir, c.role, func(t *agent.Task) { t.Criteria = []string{"AC-01", "AC-02"} })
		if res.End != agent.Done || compact(res.JSON) != c.want {
			t.Errorf("%s: %s %s %s\n have %s\n want %s", c.role, res.End, res.Why, res.Invalid, compact(res.JSON), c.want)
		}
	}
}

// Comments on a pull request lead to a change, so that there is a commit to push.
func TestCommentsOnAPullRequestAreAnswered(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		asked(t, dir, agent.Code, "", "Do it.\nFeedback on pull request #5: no\n")
	}
	if have := strings.Count(get(dir, "demo_pull.txt"), "answered by demo-"); have != 2 {
		t.Errorf("%d answers", have)
	}
}

func TestAJudgeReadsTheHistory(t *testing.T) {
	for history, want := range map[string]string{
		"1: changed something: true; says plateau: false; did a":                                                      `{"stop":false,"reason":"the last iteration brought something new","confidence":1}`,
		"1: changed something: false; says plateau: false; a\n2: changed something: true; says plateau: false; b":     `{"stop":false,"reason":"the last iteration brought something new","confidence":1}`,
		"(3 earlier iterations)\n4: changed something: true; says plateau: true; says plateau: false (enough)":        `{"stop":true,"reason":"the last iteration found nothing left to do","confidence":1}`,
		"1: changed something: true; says plateau: false; did a\n2: changed something: false; says plateau: false; b": `{"stop":true,"reason":"the last iteration changed nothing","confidence":1}`,
		"": `{"stop":true,"reason":"0 of 0 criteria are met","confidence":1}`,
	} {
		if have := asked(t, t.TempDir(), agent.Judge, "", "Stop?\n\n```untrusted\n"+history+"\n```\n"); have != want {
			t.Errorf("%s: %s", history, have)
		}
	}
}

func TestTheFirstCandidateIsChosen(t *testing.T) {
	for prompt, want := range map[string]string{
		"Choose.\n- claude: a/output.md (its changes: git diff x y)\n- codex: b/output.md\n": "claude",
		"- test: go test ./...\n- b: a/output.md\n":                                          "b",
		"- one: here\n- two: there\n":                                                        "one",
		"Choose: none.\n- not a candidate: x\n":                                              "",
	} {
		if have := asked(t, t.TempDir(), agent.Choose, "", prompt); have != `{"choice":"`+want+`","reason":"it is the first that does what was asked"}` {
			t.Errorf("%s: %s", prompt, have)
		}
	}
}
