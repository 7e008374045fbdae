package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/testkit/need"
)

// chains are two branches of two stages, and a stage that reads what they made.
const chains = `
stages:
  - id: draft
    parallel:
      agents: [{agent: fake, id: one}, {agent: fake, id: two}]
      CHOOSE
      stages:
        - {id: write, prompt: "does write to ${OUTPUT}", runs: 1}
        - {id: polish, prompt: "does polish to ${OUTPUT} from ${INPUTS}", runs: 2, inputs: {from: write}}
  - id: cross
    parallel:
      agents:
        - {agent: fake, id: one, inputs: {from: draft.two}}
        - {agent: fake, id: two, inputs: {from: draft.one.write}}
      stages: [{id: critique, prompt: "does critique to ${OUTPUT} from ${INPUTS}", runs: 1}]
  - {id: settle, prompt: "does settle to ${OUTPUT} from ${INPUTS}", runs: 1, inputs: [{from: draft}, {from: cross.one}, {from: cross.two.critique}]}
`

// branchOf is which branch an agent works in, and does what it is asked to.
func branchOf(a agent.Task) (branch, does string) {
	_, branch, _ = strings.Cut(filepath.Base(a.Dir), "session-s-")
	if rest, ok := strings.CutPrefix(a.Prompt, "does "); ok {
		does, _, _ = strings.Cut(rest, " ")
	}
	return branch, does
}

// chained has each agent add what it does to a file of its work tree and to its output.
func chained(p *yard, a agent.Task) any {
	branch, does := branchOf(a)
	if a.Role == agent.Choose {
		return result{"choice": "two", "reason": "r"}
	}
	_, rest, _ := strings.Cut(a.Prompt, " to ")
	out := strings.Fields(rest)[0]
	p.sh(a.Dir, fmt.Sprintf("echo %s >> made.txt; echo %s in %s > %q", does, does, branch, out))
	return more
}

func (p *yard) chains(choose string) Job {
	return p.stages(strings.Replace(chains, "CHOOSE", choose, 1))
}

func TestBranchesAreChainsInOneWorkTree(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any { return chained(p, a) }
	s := p.run(p.chains("judge: {agent: fake}"))
	p.wants(came(s), "complete max_iterations")
	var names []string
	for _, st := range s.Stages {
		names = append(names, st.Name+" "+st.Status)
	}
	p.wants(strings.Join(names, "; "), "draft.one.write completed; draft.one.polish completed; draft.two.write completed; draft.two.polish completed; draft completed; "+
		"cross.one.critique completed; cross.two.critique completed; cross completed; settle completed")
	p.wants(p.read("made.txt"), "write\npolish\npolish\nsettle\n") // the choice, and what came after it
	p.wants(p.read(".claude/pipeline-runs/s/stage-4-draft/output.md"), "polish in draft.two\n")
	inputs := map[string]string{}
	for _, a := range p.asked {
		branch, does := branchOf(a)
		_, from, _ := strings.Cut(a.Prompt, " from ")
		from, _, _ = strings.Cut(from, "\n\n")
		for _, l := range strings.Split(from, "\n") {
			inputs[branch+" "+does] += strings.TrimSuffix(filepath.Base(filepath.Dir(l)), "\n") + " "
		}
	}
	p.wants(inputs["draft.two polish"], "stage-2-draft.two.write stage-2-draft.two.write ")
	p.wants(inputs["cross.one critique"]+inputs["cross.two critique"], "stage-3-draft.two.polish stage-0-draft.one.write ")
	p.wants(inputs[" settle"], "stage-4-draft stage-5-cross.one.critique stage-6-cross.two.critique ")
	p.wants(strings.TrimSpace(p.git("branch", "--format=%(refname:short)")), "main")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
}

// Wherever its process dies, a session of branches is resumed to the same end, and no
// iteration that was recorded is run again.
func TestBranchesSurviveCrashes(t *testing.T) {
	for _, point := range need.Sample([]string{"agent_answered#2", "iteration_completed#4", "taken#1", "stage_ended#5"}, "iteration_marked#1", "iteration_completed#2", "gathered#1", "stage_ended#3", "iteration_completed#8") {
		t.Run(point, func(t *testing.T) {
			p := commits(t, nil)
			p.does = func(n int, a agent.Task) any { return chained(p, a) }
			p.crash = point
			s := p.run(p.chains("judge: {agent: fake}"))
			p.wants(came(s), "complete max_iterations")
			done := map[string]int{}
			for _, row := range s.History {
				done[row.Stage]++
			}
			p.wants(done, "map[cross:1 cross.one.critique:1 cross.two.critique:1 draft:1 draft.one.polish:2 draft.one.write:1 draft.two.polish:2 draft.two.write:1 settle:1]")
			if text := p.read("made.txt"); !strings.HasPrefix(text, "write\n") || !strings.Contains(text, "polish\npolish\n") || !strings.HasSuffix(text, "settle\n") {
				t.Errorf("made: %q", text)
			}
		})
	}
}

// With first, the branch that is done first is taken, and the others are stopped.
func TestTheFirstBranchIsTaken(t *testing.T) {
	p := commits(t, nil)
	p.slow = func(a agent.Task) bool { branch, _ := branchOf(a); return branch == "draft.one" }
	p.does = func(n int, a agent.Task) any { return chained(p, a) }
	j := p.stages(strings.Replace(strings.Split(chains, "  - id: cross")[0], "CHOOSE", "choose: first", 1))
	s := p.run(j)
	p.wants(came(s), "complete max_iterations")
	var status []string
	for _, st := range s.Stages {
		status = append(status, st.Status)
	}
	p.wants(status, "[skipped skipped completed completed completed]")
	p.wants(p.read("made.txt"), "write\npolish\npolish\n")
	p.wants(strings.TrimSpace(p.git("branch", "--format=%(refname:short)")), "main")
}

