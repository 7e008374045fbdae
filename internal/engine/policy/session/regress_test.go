package session

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/adapter/agent/program"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

// The bugs that the first engine of this kind had, and guarded against.

func TestAStageWithoutIterationsIsNoSuccess(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	s := p.run(p.stages("stages: [{id: a, prompt: x, until: queue work}, {id: b, prompt: x, runs: 1}]"))
	p.wants(came(s), "failed failed")
	p.wants(fmt.Sprint(s.Stages[0].Status, *s.Stages[0].IterationsRun, s.Stages[1].Status, len(p.asked)), "failed0pending0")
}

func TestIterationCompletedAdvancesInEveryStage(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 2}, {id: b, prompt: x, runs: 3}, {id: c, prompt: x, runs: 1}]"))
	var got []string
	for _, s := range p.states {
		got = append(got, fmt.Sprintf("%d/%d/%d", s.CurrentStage, s.Iteration, s.IterationCompleted))
	}
	p.wants(got, "[0/1/1 0/2/2 1/1/1 1/2/2 1/3/3 2/1/1]")
}

func TestCountersAreResetWhenTheStageChanges(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return plateau })
	j := p.stages("stages: [{id: a, prompt: x, runs: 2}, {id: b, prompt: x, runs: 2}]")
	s := p.run(j)
	b := p.states[2] // after the first iteration of b
	p.wants(fmt.Sprint(b.Iteration, b.IterationCompleted, b.Stages[1].Counts.Plateaus, b.Stages[1].Counts.Unchanged), "1 1 1 1")
	var numbers []int
	for _, a := range p.asked {
		numbers = append(numbers, a.Chunk)
	}
	p.wants(numbers, "[1 2 1 2]")
	p.wants(came(s), "complete max_iterations")
}

func TestConsensusIsNotCountedTwiceAndDoesNotLeak(t *testing.T) {
	for _, point := range []string{"", "iteration_started#2", "agent_answered#2", "progress_written#2", "iteration_completed#2", "stage_ended#1", "agent_answered#4", "iteration_completed#5"} {
		t.Run("killed after "+point, func(t *testing.T) {
			p := newYard(t, func(int, agent.Task) any { return plateau })
			p.crash = point
			s := p.run(p.stages("stages: [{id: a, prompt: x, until: plateau 3}, {id: b, prompt: x, until: plateau 3}]"))
			p.wants(fmt.Sprint(*s.Stages[0].IterationsRun, *s.Stages[1].IterationsRun, len(p.asked), len(s.History)), "3 3 6 6")
			p.wants(came(s), "complete plateau")
		})
	}
}

func TestTheDefaultsOfALoopAndOfAStageAgree(t *testing.T) {
	for name, says := range map[string]result{"plateau": plateau, "never": more} {
		t.Run(name, func(t *testing.T) {
			one := newYard(t, func(int, agent.Task) any { return says })
			loop := one.run(one.loop())
			two := newYard(t, func(int, agent.Task) any { return says })
			stage := two.run(two.stages("stages: [{id: s, prompt: do}]"))
			one.wants(fmt.Sprint(came(loop), loop.IterationCompleted, loop.Why), fmt.Sprint(came(stage), stage.IterationCompleted, stage.Stages[0].Why))
			a, b := one.asked[0], two.asked[0]
			one.wants(fmt.Sprint(a.Timeout, a.Idle, a.Linger, a.Level, a.Budget), fmt.Sprint(b.Timeout, b.Idle, b.Linger, b.Level, b.Budget))
			if a.Linger == 0 || a.Timeout == 0 {
				t.Error("an agent may hang for ever")
			}
		})
	}
}

// shortly lets an agent linger for a moment only.
type shortly struct{ step.Agents }

func (s shortly) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	t.Linger = min(t.Linger, time.Millisecond)
	return s.Agents.Run(ctx, t)
}

func TestAnAgentThatAnsweredAndHangsIsEnded(t *testing.T) {
	p := newYard(t, nil)
	p.write("agent.sh", `echo '{"summary":"answered","plateau":false}' > "$WARP_RESULT"; echo $$ > pid; exec sleep 600`)
	e := p.engine()
	e.Agents = func(string) (step.Agents, error) {
		return shortly{&agent.Runner{
			Adapters: []agent.Adapter{program.New(program.Options{Argv: []string{"sh", filepath.Join(p.root, "agent.sh")}})},
			Store:    durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: time.Now}), Now: time.Now, Started: proc.Started, PID: 1, Host: "here",
			Environ: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		}}, nil
	}
	s, err := e.Run(t.Context(), p.loop("runs", "1"))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(fmt.Sprint(came(s), " ", s.History[0].Summary, s.History[0].End), "complete max_iterations answered")
	var pid int
	if _, err := fmt.Sscan(p.read("pid"), &pid); err != nil {
		t.Fatal(err)
	}
	if _, alive := proc.Started(pid); alive {
		t.Error("it still runs")
	}
}
