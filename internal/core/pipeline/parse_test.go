package pipeline

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/yamltree"
)

// broken are files and all that is wrong with them.
var broken = []struct{ name, text, want string }{
	{"empty", "", "p.yaml:1:1: the file is empty"},
	{"key twice", "name: x\nname: y\nstages: [{id: a, prompt: x, id: b}]\n", "p.yaml:2:1: \"name\" is given twice\np.yaml:3:29: \"id\" is given twice"},
	{"aliases", "name: *x\nstages: [{id: a, prompt: x, <<: [1]}]\nagent: &a [*a]\n",
		"p.yaml:1:7: name must be a name (letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'), not nothing\np.yaml:1:7: there is no anchor &x above *x\np.yaml:2:34: << must be a mapping, not a number\np.yaml:3:11: agent must be one line of text, not a list\np.yaml:3:12: there is no anchor &a above *a"},
	{"no mapping", "- a\n", "p.yaml:1:1: a pipeline must be a mapping, not a list"},
	{"no stages", "name: x\n", "p.yaml:1:1: a pipeline must have the key \"stages\""},
	{"empty stages", "stages: []\n", "p.yaml:1:9: stages must be a list of at least one stage"},
	{"stages of a kind", "stages: x\n", "p.yaml:1:9: stages must be a list of at least one stage"},
	{"both words", "stages: [{id: a, prompt: x}]\nnodes: [{id: b, prompt: x}]\n", "p.yaml:2:8: stages and nodes are the same; give one of them"},
	{"synonyms", "nods: []\nstages: [{id: a, prompt: x, provder: y}]\n", "p.yaml:1:1: a pipeline has no key \"nods\"; did you mean nodes?\np.yaml:2:29: a stage has no key \"provder\"; did you mean provider?"},
	{"unknown keys", "nmae: x\nstages:\n  - id: a\n    prompt: x\n    unitl: plateau\n    zebra: 1\n    guardrails: {max_costs: 1}\n    guardrails.max_cost: 1\n",
		`p.yaml:1:1: a pipeline has no key "nmae"; did you mean name?
p.yaml:5:5: a stage has no key "unitl"; did you mean until?
p.yaml:6:5: a stage has no key "zebra"
p.yaml:7:18: guardrails has no key "max_costs"; did you mean max_cost?
p.yaml:8:5: a stage has no key "guardrails.max_cost"`},
	{"types", `name: [x]
description: true
max_cost: free
max_time: 0
commands: [a]
stages:
  - id: a
    prompt: 3
    runs: 0
    min_iterations: -1
    agent: {}
    delay: -1s
    guardrails: {max_runtime_seconds: 1.5, max_cost: 0, no_progress: "x"}
    commit: yes
    until: |
      a
      b
  - 5
  - id: b
    prompt:
    guardrails: 1
    inputs: a
    parallel: 2
    judge: x
`, `p.yaml:1:7: name must be a name (letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'), not a list
p.yaml:2:14: description must be a text, not true
p.yaml:3:11: max_cost must be an amount of dollars such as 2.50, not "free"
p.yaml:4:11: max_time must be a time above zero such as 90s, 5m or 1h30m, not "0"
p.yaml:5:11: commands must be a mapping, not a list
p.yaml:9:11: runs must be a whole number from 1 to 1000000, not "0"
p.yaml:10:21: min_iterations must be a whole number from 1 to 1000000, not "-1"
p.yaml:11:12: agent must be one line of text, not a mapping
p.yaml:12:12: delay must be a time such as 90s, 5m or 1h30m, not "-1s"
p.yaml:13:39: max_runtime_seconds must be a whole number from 1 to 1000000, not "1.5"
p.yaml:13:54: max_cost must be an amount of dollars such as 2.50, not "0"
p.yaml:13:70: no_progress must be a whole number from 1 to 1000000, not "x"
p.yaml:14:13: commit must be true or false, not "yes"
p.yaml:15:12: until must be one of fixed [N], plateau [K], judge, queue [beads | issues:LABEL | work], gates [N], not "a\nb\n"
p.yaml:18:5: a stage must be a mapping, not a number
p.yaml:20:12: prompt must be a text, not nothing
p.yaml:21:17: guardrails must be a mapping, not a number
p.yaml:22:13: inputs must be a mapping, not a text
p.yaml:23:15: parallel must be a mapping, not a number
p.yaml:24:12: judge must be a mapping, not a text`},
	{"ids", "stages:\n  - {id: a, prompt: x}\n  - {name: a, prompt: x}\n  - {id: ../b, prompt: x}\n  - {prompt: x}\n  - {id: c, name: d, prompt: x}\n  - {id: e}\n  - {id: f, loop: work, prompt: x}\n  - {loop: ./l.yaml}\n  - {loop: work}\n",
		`p.yaml:3:12: "a" is already used on line 2
p.yaml:4:10: id must be a name (letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'), not "../b"
p.yaml:5:5: a stage must have the key "id"
p.yaml:6:19: id and name are the same; give one of them
p.yaml:7:5: it needs a loop or a prompt
p.yaml:8:33: it has both a loop and a prompt; keep one of them
p.yaml:9:5: a stage must have the key "id"
p.yaml:9:12: "./l.yaml" cannot be read: file does not exist`},
	{"edges", "stages:\n  - {id: plan, prompt: x, needs: [pln, plan, 5]}\n  - {id: b, prompt: x, inputs: [{from: zz}, {select: latest}, {from: plan, select: newest}, {from: b}]}\n",
		`p.yaml:2:35: there is no stage "pln"; did you mean plan?
p.yaml:2:40: the stage "plan" waits for itself
p.yaml:2:46: there is no stage "5"
p.yaml:3:40: there is no stage "zz"
p.yaml:3:45: inputs name no stage: from is missing
p.yaml:3:84: select must be latest, all or history, not "newest"
p.yaml:3:100: the stage "b" waits for itself`},
	{"cycle", "stages:\n  - {id: a, prompt: x, needs: [c]}\n  - {id: b, prompt: x, needs: a}\n  - {id: c, prompt: x, inputs: {from: b}}\n  - {id: d, prompt: x, needs: [c, e]}\n  - {id: e, prompt: x, needs: [d]}\n",
		"p.yaml:3:31: stages wait for each other: a -> c -> b -> a\np.yaml:6:32: stages wait for each other: d -> e -> d"},
	{"variables", `commands: {test: go test}
stages:
  - id: a
    prompt: |
      ${SESSION} $${X} $HOME ${ITERATON}
        ü ${command.test} ${command.tset} ${X} ${X}
      ${open
      ${}
  - {id: b, prompt: 'it''s ${X} ${HISTORY}'}
  - id: c
    prompt: >-
      folded
      ${Y}
    until: judge
    judge: {prompt: "${HISTORY} ${ITEM}"}
  - {id: d, prompt: "\x24{Z}"}
`, `p.yaml:5:30: ${ITERATON} is not a variable here; did you mean ITERATION?
p.yaml:6:27: ${command.tset} is not a variable here; did you mean command.test?
p.yaml:6:43: ${X} is not a variable here; write $${ for the characters themselves
p.yaml:6:48: ${X} is not a variable here; write $${ for the characters themselves
p.yaml:7:7: ${ is not a variable here; write $${ for the characters themselves
p.yaml:8:7: ${} is not a variable here; write $${ for the characters themselves
p.yaml:9:28: ${X} is not a variable here; write $${ for the characters themselves
p.yaml:9:33: ${HISTORY} is not a variable here; write $${ for the characters themselves
p.yaml:13:7: ${Y} is not a variable here; write $${ for the characters themselves
p.yaml:15:33: ${ITEM} is not a variable here; write $${ for the characters themselves
p.yaml:16:21: ${Z} is not a variable here; write $${ for the characters themselves`},
	{"parallel", `stages:
  - {id: a, prompt: x, parallel: {agents: [claude]}}
  - {id: b, prompt: x, parallel: {judge: {agnet: x}}}
  - {id: c, prompt: x, parallel: {agents: [{agent: claude, id: x}, {model: m, id: x}, {agent: a, ID: y}, true]}}
`, `p.yaml:2:43: agents must be a list of 2 to 16 agents
p.yaml:3:34: parallel must have the key "agents"
p.yaml:3:43: judge has no key "agnet"; did you mean agent?
p.yaml:4:68: an agent must have the key "agent"
p.yaml:4:83: "x" is already used on line 4
p.yaml:4:98: an agent has no key "ID"; did you mean id?
p.yaml:4:106: agent must be one line of text, not true`},
	{"commands", "commands: {a b: x, c: [1]}\nstages: [{id: a, prompt: x}]\n",
		"p.yaml:1:12: \"a b\" is not the name of a command: letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'\np.yaml:1:23: a command must be a text, not a list"},
}

