package pipeline

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

var visible = cmpopts.IgnoreUnexported(Pipeline{}, Stage{}, Guardrails{}, Judge{}, Member{}, Input{}, Parallel{})

// disk reads what a map holds.
func disk(files map[string]string) Outside {
	return Outside{
		Read: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
		Loop: library.Loop,
	}
}

func load(t *testing.T, text string, files map[string]string) *Pipeline {
	t.Helper()
	p, problems := Load("dir/p.yaml", []byte(text), disk(files))
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	return p
}

func TestLoadReadsEveryKey(t *testing.T) {
	p := load(t, `
name: all
description: "every key"
agent: gemini
max_cost: $12.5
max_time: 1h30m
commands: {test: go test ./..., lint: "golangci-lint run"}
nodes:
  - name: plan
    prompt: prompts/plan.md
    until: "judge"
    judge: {agent: claude, model: haiku, prompt: "Enough? ${HISTORY} ${RESULT}"}
    runs: 7
    min_iterations: 3
    delay: 90
    commit: true
    verify: [test, lint]
    guardrails: {max_runtime_seconds: 60, max_cost: 0.75, no_progress: 2}
  - id: do
    prompt: "Cost: $$5, ${command.test}"
    agent: codex
    model: gpt
    inputs: {from: plan, select: all}
    needs: [plan]
    verify: test
    parallel:
      agents: [claude, claude, {agent: codex, model: o, id: c}]
      judge: {}
`, map[string]string{"dir/prompts/plan.md": "Plan ${TASK}.\r\n"})
	want := &Pipeline{
		File: "dir/p.yaml", Name: "all", Description: "every key", Agent: "gemini", MaxCost: 12_500_000, MaxTime: 90 * time.Minute,
		Commands: []Command{{"test", "go test ./..."}, {"lint", "golangci-lint run"}},
		Stages: []Stage{
			{ID: "plan", Prompt: "Plan ${TASK}.\n\n" + result, Until: "judge", Runs: 7, MinIterations: 3, Agent: "gemini",
				Judge: &Judge{Agent: "claude", Model: "haiku", Prompt: "Enough? ${HISTORY} " + judgeResult},
				Delay: 90 * time.Second, Guardrails: Guardrails{MaxTime: time.Minute, MaxCost: 750_000, NoProgress: 2}, Commit: true, Verify: []string{"test", "lint"}},
			{ID: "do", Prompt: "Cost: $$5, ${command.test}\n\n" + result, Until: "plateau", Runs: sessionstate.DefaultMax, Agent: "codex", Model: "gpt",
				Inputs: []Input{{From: "plan", All: true}}, Needs: []string{"plan"}, Verify: []string{"test"}, After: []int{0},
				Parallel: &Parallel{Agents: []Member{{ID: "claude", Agent: "claude"}, {ID: "claude-2", Agent: "claude"}, {ID: "c", Agent: "codex", Model: "o"}}, Choose: ByJudge, Judge: &Judge{Prompt: choicePrompt + "\n" + choiceResult}}},
		},
	}
	if d := cmp.Diff(want, p, visible); d != "" {
		t.Error(d)
	}
	if got := text.Render(p.Stages[1].Prompt, p.Vars()); !strings.HasPrefix(got, "Cost: $5, go test ./...\n") {
		t.Errorf("%q", got)
	}
}

