package demo

import (
	"context"
	"fmt"
	"slices"

	"warp/internal/engine/agent"
)

// chunkSize is how many criteria a plan puts into one chunk.
const chunkSize = 3

// The answers, as their roles want them.
type (
	plan struct {
		Approach string     `json:"approach"`
		Chunks   [][]string `json:"chunks"`
	}
	report struct {
		Summary string `json:"summary"`
	}
	verdict struct {
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason"`
	}
	verdicts struct {
		Criteria []verdict `json:"criteria"`
	}
	judgement struct {
		Stop       bool    `json:"stop"`
		Reason     string  `json:"reason"`
		Confidence float64 `json:"confidence"`
	}
	iteration struct {
		Summary   string   `json:"summary"`
		Plateau   bool     `json:"plateau"`
		Reasoning string   `json:"reasoning"`
		Items     []string `json:"items_completed"`
	}
	conflicts struct {
		Conflicts []string `json:"conflicts"`
	}
	findings struct {
		Findings []string `json:"findings"`
	}
)

// answer does what the role asks for, and says what comes of it.
func (a *act) answer(ctx context.Context) (text string, result any, err error) {
	if !slices.Contains(changers, a.role) {
		if err := a.halfway(ctx); err != nil {
			return "", nil, err
		}
		a.tally()
	}
	switch a.role {
	case agent.Plan:
		chunks := [][]string{}
		for c := range slices.Chunk(a.ids, chunkSize) {
			chunks = append(chunks, c)
		}
		return fmt.Sprintf("%d chunks", len(chunks)), plan{"write one small file for each criterion", chunks}, nil
	case agent.Verify:
		list, met, err := a.verify(ctx)
		return fmt.Sprintf("%d of %d criteria are met", met, len(a.ids)), verdicts{list}, err
	case agent.Judge:
		_, met, err := a.verify(ctx)
		said := fmt.Sprintf("%d of %d criteria are met", met, len(a.ids))
		return said, judgement{met == len(a.ids), said, 1}, err
	case agent.Supervise:
		return "no conflicts", conflicts{[]string{}}, nil
	case agent.Scan:
		return "nothing found", findings{[]string{}}, nil
	case agent.Iterate:
		return a.iterate(ctx)
	}
	done, err := a.work(ctx, a.ids)
	said := fmt.Sprintf("%d criteria are done", len(done))
	return said, report{said}, err
}

// verify looks at the work tree. A liar does not need to.
func (a *act) verify(ctx context.Context) (list []verdict, met int, err error) {
	list = []verdict{}
	stack := stackOf(a.world.Dir)
	for _, id := range a.ids {
		v := verdict{id, true, "it is done"}
		if !a.does(liar) {
			err := a.tool(ctx, "read", stack.files(id)[0].name, func() error {
				v.Reason, v.Met = stack.holds(a.world.Dir, id)
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

// iterate does the next criterion that is not met; where none is left, there is
// nothing more to be had.
func (a *act) iterate(ctx context.Context) (string, any, error) {
	var next []string
	stack := stackOf(a.world.Dir)
	for _, id := range a.ids {
		if _, met := stack.holds(a.world.Dir, id); !met && len(next) == 0 {
			next = []string{id}
		}
	}
	done, err := a.work(ctx, next)
	if len(next) == 0 {
		return "nothing is left to do", iteration{"nothing is left to do", true, "every criterion is met", []string{}}, err
	}
	return next[0] + " is done", iteration{next[0] + " is done", false, "one criterion at a time", done}, err
}