func TestEverythingThatIsWrongIsNamed(t *testing.T) {
	for _, c := range broken {
		_, problems := Load("p.yaml", []byte(c.text), disk(nil))
		if got := lines(problems); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	text := "stages:\n  - id: a\n    prompt: |\n" + strings.Repeat("      ${X}\n", 20_000)
	if _, problems := Load("p.yaml", []byte(text), disk(nil)); len(problems) != 500 {
		t.Error(len(problems))
	}
}

func lines(problems []yamltree.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Error())
	}
	return strings.Join(all, "\n")
}

func FuzzLoad(f *testing.F) {
	for _, c := range broken {
		if len(c.text) < 2000 {
			f.Add(c.text)
		}
	}
	for _, n := range library.Loops() {
		text, _ := library.Loop(n)
		f.Add(string(text))
	}
	text, _ := library.Pipeline("full-refine")
	f.Add(string(text))
	f.Add(debate)
	f.Add("nodes:\n  - {id: a, parallel: {providers: [claude, openai], stages: [x, {stage: y, termination: {type: judgment, consensus: 2}}]}}\n  - {id: b, stage: z, runs: 1, inputs: [{from_initial: true}, {from_parallel: [x, {block: a, providers: codex}]}]}\n")
	f.Add("a: &x {b: 1}\nc:\n  <<: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		read := func(string) ([]byte, error) { return []byte(text), nil }
		fail := func(string) ([]byte, error) { return nil, errors.New("gone") }
		for _, out := range []Outside{{Read: read, Loop: library.Loop}, {Read: fail, Loop: library.Loop}} {
			p, problems := Load("p.yaml", []byte(text), out)
			if (p == nil) != (len(problems) > 0) {
				t.Fatalf("%v, %v", p, problems)
			}
			for _, q := range problems {
				if q.Line < 1 || q.Column < 1 || q.Message == "" {
					t.Fatalf("%+v", q)
				}
			}
			if p != nil && len(p.Order()) != len(p.Stages) {
				t.Fatalf("%v of %d stages can run", p.Order(), len(p.Stages))
			}
		}
	})
}
