package pipeline

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuiltIns(t *testing.T) {
	want := map[string]string{
		"work": "queue work, 50, commit true", "improve-plan": "plateau, 5, commit false",
		"refine": "plateau, 5, commit true", "review": "plateau, 4, commit false",
	}
	got := map[string]string{}
	for _, n := range BuiltInLoops() {
		p, problems := Single(n, []Setting{{"loop", n, "loop"}}, disk(nil))
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		s := p.Stages[0]
		got[n] = fmt.Sprintf("%s, %d, commit %v", s.Until, s.Runs, s.Commit)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, n := range BuiltInPipelines() {
		text, _ := BuiltInPipeline(n)
		if p, problems := Load("built-in/"+n+".yaml", text, disk(nil)); len(problems) > 0 || p.Name != n {
			t.Error(n, lines(problems))
		}
	}
	if _, ok := BuiltInPipeline("../loops/work"); ok {
		t.Error("a name led out of its folder")
	}
}

func TestPlan(t *testing.T) {
	p := load(t, `name: demo
description: |
  Shows a plan.
  More.
max_cost: 5
max_time: 2h
commands: {test: go test}
stages:
  - {id: b, prompt: "Second.\nMore.", needs: [a], until: judge, judge: {agent: claude, model: haiku}, delay: 30s, verify: test, commit: true}
  - {id: a, loop: work, agent: codex, model: gpt, guardrails: {max_runtime_seconds: 600, max_cost: 0.5}}
  - {id: c, prompt: "\e[31mThird", inputs: [{from: a}, {from: b, select: all}], runs: 1, parallel: {agents: [claude, {agent: codex, model: m}], judge: {}}}
`, nil)
	const want = `demo: Shows a plan.
bounds: 2h0m0s, $5.00

1 a
  starts   at once
  loop     work
  agent    codex, gpt
  until    queue work; at most 50 iterations
  bounds   10m0s, $0.50, 3 iterations without a change
  commit   what each iteration changed
  prompt   Do one item of the queue, wholly, and nothing else.

0 b
  starts   after a
  agent    the settings' agent
  until    judge; at most 50 iterations
  judge    claude, haiku
  delay    30s
  verify   test
  commit   what each iteration changed
  prompt   Second.

2 c
  starts   after b, a
  reads    a (latest), b (all)
  agents   claude (claude), codex (codex, m)
  choice   by the settings' agent
  until    fixed 1; at most 1 iteration
  prompt   \u001b[31mThird
`
	if d := cmp.Diff(want, Plan(p)); d != "" {
		t.Error(d)
	}
}
