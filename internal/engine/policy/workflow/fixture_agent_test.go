package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

// Run implements Agents.
func (p *scene) Run(_ context.Context, t agent.Task) (agent.Result, error) {
	p.mu.Lock()
	p.asked = append(p.asked, t)
	p.clock, p.at = p.clock.Add(stepTime), t.Dir
	p.mu.Unlock()
	var said any
	if p.does != nil {
		said = p.does(t)
	}
	p.mu.Lock()
	p.at = ""
	p.mu.Unlock()
	res := agent.Result{Agent: "fake", End: agent.Done, Usage: agent.Usage{MicroUSD: stepCost, Priced: true}}
	switch said := said.(type) {
	case agent.Result:
		return said, nil
	case error:
		return res, said
	case string:
		res.Text = said
		return res, nil
	case nil:
		return res, p.good(&res, t)
	default:
		return res, structured(&res, said)
	}
}

func structured(res *agent.Result, said any) error {
	text, err := json.Marshal(said)
	if err == nil {
		res.JSON, err = lossless.Parse(text)
	}
	return err
}

// good does what it is asked: it writes the files of its task, and says what it
// learned.
func (p *scene) good(res *agent.Result, t agent.Task) error {
	said := result{"summary": "done"}
	switch t.Role {
	case agent.Code:
		for _, f := range files(t) {
			if err := put(filepath.Join(t.Dir, f), fmt.Sprintf("%s %d\n", t.Issue, t.Chunk)); err != nil {
				return err
			}
		}
		said["learnings"] = []string{fmt.Sprintf("lesson of %s, %d", t.Issue, t.Chunk)}
	case agent.Verify:
		said = verdicts(t, true)
	case agent.Supervise:
		said["conflicts"] = []result{}
	case agent.Scan:
		said["findings"] = []result{}
	}
	return structured(res, said)
}

func verdicts(t agent.Task, met bool) result {
	var list []result
	for _, id := range t.Criteria {
		list = append(list, result{"id": id, "met": met, "reason": "seen"})
	}
	return result{"criteria": list}
}

// files are those that a prompt says the task has.
func files(t agent.Task) []string {
	_, rest, _ := strings.Cut(t.Prompt, "\nFiles: ")
	line, _, _ := strings.Cut(rest, "\n")
	if line == "any that the task needs" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(line, ".*", ".txt"), ", ")
}
