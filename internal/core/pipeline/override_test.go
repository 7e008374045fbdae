package pipeline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const overridden = `name: demo
agent: claude
model: opus
max_time: 1h
commands: {test: go test, lint: vet}
stages:
  - {id: a, loop: work, agent: codex, model: gpt}
  - {id: b.c, prompt: "Check with ${command.test} and ${command.more}.", runs: 5, guardrails: {no_progress: 2}}
  - {id: d, prompt: Choose., runs: 1, parallel: {agents: [claude, codex]}}
`

// What flags say comes before what the file says, and the plan names the flag.
func TestFlagsComeFirst(t *testing.T) {
	p, problems := Load("demo.yaml", []byte(overridden), disk(nil),
		Setting{"max_time", "3h", "--max-time"}, Setting{"commands.test", "make test", "--command test"}, Setting{"commands.more", "make more", "--command more"},
		Setting{"agent", "gemini", "--agent"}, Setting{"model", "flash", "--model"},
		Setting{"stages.b.c.max", "3", "--stage b.c.max"}, Setting{"stages.b.c.no_progress", "1", "--stage b.c.no_progress"},
		Setting{"stages.a.agent", "claude", "--stage a.agent"}, Setting{"stages.a.until", "fixed 2", "--stage a.until"})
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
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
	if d := cmp.Diff(want, Plan(p)); d != "" {
		t.Error(d)
	}
}

// Another agent does not get the model of the one before; a model alone goes to the
// stages of the agent that it is for.
func TestAModelGoesWithItsAgent(t *testing.T) {
	const text = "agent: claude\nmodel: opus\nname: x\nstages:\n  - {id: a, prompt: x, runs: 1}\n  - {id: b, prompt: x, runs: 1, agent: codex, model: gpt}\n"
	for _, c := range []struct {
		flags []Setting
		want  string
	}{
		{nil, "claude opus, codex gpt"},
		{[]Setting{{"agent", "gemini", "--agent"}}, "gemini , gemini "},
		{[]Setting{{"model", "haiku", "--model"}}, "claude haiku, codex gpt"},
		{[]Setting{{"stages.b.model", "mini", "--stage b.model"}}, "claude opus, codex mini"},
		{[]Setting{{"stages.b.agent", "gemini", "--stage b.agent"}}, "claude opus, gemini "},
	} {
		p, problems := Load("x.yaml", []byte(text), disk(nil), c.flags...)
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		var have []string
		for _, s := range p.Stages {
			have = append(have, s.Agent+" "+s.Model)
		}
		if got := strings.Join(have, ", "); got != c.want {
			t.Errorf("%v: %s, want %s", c.flags, got, c.want)
		}
	}
}

func TestFlagsThatAreWrongAreNamed(t *testing.T) {
	for _, c := range []struct {
		key, value, want string
	}{
		{"stages.a.runs", "many", `--x: runs must be a whole number from 1 to 1000000, not "many"`},
		{"stages.a.rums", "3", `--x: a flag cannot set "rums" of a stage; did you mean runs?; it can set ` + strings.Join(StageFlags(), ", ")},
		{"stages.max", "3", `--x: there is no stage ""`},
		{"stages.b.d.max", "3", `--x: there is no stage "b.d"; did you mean b.c?`},
		{"commands.a b", "x", `--x: "a b" is not the name of a command: `},
		{"commands.test", " ", `--x: a command must be a text, not " "`},
		{"prompt", "x", `--x: a pipeline has no key "prompt"`},
	} {
		p, problems := Load("demo.yaml", []byte(strings.ReplaceAll(overridden, " and ${command.more}", "")), disk(nil), Setting{c.key, c.value, "--x"})
		if p != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), c.want) {
			t.Errorf("%s=%s: %v", c.key, c.value, lines(problems))
		}
	}
}
