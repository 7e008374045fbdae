package workflow

import (
	"encoding/json"
	"os"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/step"
)

// mostLearned bounds what one iteration can teach.
const mostLearned = 10

// learned records what an iteration has taught, and that it is over.
func (j *job) learned(n int, a step.Answer, met workflow.Criteria) error {
	var said struct {
		Learnings []string `json:"learnings"`
		Lessons   []string `json:"lessons"`
	}
	if a.Result != nil {
		_ = json.Unmarshal(a.Result, &said) // then it has taught nothing
	}
	kind := workflow.Insight
	if met != nil && all(met) {
		kind = workflow.Pattern
	}
	var list []workflow.Learning
	add := func(kind, lesson string) {
		if lesson = strings.TrimSpace(j.Redact(lesson)); lesson == "" {
			return
		}
		list = append(list, workflow.Learning{
			Timestamp: workflow.Stamp(j.Now()), Task: j.ID, Iteration: n, Type: kind, Lesson: text.Opening(lesson), Pattern: text.Opening(lesson), Context: j.Name,
			Workflow: j.now().ID, Files: j.Files,
		})
	}
	lessons := append(said.Learnings, said.Lessons...)
	for _, l := range lessons[:min(len(lessons), mostLearned)] {
		add(kind, l)
	}
	if j.why != "" {
		add(workflow.Antipattern, "this did not do: "+j.why)
	}
	if len(list) > 0 {
		if err := j.append(list); err != nil {
			return err
		}
		j.passed("learnings_written")
	}
	return j.update("iteration_done", func(s *workflow.State) error {
		for _, l := range list {
			if s.Learned(l) {
				j.tell(Note{Kind: Learned, Task: j.ID, Text: l.Lesson})
			}
		}
		s.IterationDone(j.ID, n, 0, j.total())
		return nil
	})
}

// append adds to learnings.jsonl what it has not: the same iteration teaches the
// same once, whatever died in between.
func (r *Engine) append(list []workflow.Learning) error {
	return r.edit(workflow.LearningsFile, func(was []byte) ([]byte, error) {
		have, _ := workflow.ReadLearnings(was)
		if len(was) > 0 && was[len(was)-1] != '\n' {
			was = append(was, '\n') // what a crash tore
		}
		for _, l := range list {
			known := false
			for _, h := range have {
				known = known || h.Same(l)
			}
			if !known {
				was, have = append(was, l.Line()...), append(have, l)
			}
		}
		return was, nil
	})
}

// known is everything that was ever learned in this project.
func (r *Engine) known() []workflow.Learning {
	text, err := os.ReadFile(r.path(workflow.LearningsFile))
	if err != nil {
		return nil
	}
	all, _ := workflow.ReadLearnings(text)
	return all
}
