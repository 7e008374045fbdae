package sessions

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/pipeline"
	"warp/internal/core/pipeline/library"
)

// alone is a file that no others are beside.
var alone = pipeline.Outside{Read: func(string) ([]byte, error) { return nil, fs.ErrNotExist }, Loop: library.Loop}

func load(t *testing.T, file, text string, flags ...pipeline.Setting) *pipeline.Pipeline {
	t.Helper()
	p, problems := pipeline.Load(file, []byte(text), alone, flags...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func TestAPlanTellsWhatWouldRun(t *testing.T) {
	p := load(t, "dir/p.yaml", `name: demo
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
`)
	const want = `demo: Shows a plan.
bounds: 2h0m0s, $5.00 (p.yaml:6, p.yaml:5)
command test: go test (p.yaml:7)

1 a
  starts   at once
  loop     work
  agent    codex, gpt (p.yaml:10)
  until    queue work (built-in/work.yaml:3); at most 50 iterations (built-in/work.yaml:4)
  bounds   10m0s, $0.50, 3 iterations without a change (p.yaml:10, built-in/work.yaml:7)
  commit   what each iteration changed
  prompt   You are a software engineer. Do one item of the queue completely, and nothing else.

0 b
  starts   after a
  agent    the settings' agent
  until    judge (p.yaml:9); at most 50 iterations (default)
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
  until    fixed 1 (p.yaml:11); at most 1 iteration (p.yaml:11)
  prompt   \u001b[31mThird
`
	if d := cmp.Diff(want, DescribePlan(p)); d != "" {
		t.Error(d)
	}
}

// The plan names the flag that a value is from.
func TestAPlanNamesFlags(t *testing.T) {
	p := load(t, "demo.yaml", `name: demo
agent: claude
model: opus
max_time: 1h
commands: {test: go test, lint: vet}
stages:
  - {id: a, loop: work, agent: codex, model: gpt}
  - {id: b.c, prompt: "Check with ${command.test} and ${command.more}.", runs: 5, guardrails: {no_progress: 2}}
  - {id: d, prompt: Choose., runs: 1, parallel: {agents: [claude, codex]}}
`,
		pipeline.Setting{Key: "max_time", Value: "3h", Flag: "--max-time"}, pipeline.Setting{Key: "commands.test", Value: "make test", Flag: "--command test"}, pipeline.Setting{Key: "commands.more", Value: "make more", Flag: "--command more"},
		pipeline.Setting{Key: "agent", Value: "gemini", Flag: "--agent"}, pipeline.Setting{Key: "model", Value: "flash", Flag: "--model"},
		pipeline.Setting{Key: "stages.b.c.max", Value: "3", Flag: "--stage b.c.max"}, pipeline.Setting{Key: "stages.b.c.no_progress", Value: "1", Flag: "--stage b.c.no_progress"},
		pipeline.Setting{Key: "stages.a.agent", Value: "claude", Flag: "--stage a.agent"}, pipeline.Setting{Key: "stages.a.until", Value: "fixed 2", Flag: "--stage a.until"})
	const want = `demo
bounds: 3h0m0s (--max-time)
command test: make test (--command test)
command lint: vet (demo.yaml:5)
command more: make more (--command more)

0 a
  starts   at once
  loop     work
  agent    claude (--stage a.agent)
  until    fixed 2 (--stage a.until); at most 2 iterations (--stage a.until)
  bounds   3 iterations without a change (built-in/work.yaml:7)
  commit   what each iteration changed
  prompt   You are a software engineer. Do one item of the queue completely, and nothing else.

1 b.c
  starts   after a
  agent    gemini, flash (--agent, --model)
  until    fixed 3 (--stage b.c.max); at most 3 iterations (--stage b.c.max)
  bounds   1 iteration without a change (--stage b.c.no_progress)
  prompt   Check with ${command.test} and ${command.more}.

2 d
  starts   after b.c
  agents   claude (claude), codex (codex)
  until    fixed 1 (demo.yaml:9); at most 1 iteration (demo.yaml:9)
  prompt   Choose.
`
	if d := cmp.Diff(want, DescribePlan(p)); d != "" {
		t.Error(d)
	}
}

func FuzzDescribePlan(f *testing.F) {
	for _, n := range library.Pipelines() {
		text, _ := library.Pipeline(n)
		f.Add(string(text))
	}
	f.Add("nodes:\n  - {id: a, parallel: {providers: [claude, openai], stages: [{id: x, prompt: x}]}}\n  - {id: b, prompt: z, runs: 1, inputs: [{from_initial: true}, {from_parallel: {block: a, providers: codex}}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, _ := pipeline.Load("p.yaml", []byte(text), alone); p != nil && DescribePlan(p) == "" {
			t.Error("no plan")
		}
	})
}
