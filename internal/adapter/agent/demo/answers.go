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

// The answers, as their roles want them.
type (
	plan struct {
		Approach string     `json:"approach"`
		Chunks   [][]string `json:"chunks"`
	}
	report struct {
		Summary   string   `json:"summary"`
		Learnings []string `json:"learnings,omitempty"`
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
	chosen struct {
		Choice string `json:"choice"`
		Reason string `json:"reason"`
	}
	conflicts struct {
		Conflicts []conflict `json:"conflicts"`
	}
	conflict struct {
		Type       string `json:"type"`
		Severity   string `json:"severity"`
		Action     string `json:"action,omitempty"`
		Resolution string `json:"resolution"`
	}
	findings struct {
		Findings []finding `json:"findings"`
	}
	finding struct {
		Title    string   `json:"title"`
		Priority string   `json:"priority"`
		Files    []string `json:"files"`
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
		if strings.Contains("\n"+a.prompt, "\n"+replanMark) {
			return a.replan()
		}
		chunks := [][]string{}
		for c := range slices.Chunk(a.ids, chunkSize) {
			chunks = append(chunks, c)
		}
		return fmt.Sprintf("%d chunks", len(chunks)), plan{"write one small file for each criterion", chunks}, nil
	case agent.Verify:
		if len(a.tasks) > 0 {
			return a.look(ctx)
		}
		list, met, err := a.verify(ctx)
		return fmt.Sprintf("%d of %d criteria are met", met, len(a.ids)), verdicts{list}, err
	case agent.Judge:
		if said, stop, asked := a.decide(); asked {
			return said, judgement{stop, said, 1}, nil
		}
		_, met, err := a.verify(ctx)
		said := fmt.Sprintf("%d of %d criteria are met", met, len(a.ids))
		return said, judgement{met == len(a.ids), said, 1}, err
	case agent.Supervise:
		list := a.conflicts()
		return fmt.Sprintf("%d conflicts", len(list)), conflicts{list}, nil
	case agent.Scan:
		list := a.findings()
		return fmt.Sprintf("%d findings", len(list)), findings{list}, nil
	case agent.Choose:
		return a.choose()
	case agent.Iterate:
		return a.iterate(ctx)
	}
	if len(a.tasks) > 0 {
		return a.task(ctx, a.tasks[0])
	}
	done, err := a.work(ctx, a.ids)
	said := fmt.Sprintf("%d criteria are done", len(done))
	return said, report{Summary: said}, err
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
