package pipeline

import (
	"fmt"
	"testing"
)

const debate = `stages:
  - id: draft
    parallel:
      agents: [claude, codex]
      stages:
        - {id: argue, prompt: x, runs: 1}
        - {id: sharpen, prompt: x, runs: 2, inputs: {from: argue}}
  - id: answer
    parallel:
      agents:
        - {agent: claude, inputs: {from: draft.codex}}
        - {agent: codex, inputs: {from: draft.claude.argue}}
      stages:
        - {id: critique, prompt: x, runs: 1}
  - {id: settle, prompt: x, runs: 1, inputs: [{from: answer.claude}, {from: answer.codex.critique}, {from: draft}]}
`

func TestBranchesOfStages(t *testing.T) {
	p := load(t, debate, nil)
	if got := fmt.Sprint(p.Stages[0].After, p.Stages[1].After, p.Stages[2].After); got != "[] [0] [0 1]" {
		t.Error(got)
	}
	if s := p.Stages[0]; s.Parallel.Choose != All || s.Parallel.Stages[1].Until != "fixed 2" || s.Prompt != "" {
		t.Errorf("%+v", s.Parallel)
	}
	p, problems := Load("p.yaml", []byte(debate), disk(nil), Setting{"stages.draft.sharpen.max", "5", "--stage draft.sharpen.max"}, Setting{"agent", "gemini", "--agent"})
	if len(problems) > 0 || p.Stages[0].Parallel.Stages[1].Runs != 5 || p.Stages[0].Parallel.Agents[0].Agent != "claude" {
		t.Error(lines(problems))
	}
	for choose, want := range map[string]string{"{judge: {agent: claude}, ": ByJudge, "{choose: judge, ": ByJudge, "{choose: first, ": First, "{choose: best, ": Best, "{": All} {
		p := load(t, "commands: {test: t}\nstages: [{id: a, parallel: "+choose+"agents: [claude, codex], stages: [{loop: refine, verify: test}]}}]", nil)
		if got := p.Stages[0].Parallel; got.Choose != want || (got.Judge != nil) != (want == ByJudge) || got.Judge != nil && got.Judge.Prompt == "" {
			t.Errorf("%s: %+v", choose, got)
		}
		if sub := p.Stages[0].Parallel.Stages[0]; sub.ID != "refine" || sub.Commit || sub.Prompt == "" {
			t.Errorf("%+v", sub)
		}
	}
}

func TestWhatIsWrongWithBranches(t *testing.T) {
	_, problems := Load("p.yaml", []byte(`stages:
  - id: a
    prompt: x
    runs: 2
    parallel:
      agents: [claude, {agent: codex, inputs: {from: a.claude}}]
      choose: worst
      stages:
        - {id: one, prompt: "${NOPE}", inputs: {from: two}}
        - {id: two, prompt: x, needs: [one], agent: codex}
        - {id: two, prompt: x}
  - {id: b, prompt: x, inputs: [{from: a.claud}, {from: a.codex.three}, {from: a.codex.two}]}
  - {id: a.codex, prompt: x}
  - {id: c, parallel: {choose: best, agents: [claude, codex], stages: []}}
  - {id: d, prompt: x, parallel: {choose: best, agents: [claude, codex]}}
  - {id: e, prompt: x, parallel: {choose: all, agents: [claude, codex], judge: {}}}
  - {id: f, prompt: x, commit: true, parallel: {agents: [claude, codex]}}
`), disk(nil))
	want := `p.yaml:3:13: there is a prompt or a loop, and the parallel block has stages; give one of them
p.yaml:4:11: runs belongs to the stages of the parallel block
p.yaml:6:54: "a.claude" is in the same parallel stage, whose branches do not see each other; read it in a later stage
p.yaml:7:15: choose must be judge, best, first or all, not "worst"
p.yaml:9:30: ${NOPE} is not a variable here; write $${ for the characters themselves
p.yaml:9:55: the stage "two" is not before "one" in its branch
p.yaml:10:32: a stage of a parallel block has no key "needs"
p.yaml:10:46: a stage of a parallel block has no key "agent"
p.yaml:11:16: "two" is already used on line 10
p.yaml:12:40: there is no stage "a.claud"; did you mean a.claude?
p.yaml:12:57: there is no stage "a.codex.three"
p.yaml:13:10: "a.codex" is already used on line 6
p.yaml:14:32: choose: best needs verify on a stage of the block, to tell which branch is best
p.yaml:14:71: stages must be a list of at least one stage
p.yaml:15:43: choose: best needs verify on a stage of the block, to tell which branch is best
p.yaml:16:43: there is a judge, but choose is "all"
p.yaml:17:32: commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first`
	if got := lines(problems); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
