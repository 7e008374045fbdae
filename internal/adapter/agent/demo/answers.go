package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
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
)

const drivesOnly = "the demo agent plays drives only"

// nothing holds the empty answers for the roles of other engines.
var nothing = map[agent.Role]any{
	agent.Supervise: map[string]any{"conflicts": []string{}},
	agent.Scan:      map[string]any{"findings": []string{}},
	agent.Choose:    map[string]any{"choice": "", "reason": "it has no preference"},
	agent.Iterate:   map[string]any{"summary": "there is nothing to do", "plateau": true, "reasoning": drivesOnly, "items_completed": []string{}},
	agent.Judge:     map[string]any{"stop": true, "reason": drivesOnly, "confidence": 1},
}

// answer does the role's work and returns the answer.
func (a *Run) answer(ctx context.Context) (said string, result any, err error) {
	if !slices.Contains(changers, a.Role) {
		if err := a.Halfway(ctx); err != nil {
			return "", nil, err
		}
		a.tally()
	}
	if More != nil {
		if said, result, answered, err := More(ctx, a); answered || err != nil {
			return said, result, err
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
		chunks := slices.AppendSeq([][]string{}, slices.Chunk(a.Criteria, chunkSize))
		return fmt.Sprintf("%d chunks", len(chunks)), plan{"write one small file for each criterion", chunks}, nil
	case agent.Verify:
		list, met, err := a.verify(ctx)
		return fmt.Sprintf("%d of %d criteria are met", met, len(a.Criteria)), map[string]any{"criteria": list}, err
	}
	done, err := a.Work(ctx, a.Criteria)
	said = text.Count(len(done), "criterion") + " are done"
	if len(done) == 1 {
		said = "1 criterion is done"
	}
	return said, map[string]any{"summary": said}, err
}

// IsMet reports whether the work for a criterion is there.
func (a *Run) IsMet(id string) bool {
	_, met := a.stack().checkCriterion(a.World.Dir, id)
	return met
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
