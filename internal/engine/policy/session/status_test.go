package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/pipeline"
	"warp/internal/engine/agent"
)

// folderStage is a pipeline of one stage, whose folder has a prompt.
func (p *yard) folderStage(prompt, more string) Job {
	p.Helper()
	out := outside()
	out.Read = func(path string) ([]byte, error) {
		switch path {
		case "stages/work/stage.yaml":
			return []byte("name: work\ntermination: {type: judgment, consensus: 2, max: 6}\n"), nil
		case "stages/work/prompt.md":
			return []byte(prompt), nil
		}
		return nil, os.ErrNotExist
	}
	plan, problems := pipeline.Load("p.yaml", []byte("name: p\nnodes:\n  - {id: work, stage: work"+more+"}\n"), out)
	if len(problems) > 0 {
		p.Fatal(problems)
	}
	return Job{Name: "s", Plan: plan, Task: "t", Files: map[string][]byte{"session.json": []byte("{}\n")}}
}

// named is the path that a prompt says after a word.
func named(a agent.Task, word string) string {
	_, rest, _ := strings.Cut(a.Prompt, word+" ")
	return strings.Fields(rest)[0]
}

const files3 = "status ${STATUS} result ${RESULT} output ${OUTPUT} end"

func TestAStatusFileIsTheResult(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		// the output is its last word, and no change
		p.sh(p.root, fmt.Sprintf("echo turn %d > %q", n, named(a, "output")))
		p.sh(p.root, fmt.Sprintf(`echo '{"decision":"Stop","reason":"all is well","summary":"looked %d","work":{"items_completed":["a",1]}}' > %q`, n, named(a, "status")))
		return "done"
	}
	s := p.run(p.folderStage(files3, ""))
	p.wants(came(s), "complete plateau")
	row := s.History[1]
	p.wants(fmt.Sprint(len(s.History), row.Plateau, row.Changed, row.Summary, row.Reasoning, row.Items), "2 true falselooked 2all is well[a 1]")
	p.wants(p.read(".claude/pipeline-runs/s/stage-0-work/output.md"), "turn 2\n")

	// What changes the project is no stop, and the result counts before the status.
	p = commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		decision := "stop"
		if n > 2 {
			decision = "continue"
		}
		if n == 1 {
			p.sh(p.root, "date > changed.txt")
		}
		p.sh(p.root, fmt.Sprintf(`echo '{"decision":"stop"}' > %q; echo '{"decision":"%s"}' > %q`, named(a, "status"), decision, named(a, "result")))
		return "done"
	}
	s = p.run(p.folderStage(files3, ", runs: 4"))
	p.wants(came(s)+fmt.Sprint(len(s.History), s.History[0].Changed, s.History[3].Plateau), "complete max_iterations4 true false")
}

func TestAnErrorInTheStatusFailsTheIteration(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.sh(p.root, fmt.Sprintf(`echo '{"decision":"error","reason":"no database","errors":["E1",{"at":2}]}' > %q`, named(a, "result")))
		return more
	}
	s, _ := p.process(p.folderStage(files3, ", runs: 2"))
	p.wants(came(s), "failed agent-error")
	p.wants(s.History[0].End+" "+s.History[0].Summary, `crashed it reported an error: no database; E1; {"at":2}`)
}

// What an agent leaves where a status is expected is others' text: it is read as a plain
// file of bounded size, or not at all.
func TestAStatusFileIsNotTrusted(t *testing.T) {
	p := commits(t, nil)
	p.write("elsewhere.json", `{"decision":"stop"}`)
	leaves := []string{
		"rm -rf %[1]q; ln -s " + p.root + "/elsewhere.json %[1]q", "mkdir -p %q", "mkfifo %q", "echo '{' > %q",
		`{ printf '{"decision":"stop","summary":"'; head -c 70000 /dev/zero | tr '\0' x; printf '"}'; } > %q`, "true %q",
	}
	p.does = func(n int, a agent.Task) any {
		p.sh(p.root, fmt.Sprintf(leaves[n-1], named(a, "status")))
		return "done"
	}
	s := p.run(p.folderStage(files3, ""))
	p.wants(came(s)+fmt.Sprint(len(s.History)), "complete max_iterations6")
	for i, row := range s.History {
		if row.Plateau || row.Summary != "done" {
			t.Errorf("%s: %+v", leaves[i], row)
		}
	}
	p.tells("ignoring what the agent wrote")
}

// Wherever the engine is killed after the agent has answered, what it wrote counts, once.
func TestAStatusSurvivesACrash(t *testing.T) {
	for _, point := range []string{"agent_answered#1", "progress_written#1"} {
		q := commits(t, nil)
		q.crash = point
		q.does = func(n int, a agent.Task) any {
			q.sh(q.root, fmt.Sprintf(`echo '{"decision":"stop","summary":"looked"}' > %q`, named(a, "status")))
			return "done"
		}
		s := q.run(q.folderStage(files3, ""))
		q.wants(came(s)+fmt.Sprint(len(s.History), s.History[0].Summary, len(q.asked)), "complete plateau2looked2")
	}
}

func TestAnOutputIsAlsoPutIntoTheProject(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.sh(p.root, fmt.Sprintf("echo turn %d > %q; echo x >> code.txt", n, named(a, "output")))
		return more
	}
	j := p.stages("stages: [{id: notes, prompt: \"output ${OUTPUT} end\", runs: 2, commit: true, output_path: \"docs/${SESSION}-${ITERATION}.md\"}]")
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.git("show", "session/s:docs/s-1.md")+p.git("show", "session/s:docs/s-2.md"), "turn 1\nturn 2\n")

	// No link leads it out of the project.
	p = commits(t, nil)
	far := p.TempDir()
	if err := os.Symlink(far, filepath.Join(p.root, "docs")); err != nil {
		t.Fatal(err)
	}
	p.does = func(n int, a agent.Task) any {
		p.sh(p.root, fmt.Sprintf("echo x > %q", named(a, "output")))
		return more
	}
	if _, err := p.process(p.stages("stages: [{id: notes, prompt: \"output ${OUTPUT} end\", runs: 1, output_path: docs/x.md}]")); err == nil || !strings.Contains(err.Error(), "docs/x.md") {
		t.Error(err)
	}
	if list, _ := os.ReadDir(far); len(list) > 0 {
		t.Error("it was written outside")
	}
}

func TestContextHasTheMembersOfTheDialect(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		var c map[string]any
		text, err := os.ReadFile(filepath.Join(p.root, named(a, "context")))
		if err := json.Unmarshal(text, &c); err != nil {
			t.Error(err)
		}
		paths := c["paths"].(map[string]any)
		if err != nil || c["iteration"] != float64(n) || paths["output"] == "" || !strings.HasSuffix(paths["status"].(string), "status.json") {
			t.Errorf("%v: %s", err, text)
		}
		p.sh(p.root, fmt.Sprintf("echo %d > %q", n, paths["output"]))
		return more
	}
	j := p.folderStage("context ${CTX} end", ", runs: 2, termination: {type: fixed, iterations: 2}, inputs: {from_initial: true}")
	j.Plan.Initial = []string{"/given/a.md"}
	p.wants(came(p.run(j)), "complete max_iterations")
	var c Context
	if err := json.Unmarshal([]byte(p.read(".claude/pipeline-runs/s/stage-0-work/context.json")), &c); err != nil {
		t.Fatal(err)
	}
	p.wants(fmt.Sprint(c.Session, c.Pipeline, c.Stage, c.Inputs.Initial, len(c.Inputs.Previous), c.Limits), "sp{work 0 work} [/given/a.md] 1 {2 -1}")
}