// A session that is killed after the first branch was done takes it all the same.
func TestTheFirstBranchIsTakenAfterACrash(t *testing.T) {
	for _, point := range need.Sample([]string{"stage_ended#1", "stage_skipped#1", "taken#1"}, "stage_ended#2", "gathered#1") {
		p := commits(t, nil)
		p.slow = func(a agent.Task) bool { branch, _ := branchOf(a); return branch == "draft.one" }
		p.does = func(n int, a agent.Task) any { return chained(p, a) }
		p.crash = point
		s := p.run(p.stages(strings.Replace(strings.Split(chains, "  - id: cross")[0], "CHOOSE", "choose: first", 1)))
		p.wants(came(s), "complete max_iterations")
		p.wants(s.Stages[0].Status+" "+s.Stages[1].Status+" "+s.Stages[3].Status, "skipped skipped completed")
		p.wants(p.read("made.txt"), "write\npolish\npolish\n")
	}
}

// With first, a branch that fails loses; when all fail, so does the stage.
func TestABranchThatFailsIsNotTheFirst(t *testing.T) {
	for broken, want := range map[string]string{"draft.one": "complete max_iterations", "draft": "failed agent-error"} {
		p := commits(t, nil)
		p.does = func(n int, a agent.Task) any {
			if branch, _ := branchOf(a); strings.HasPrefix(branch, broken) {
				return agent.Result{Agent: "fake", End: agent.Refused, Why: "no"}
			}
			return chained(p, a)
		}
		s, _ := p.process(p.stages(strings.Replace(strings.Split(chains, "  - id: cross")[0], "CHOOSE", "choose: first", 1)))
		p.wants(came(s), want)
	}
}

const bestOf = `
commands: {test: sh check.sh}
stages:
  - id: build
    runs: 1
    prompt: x
    verify: test
    parallel: {choose: best, agents: [{agent: fake, id: red}, {agent: fake, id: few}, {agent: fake, id: most}, {agent: fake, id: same}]}
`

// With best, a branch whose checks fail loses, and the most tests win.
func TestTheBestBranchIsTaken(t *testing.T) {
	p := commits(t, nil)
	p.write("check.sh", "cat tests; ! grep -q '^not' tests\n")
	p.write("tests", "TAP version 13\nok 1 - a\n1..1\n")
	p.git("add", "check.sh", "tests")
	p.git("commit", "-q", "-m", "chore: checks")
	tests := map[string]string{"build.red": `ok 1 - a\nnot ok 2 - b\nok 3 - c\nok 4 - d\n1..4`, "build.few": `ok 1 - a\n1..1`, "build.most": `ok 1 - a\nok 2 - b\n1..2`, "build.same": `ok 1 - a\nok 2 - c\n1..2`}
	p.does = func(n int, a agent.Task) any {
		branch, _ := branchOf(a)
		p.sh(a.Dir, fmt.Sprintf("printf 'TAP version 13\\n%s\\n' > tests; echo %s > made.txt", tests[branch], branch))
		return more
	}
	s := p.run(p.stages(bestOf))
	p.wants(came(s), "complete max_iterations")
	p.wants(s.Stages[0].Status+" "+s.Stages[4].Status, "skipped completed")
	p.wants(p.read("made.txt"), "build.most\n")
	p.wants(s.History[len(s.History)-1].Summary, "most was chosen: its checks pass, with 2 tests")
	tests = map[string]string{"build.red": "not ok 1 - a", "build.few": "not ok 1 - a", "build.most": "not ok 1 - a", "build.same": "not ok 1 - a"}
	if s, _ = p.process(p.stages(bestOf)); came(s) != "failed verify" {
		t.Error(came(s))
	}
}

// A gathering that found nothing has its branches run again when it is resumed.
func TestAResumeOfAnEmptyGatheringRunsTheBranchesAgain(t *testing.T) {
	p := commits(t, nil)
	silent := true
	p.does = func(n int, a agent.Task) any {
		if _, does := branchOf(a); silent && does != "settle" {
			return result{"summary": "", "plateau": false}
		}
		return chained(p, a)
	}
	j := p.stages(strings.Replace(strings.Split(chains, "  - id: cross")[0], "CHOOSE", "choose: all", 1) +
		"  - {id: settle, prompt: \"does settle to ${OUTPUT} from ${INPUTS}\", runs: 1, inputs: {from: draft}}\n")
	j.Plan.Stages[0].Parallel.Stages[1].Inputs = nil // nobody reads what they write
	s, _ := p.process(j)
	p.wants(came(s), "failed no-output")
	silent = false
	j.Goes = true
	s = p.run(j)
	p.wants(came(s), "complete max_iterations")
	p.wants(p.read(".claude/pipeline-runs/s/stage-4-draft/output.md"), "# one\n\npolish in draft.one\n# two\n\npolish in draft.two\n")
}

// Without git all branches would work in one folder.
func TestBranchesAreRefusedWithoutGit(t *testing.T) {
	p := commits(t, func(int, agent.Task) any { return more })
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		t.Fatal(err)
	}
	_, err := p.process(p.chains("choose: all"))
	var stopped *step.StoppedError
	if !errors.As(err, &stopped) || !strings.Contains(stopped.Why, "stage draft is parallel, which needs a git repository") {
		t.Error(err)
	}
	p.wants(len(p.asked), 0)
	if _, err := os.Lstat(filepath.Join(p.root, ".claude", sessionstate.File("s"))); err == nil {
		t.Error("a session was begun")
	}
}
