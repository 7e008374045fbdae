package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/engine/agent"
)

// chunkSize is how many criteria a plan puts into one chunk.
const chunkSize = 3

// The answers that the roles expect.
type (
	plan struct {
		Approach string     `json:"approach"`
		Chunks   [][]string `json:"chunks"`
	}
	verdict struct {
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason"`
	}
	judgement struct {
		Stop       bool    `json:"stop"`
		Reason     string  `json:"reason"`
		Confidence float64 `json:"confidence"`
	}
)

// Iteration is the answer of a loop's iteration.
type Iteration struct {
	Summary   string   `json:"summary"`
	Plateau   bool     `json:"plateau"`
	Reasoning string   `json:"reasoning"`
	Items     []string `json:"items_completed"`
}

// nothing holds the empty answers for the roles of other engines.
var nothing = map[agent.Role]any{
	agent.Supervise: map[string]any{"conflicts": []string{}},
	agent.Scan:      map[string]any{"findings": []string{}},
	agent.Choose:    map[string]any{"choice": "", "reason": "it has no preference"},
}

// answer does the role's work and returns the answer.
func (a *Run) answer(ctx context.Context) (text string, result any, err error) {
	if !slices.Contains(changers, a.Role) {
		if err := a.Halfway(ctx); err != nil {
			return "", nil, err
		}
		a.tally()
	}
	if More != nil {
		if text, result, answered, err := More(ctx, a); answered || err != nil {
			return text, result, err
		}
	}
	if empty, ok := nothing[a.Role]; ok {
		return "there is nothing to tell", empty, nil
	}
	if a.Role == agent.Plan && strings.Contains(a.Prompt, asksForDraft) {
		d := writeDraft(a.Prompt)
		return "a draft: " + d.Title, d, nil
	}
	switch a.Role {
	case agent.Plan:
		chunks := [][]string{}
		for c := range slices.Chunk(a.Criteria, chunkSize) {
			chunks = append(chunks, c)
		}
		return fmt.Sprintf("%d chunks", len(chunks)), plan{"write one small file for each criterion", chunks}, nil
	case agent.Verify:
		list, met, err := a.verify(ctx)
		return fmt.Sprintf("%d of %d criteria are met", met, len(a.Criteria)), map[string]any{"criteria": list}, err
	case agent.Judge:
		_, met, err := a.verify(ctx)
		said := fmt.Sprintf("%d of %d criteria are met", met, len(a.Criteria))
		return said, judgement{met == len(a.Criteria), said, 1}, err
	case agent.Iterate:
		it, err := a.Iterate(ctx)
		return it.Summary, it, err
	}
	done, err := a.Work(ctx, a.Criteria)
	said := fmt.Sprintf("%d criteria are done", len(done))
	if len(done) == 1 {
		said = "1 criterion is done"
	}
	return said, map[string]any{"summary": said}, err
}

// Iterate does the next unmet criterion, and reports a plateau if none is left. It lists all met
// criteria, because an interrupted iteration may have done some.
func (a *Run) Iterate(ctx context.Context) (Iteration, error) {
	next, held := []string{}, []string{}
	stack := a.stack()
	for _, id := range a.Criteria {
		if _, met := stack.checkCriterion(a.World.Dir, id); met {
			held = append(held, id)
		} else if len(next) == 0 {
			next = []string{id}
		}
	}
	done, err := a.Work(ctx, next)
	done = append(held, done...)
	if len(next) == 0 {
		return Iteration{"nothing is left to do", true, "every criterion is met", done}, err
	}
	return Iteration{next[0] + " is done", false, "one criterion at a time", done}, err
}

// verify checks the criteria in the work tree; a liar does not look.
func (a *Run) verify(ctx context.Context) (list []verdict, met int, err error) {
	list = []verdict{}
	stack := a.stack()
	for _, id := range a.Criteria {
		v := verdict{id, true, "it is done"}
		if !a.Does(liar) {
			err := a.Tool(ctx, "read", stack.files(id)[0].name, func() error {
				v.Reason, v.Met = stack.checkCriterion(a.World.Dir, id)
				return nil
			})
			if err != nil {
				return nil, 0, err
			}
		}
		if v.Met {
			met++
		}
		list = append(list, v)
	}
	return list, met, nil
}
