package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"warp/internal/core/scope"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/prompt"
)

// Work is judged once, and once more if its author objects: asked until the answer changes, a
// verifier would find for anyone.

// verdict is what a verifier last said of a tree.
type verdict struct {
	Round    int             `json:"round"`
	Verdicts []judge.Verdict `json:"verdicts"`
	Unasked  []scope.Point   `json:"unasked"` // nil: it said nothing about it
	// Objection is what it was told of the author's. Again: the tree had a verdict before.
	Objection string `json:"objection,omitempty"`
	Again     bool   `json:"again,omitempty"`
}

const (
	maxObjection  = 2000 // bytes of an objection in a prompt
	enoughVerdict = 1000 // bytes of the verdict that it is about
)

// askVerifier asks an agent, who is told which commands passed on this work.
func (v verifier) askVerifier(ctx context.Context, name string, round int, list []taskdoc.Criterion, now string, passed []string) ([]judge.Verdict, error) {
	if len(list) == 0 {
		return nil, nil
	}
	left, err := v.toldLeft(round, now)
	if err != nil {
		return nil, err
	}
	claim, at := v.claim(round)
	objection, done := v.lastSaid(round)
	if at == round { // it is about what no one asked for
		objection = ""
	}
	task := v.Task
	task.Criteria = numbered(v.Task.Criteria, list)
	ids := taskdoc.Keys(task.Criteria)
	values := textValues{"Task": task, "Wanted": v.description(), "Example": ids[0], "Unasked": left, "Claim": claim}
	var was verdict
	key := fmt.Sprintf("verdict-%s-%.6x", now, sha256.Sum256(fmt.Append(nil, values)))
	known := json.Unmarshal([]byte(v.mem.Facts[key]), &was) == nil && now != noTree
	if replayed := was.Round == round && was.Objection == objection; known && (replayed || objection == "" || was.Again) {
		if !replayed {
			v.run.remark("the work of task %s is what was judged before, so that the verdict stands", v.ID)
			v.stood = objection
		}
		v.judged = was.Unasked
		return was.Verdicts, nil
	}
	diff, cut, err := v.tree.Diff(ctx, v.base(), now, maxDiff)
	if err != nil {
		return nil, err
	}
	values["Diff"], values["Cut"], values["Tests"] = diff, cut, v.sayPassed(now, passed)
	values["Objection"], values["Verdict"] = prompt.Clip(maxObjection, objection), prompt.Clip(enoughVerdict, v.why)
	values["Done"] = slices.DeleteFunc(done, func(id string) bool { return !slices.Contains(ids, id) })
	a, err := v.askJudge(ctx, question{name: name, kind: workflowstate.SupervisorAgent, round: round, Task: agent.Task{
		Role: agent.Verify, ReadOnly: true, Criteria: ids, Prompt: prompt.Render("verify", values)}})
	if err == nil {
		err = v.readUnasked(a, now)
	}
	if err != nil {
		return nil, err
	}
	var said judge.VerifierAnswer
	if !a.Read(&said) {
		return said.Verdicts(ids), nil
	}
	is := verdict{round, said.Verdicts(ids), v.judged, objection, known}
	text, err := json.Marshal(is)
	if err != nil {
		return nil, err
	}
	return is.Verdicts, v.setFact(key, string(text))
}

// lastSaid returns what the agent of an iteration objects to, and the criteria that it says were met
// before.
func (v verifier) lastSaid(round int) (objection string, done []string) {
	a, ok := v.mem.Answers[implementing(round)]
	if !ok {
		return "", nil
	}
	var said struct{ Done []string }
	a.Read(&said)
	return objectionIn(a), said.Done
}
