package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// What flags say comes before what the file says.
func TestFlagsComeFirst(t *testing.T) {
	p, problems := Load("demo.yaml", []byte(overridden), disk(nil),
		Setting{"max_time", "3h", "--max-time"}, Setting{"commands.test", "make test", "--command test"}, Setting{"commands.more", "make more", "--command more"},
		Setting{"agent", "gemini", "--agent"}, Setting{"model", "flash", "--model"},
		Setting{"stages.b.c.max", "3", "--stage b.c.max"}, Setting{"stages.b.c.no_progress", "1", "--stage b.c.no_progress"},
		Setting{"stages.a.agent", "claude", "--stage a.agent"}, Setting{"stages.a.until", "fixed 2", "--stage a.until"})
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	var got []string
	for _, s := range p.Stages {
		sources := ""
		for _, at := range s.Sources("agent", "model", "until", "runs", "guardrails.no_progress") {
			sources += fmt.Sprintf(" %s:%d", at.Source.File, at.Line)
		}
		got = append(got, fmt.Sprintf("%s: %s %s, %s, %d, %d from%s", s.ID, s.Agent, s.Model, s.Until, s.Runs, s.NoProgress, sources))
	}
	const want = `a: claude , fixed 2, 2, 3 from --stage a.agent:0 --stage a.until:0 --stage a.until:0 built-in/work.yaml:7
b.c: gemini flash, fixed 3, 3, 1 from --agent:0 --model:0 --stage b.c.max:0 --stage b.c.max:0 --stage b.c.no_progress:0
d: gemini flash, fixed 1, 1, 0 from --agent:0 --model:0 demo.yaml:9 demo.yaml:9`
	if d := cmp.Diff(want, strings.Join(got, "\n")); d != "" {
		t.Error(d)
	}
	commands := []Command{{"test", "make test"}, {"lint", "vet"}, {"more", "make more"}}
	if d := cmp.Diff(commands, p.Commands); d != "" || p.MaxTime != 3*time.Hour {
		t.Error(p.MaxTime, d)
	}
	if at := p.Sources("commands.test", "commands.lint", "commands.none", "none"); len(at) != 2 || at[0].Source.File != "--command test" || at[1].Line != 5 {
		t.Error(at)
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