// What a stage says wins over its loop, the loop over the pipeline, and a model is
// never given to another's agent.
func TestAStageIsItsLoopAndWhatItSaysItself(t *testing.T) {
	files := map[string]string{
		"dir/loops/l.yaml": "name: l\nprompt: l.md\nuntil: plateau 3\nruns: 9\nagent: codex\nmodel: gpt\ndelay: 5s\ncommit: true\nguardrails: {max_cost: 1, no_progress: 4}\n",
		"dir/loops/l.md":   "Go.",
		"dir/bare.yaml":    "prompt: Go.\n",
		"dir/60.yaml":      "prompt: Go.\nuntil: fixed 60\n",
	}
	const head = "agent: claude\nmodel: opus\nstages:\n  - {id: a, "
	for says, want := range map[string]string{
		"loop: loops/l.yaml": "plateau 3, 9 runs, codex gpt, 5s, commit true, $1000000, idle 4",
		"loop: loops/l.yaml, agent: claude, delay: 0s, commit: false, guardrails: {max_cost: 2}": "plateau 3, 9 runs, claude opus, 0s, commit false, $2000000, idle 4",
		"loop: loops/l.yaml, agent: gemini":            "plateau 3, 9 runs, gemini , 5s, commit true, $1000000, idle 4",
		"loop: loops/l.yaml, model: mini":              "plateau 3, 9 runs, codex mini, 5s, commit true, $1000000, idle 4",
		"loop: loops/l.yaml, until: fixed:40":          "fixed:40, 40 runs, codex gpt, 5s, commit true, $1000000, idle 4",
		"loop: loops/l.yaml, until: fixed 40, runs: 2": "fixed 40, 2 runs, codex gpt, 5s, commit true, $1000000, idle 4",
		"loop: loops/l.yaml, until: fixed":             "fixed 9, 9 runs, codex gpt, 5s, commit true, $1000000, idle 4",
		"loop: 60.yaml":                                "fixed 60, 60 runs, claude opus, 0s, commit false, $0, idle 0",
		"loop: ./bare.yaml":                            "plateau, 50 runs, claude opus, 0s, commit false, $0, idle 0",
		"loop: bare.yaml, runs: 3":                     "fixed 3, 3 runs, claude opus, 0s, commit false, $0, idle 0",
		"prompt: Go., until: gates":                    "gates, 50 runs, claude opus, 0s, commit false, $0, idle 0",
	} {
		s := load(t, head+says+"}\n", files).Stages[0]
		got := fmt.Sprintf("%s, %d runs, %s %s, %s, commit %v, $%d, idle %d", s.Until, s.Runs, s.Agent, s.Model, s.Delay, s.Commit, s.MaxCost, s.NoProgress)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", says, got, want)
		}
		if s.Prompt != "Go.\n\n"+result {
			t.Errorf("%s: %q", says, s.Prompt)
		}
	}
}

// One resolver: a loop that was started by flags is the stage of a file that says
// the same.
func TestALoopIsAPipelineOfOneStage(t *testing.T) {
	for _, settings := range [][]Setting{
		{{"prompt", "Do it.", "--prompt"}},
		{{"prompt", "dir/x.md", "--prompt"}, {"runs", "4", "--max"}},
		{{"loop", "work", "loop"}},
		{{"loop", "review", "loop"}, {"until", "fixed 2", "--until"}, {"agent", "codex", "--agent"}, {"guardrails.max_cost", "$3", "--max-cost"}, {"commit", "true", "--commit"}},
		{{"loop", "refine", "loop"}, {"until", "judge", "--until"}, {"delay", "2m", "--delay"}},
	} {
		file := "stages:\n  - id: x\n"
		for _, s := range settings {
			if k, ok := strings.CutPrefix(s.Key, "guardrails."); ok {
				file += fmt.Sprintf("    guardrails: {%s: %s}\n", k, s.Value)
			} else {
				file += fmt.Sprintf("    %s: %s\n", s.Key, s.Value)
			}
		}
		out := disk(map[string]string{"dir/x.md": "X"})
		one, problems := LoadLoop("x", settings, out)
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		many, problems := Load("p.yaml", []byte(file), out)
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		if d := cmp.Diff(one.Stages, many.Stages, visible); d != "" {
			t.Errorf("%v: %s", settings, d)
		}
	}
	p, problems := LoadLoop("x", []Setting{{"prompt", "/abs/x.md", "--prompt"}, {"max_time", "2h", "--max-time"}}, disk(map[string]string{"/abs/x.md": "X"}))
	if len(problems) > 0 || p.MaxTime != 2*time.Hour {
		t.Error(p, problems)
	}
}

func TestFlagsAreCheckedAlike(t *testing.T) {
	for _, c := range []struct {
		id       string
		settings []Setting
		want     string
	}{
		{"x", nil, "x: it needs a loop or a prompt"},
		{"a b", []Setting{{"loop", "wrok", "loop"}}, "a b: id must be a name (letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'), not \"a b\"\nloop: there is no built-in loop \"wrok\"; did you mean work?; write the path of a file, such as ./wrok.yaml"},
		{"x", []Setting{{"loop", "work", "loop"}, {"prompt", "y ${Z}", "--prompt"}, {"runs", "0", "--max"}, {"until", "soon", "--until"}, {"zebra", "1", "--zebra"}}, `--max: runs must be a whole number from 1 to 1000000, not "0"
--prompt: ${Z} is not a variable here; write $${ for the characters themselves
--prompt: it has both a loop and a prompt; keep one of them
--until: until: "soon" is not a strategy; there are ` + sessionstate.Strategies + `
--zebra: a stage has no key "zebra"`},
	} {
		if p, problems := LoadLoop(c.id, c.settings, disk(nil)); lines(problems) != c.want || p != nil {
			t.Errorf("%s\nwant\n%s", lines(problems), c.want)
		}
	}
}

