package pipeline

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"warp/internal/core/yamltree"
)

// folders is a disk with stage folders.
var folders = map[string]string{
	"all/improve/stage.yaml":       "name: improve\ntermination: {type: judgment, consensus: 3, min_iterations: 4, max: 9}\nprovider: openai\nmodel: m:high\ndelay: 5\noutput_path: docs/${SESSION_NAME}.md\n",
	"all/improve/prompt.md":        "Do it in ${HOME}: ${CTX} ${STATUS} ${RESULT}",
	"dir/stages/beside/stage.yaml": "description: x\n",
	"dir/stages/beside/prompt.md":  "Plain ${",
	"dir/other/stage.yaml":         "termination: {type: fixed, iterations: 2}\nprompt: p.md\n",
	"dir/other/p.md":               "${RESULT}",
	"dir/endless/stage.yaml":       "prompt: x\ntermination: {type: never}\n",
}

func dialect(text string) (*Pipeline, []yamltree.Problem) {
	out := disk(folders)
	out.Stages, out.Missing = []string{"all"}, func(err error) bool { return errors.Is(err, os.ErrNotExist) }
	return Load("dir/p.yaml", []byte(text), out)
}

func TestTheDialectIsTheSameModel(t *testing.T) {
	p, problems := dialect(`
name: d
context: of all
nodes:
  - {id: a, stage: improve, description: one, context: own}
  - {id: b, stage: improve, provider: claude-code, termination: {type: fixed, iterations: 3}}
  - {id: c, stage: improve, runs: 2}
  - {id: d, stage: improve, runs: 5, inputs: [{from_initial: true}, {from: a, select: history}]}
  - {id: e, stage: beside, termination: {type: queue, max: 7}}
  - {id: f, stage: other}
  - {id: g, stage: review}
  - {id: h, stage: other, runs: 5}
`)
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	var got []string
	for _, s := range p.Stages {
		got = append(got, fmt.Sprintf("%s: %s, %s runs %d least %d after %v, %s:%s, %v %s", s.ID, s.Context, s.Until, s.Runs, s.MinIterations, s.After, s.Agent, s.Model, s.ResultIsFile, s.OutputPath))
	}
	want := `a: own, plateau 3 runs 9 least 4 after [], codex:m:high, true docs/${SESSION_NAME}.md
b: of all, fixed 3 runs 3 least 0 after [0], claude:, true docs/${SESSION_NAME}.md
c: of all, fixed 2 runs 2 least 0 after [1], codex:m:high, true docs/${SESSION_NAME}.md
d: of all, plateau 3 runs 5 least 4 after [0 2], codex:m:high, true docs/${SESSION_NAME}.md
e: of all, queue runs 7 least 0 after [3], :, true 
f: of all, fixed 2 runs 2 least 0 after [4], :, true 
g: of all, plateau runs 4 least 0 after [5], :, false 
h: of all, fixed 5 runs 5 least 0 after [6], :, true `
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if s := p.Stages[0]; s.Prompt != "Do it in ${HOME}: ${CTX} ${STATUS} ${RESULT}\n\nContext: ${CONTEXT}\n" {
		t.Error(s.Prompt)
	}
	if s := p.Stages[4]; !strings.Contains(s.Prompt, `"plateau"`) {
		t.Error("a prompt that names no file is not asked for a result: " + s.Prompt)
	}
	if s := p.Stages[6]; !strings.Contains(s.Prompt, `"plateau"`) {
		t.Error(s.Prompt)
	}
}

func TestFromParallelInAllItsForms(t *testing.T) {
	const blocks = `
nodes:
  - {id: one, parallel: {providers: [claude, codex], stages: [{id: x, stage: other}, {id: y, stage: other}]}}
  - {id: two, parallel: {providers: [{name: anthropic}, {name: openai, model: m}], stages: [{id: x, stage: other}]}}
  - {id: plain, stage: other, parallel: {providers: [claude, codex]}}
  - {id: reads, stage: other, inputs: {from_parallel: %s}}
`
	for form, want := range map[string]string{
		"x":     "[two.claude.x two.codex.x]",
		"y":     "[one.claude.y one.codex.y]",
		"plain": "[plain.claude plain.codex]",
		"{stage: x, block: one, providers: [openai]}": "[one.codex.x]",
		"{block: one}": "[one.claude one.codex]",
		"[y, {stage: x, providers: claude, select: history}]":     "[one.claude.y one.codex.y two.claude.x*]",
		"{stage: x, block: one, providers: [codex, claude-code]}": "[one.codex.x one.claude.x]",
	} {
		p, problems := dialect(fmt.Sprintf(blocks, form))
		if len(problems) > 0 {
			t.Errorf("%s: %s", form, lines(problems))
			continue
		}
		var got []string
		for _, in := range p.Stages[3].Inputs {
			from := in.From
			if in.All {
				from += "*"
			}
			got = append(got, from)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", form, got, want)
		}
	}
}

func TestWhatIsWrongInTheDialect(t *testing.T) {
	_, problems := dialect(`nodes:
  - {id: a, stage: nowhere}
  - {id: b, stage: other, loop: review}
  - {id: c, stage: other, termination: {type: forever}}
  - {id: d, stage: other, termination: {type: fixed, consensus: 2}}
  - {id: e, stage: other, inputs: {from_parallel: x}}
  - {id: f, stage: other, output_path: ../x}
  - {id: g, parallel: {agents: [claude, codex], providers: [claude, codex], stages: [other]}}
  - {id: h, stage: other, inputs: {from_parallel: {block: g, providers: [gemini]}}}
  - {id: i, stage: other, termination: 3}
  - {id: j, stage: endless}
  - {id: k, stage: other, termination: {type: fixed, iterations: 2, max: x}}
`)
	want := `dir/endless/stage.yaml:2:21: termination must have a type: queue, judgment or fixed
dir/p.yaml:2:20: there is no stage folder "nowhere"; it was looked for in all/nowhere, dir/stages/nowhere, dir/nowhere, and in the library
dir/p.yaml:3:20: loop and stage are the same; give one of them
dir/p.yaml:4:47: termination must have a type: queue, judgment or fixed
dir/p.yaml:5:54: a termination of the type fixed has no key "consensus"
dir/p.yaml:6:51: there is no parallel stage before this one that leaves "x"
dir/p.yaml:7:40: output_path must be a path within the project, outside of .git and .claude, not "../x"
dir/p.yaml:8:60: agents and providers are the same; give one of them
dir/p.yaml:9:51: the stage "g" has no branch "gemini"
dir/p.yaml:10:40: termination must have a type: queue, judgment or fixed
dir/p.yaml:12:74: max must be a whole number from 1 to 1000000, not "x"`
	if got := lines(problems); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Stages that run in the order of the file cannot read what comes after them. (It crashed:
// the edge that closes the ring is written nowhere.)
func TestAStageOfTheDialectCannotReadALaterOne(t *testing.T) {
	_, problems := dialect("nodes:\n  - {id: a, stage: other, inputs: {from: b, select: history}}\n  - {id: b, stage: other}\n")
	if got := lines(problems); got != "dir/p.yaml:2:42: stages wait for each other: a -> b -> a" {
		t.Error(got)
	}
}