func TestWhatAFileRefersToIsLookedAt(t *testing.T) {
	out := disk(map[string]string{
		"dir/bad.yaml":   "name: bad\nneeds: [a]\nruns: x\njudge: {prompt: '${NO}'}\n",
		"dir/prompt.md":  "one\n  ${NO} ${command.test}\n",
		"dir/blank.md":   " \n",
		"dir/list.yaml":  "- a\n",
		"dir/typo.yaml":  "prompt: x ${command.none}\nuntil: platau\n",
		"dir/judge.md":   "${CANDIDATES} ${HISTORY}",
		"dir/empty.yaml": "",
	})
	out.Agents = []string{"claude", "codex"}
	_, problems := Load("dir/p.yaml", []byte(`agent: cluade
commands: {test: x}
stages:
  - {id: a, loop: wrok}
  - {id: b, loop: ./bad.yaml}
  - {id: c, loop: none.yaml}
  - {id: d, prompt: prompt.md}
  - {id: e, prompt: none.md, until: judge, judge: {agent: me, prompt: blank.md}}
  - {id: f, loop: list.yaml, verify: tset, min_iterations: 3, runs: 2}
  - {id: g, loop: ./typo.yaml, judge: {}}
  - {id: h, loop: /etc/l.yaml, agent: codx}
  - {id: i, prompt: x, parallel: {agents: [claude, cursor], judge: {prompt: judge.md, agent: you}}}
  - {id: j, loop: ./typo.yaml}
  - {id: k, loop: empty.yaml}
  - {id: l, loop: work, prompt: prompt.md}
`), out)
	want := `dir/bad.yaml:1:1: a loop must have the key "prompt"
dir/bad.yaml:2:1: a loop has no key "needs"
dir/bad.yaml:3:7: runs must be a whole number from 1 to 1000000, not "x"
dir/bad.yaml:4:8: there is a judge, but until is "plateau"
dir/bad.yaml:4:18: ${NO} is not a variable here; write $${ for the characters themselves
dir/blank.md:1:1: the file is empty
dir/empty.yaml:1:1: the file is empty
dir/judge.md:1:15: ${HISTORY} is not a variable here; write $${ for the characters themselves
dir/list.yaml:1:1: a loop must be a mapping, not a list
dir/p.yaml:1:8: there is no agent "cluade"; did you mean claude?
dir/p.yaml:4:19: there is no built-in loop "wrok"; did you mean work?; write the path of a file, such as ./wrok.yaml
dir/p.yaml:6:19: "none.yaml" cannot be read: file does not exist
dir/p.yaml:8:21: "none.md" cannot be read: file does not exist
dir/p.yaml:8:59: there is no agent "me"
dir/p.yaml:9:38: there is no command "tset" among the pipeline's commands
dir/p.yaml:9:60: min_iterations is 3, but runs only 2
dir/p.yaml:10:39: there is a judge, but until is "platau"
dir/p.yaml:11:19: "/etc/l.yaml" must be a path from the folder of this file
dir/p.yaml:11:39: there is no agent "codx"; did you mean codex?
dir/p.yaml:12:52: there is no agent "cursor"
dir/p.yaml:12:94: there is no agent "you"
dir/p.yaml:15:33: it has both a loop and a prompt; keep one of them
dir/prompt.md:2:3: ${NO} is not a variable here; write $${ for the characters themselves
dir/typo.yaml:1:11: ${command.none} is not a variable here; write $${ for the characters themselves
dir/typo.yaml:2:8: until: "platau" is not a strategy; there are ` + sessionstate.Strategies
	if d := cmp.Diff(want, lines(problems)); d != "" {
		t.Error(d)
	}
}

func TestAliasesAndMergedKeys(t *testing.T) {
	p := load(t, "stages:\n  - &s {id: a, prompt: x, runs: 2, until: plateau}\n  - {<<: *s, id: b}\n  - <<: [{until: gates}, *s]\n    id: c\n", nil)
	for i, want := range []string{"a x plateau 2", "b x plateau 2", "c x gates 2"} {
		s := p.Stages[i]
		if got := fmt.Sprintf("%s %.1s %s %d", s.ID, s.Prompt, s.Until, s.Runs); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTheDefaultsAreThoseOfSessions(t *testing.T) {
	for runs, text := range map[string]string{"": "", "runs: 3, ": "fixed 3"} {
		s := load(t, "stages: [{id: a, "+runs+"prompt: x}]", nil).Stages[0]
		want := sessionstate.Plateau
		if text != "" {
			want = sessionstate.Fixed
		}
		if u, err := sessionstate.ParseUntil(s.Until); err != nil || u.Kind != want {
			t.Errorf("%s: %s, %v", runs, s.Until, err)
		}
	}
}
