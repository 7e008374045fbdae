package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/pipeline"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
)

// loop is a part that measures loops whose agent takes no time.
func loop(part func(*bench, string) ([]figure, error)) func(*bench) ([]figure, error) {
	return func(b *bench) ([]figure, error) {
		idler := filepath.Join(b.dir, "idler")
		for _, x := range [][2]string{{filepath.Join(b.dir, "warp-net"), "warp/cmd/warp-net"}, {idler, "warp/bench/idler"}} {
			if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", x[0], x[1]); err != nil {
				return nil, err
			}
		}
		return part(b, idler)
	}
}

// workshop creates a repository whose agent is a program.
func (b *bench) workshop(root, agent string) error {
	err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, ".claude", "settings.local.json"), fmt.Appendf(nil, `{"_workflow":{"agent":"command","agent_command":[%q]}}`, agent), 0o644)
	}
	for _, argv := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "config", "user.name", "bench"}, {"git", "config", "user.email", "bench@example.invalid"},
		{"git", "commit", "-q", "--allow-empty", "-m", "chore: begin"},
	} {
		if err == nil {
			err = in(root, argv...)
		}
	}
	return err
}

// inside runs warp in a project, and returns what it used.
func (b *bench) inside(root string, args ...string) (spent, took time.Duration, most float64, err error) {
	cmd := exec.Command(b.warp, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "WARP_SANDBOX=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if most, err = watched(cmd); err != nil {
		return 0, 0, 0, fmt.Errorf("warp %v: %w\n%s", args, err, out.Bytes())
	}
	p := cmd.ProcessState
	return p.UserTime() + p.SystemTime(), time.Since(began), most, nil
}

// iterations measures the CPU time of iterations in memory, and the elapsed time with the disk's
// syncs.
func iterations(b *bench, idler string) ([]figure, error) {
	_, _, wall, err := b.iterate(idler, 0)
	if err != nil {
		return nil, err
	}
	b, remove := b.inMemory()
	defer remove()
	var one, bare time.Duration
	for i := range 3 { // other load only adds to a measurement
		n, l, _, err := b.iterate(idler, i)
		if err != nil {
			return nil, err
		}
		if i == 0 || n-l < one-bare {
			one, bare = n, l
		}
	}
	status, err := b.status(filepath.Join(b.dir, "loop-0"))
	if err != nil {
		return nil, err
	}
	return []figure{ // without the guard it may cost 10 ms
		{name: "CPU of an iteration without its agent, with git", value: ms(one - bare), unit: "ms", most: math.Round(10 + 2.5*ms(status))},
		{name: "CPU of a bare loop's round with the same agent", value: ms(bare), unit: "ms"},
		{name: "an iteration by the clock: no sleep, but the disk's syncs", value: ms(wall), unit: "ms", most: 500},
	}, nil
}

// iterate runs a short loop and a long one, so that the cost of a start cancels out. It returns the
// CPU time of one iteration, that of the agent alone, and the elapsed time of an iteration.
func (b *bench) iterate(idler string, i int) (one, bare, wall time.Duration, err error) {
	const few, many = 5, 105
	root := filepath.Join(b.dir, fmt.Sprint("loop-", i))
	if err := b.workshop(root, idler); err != nil {
		return 0, 0, 0, err
	}
	a, t, _, err := b.inside(root, "loop", "few", "Do it", "--max", fmt.Sprint(few))
	if err != nil {
		return 0, 0, 0, err
	}
	z, u, _, err := b.inside(root, "loop", "many", "Do it", "--max", fmt.Sprint(many))
	if err != nil {
		return 0, 0, 0, err
	}
	bare, err = b.bareLoop(idler, many-few)
	return (z - a) / (many - few), bare, (u - t) / (many - few), err
}

// bareLoop returns the CPU time of one round of a loop that only runs the agent.
func (b *bench) bareLoop(agent string, rounds int) (time.Duration, error) {
	var spent time.Duration
	for i := range rounds {
		cmd := exec.Command(agent)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "WARP_ROLE=iterate", fmt.Sprintf("WARP_CHUNK=%d", i), "WARP_RESULT="+filepath.Join(b.dir, "result.json"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("the agent: %w\n%s", err, out)
		}
		spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return spent / time.Duration(rounds), nil
}

// instant is an agent that is a function.
type instant struct{ answer *lossless.Value }

func (a instant) Run(context.Context, agent.Task) (agent.Result, error) {
	return agent.Result{Agent: "instant", End: agent.Done, JSON: a.answer}, nil
}

const old = 10_000 // iterations

// aging runs a loop of ten thousand iterations in the engine itself, with an agent that is a
// function and files in memory if possible; then the real warp resumes it, and a young one.
func aging(b *bench, idler string) ([]figure, error) {
	place := b.dir
	if dir, err := os.MkdirTemp("/dev/shm", "warp-bench-"); err == nil {
		place = dir
		defer os.RemoveAll(dir)
	}
	young, aged := filepath.Join(place, "young"), filepath.Join(place, "aged")
	var early, late time.Duration
	for root, n := range map[string]int{young: 10, aged: old} {
		if err := b.workshop(root, idler); err != nil {
			return nil, err
		}
		marks, err := b.age(root, n)
		if err != nil {
			return nil, err
		}
		if n == old {
			early, late = marks[109]-marks[9], marks[old-1]-marks[old-101]
		}
	}
	const rounds = 50
	var ratios []float64
	for range 3 {
		var cost [2]time.Duration
		for i, root := range []string{young, aged} {
			spent, _, _, err := b.inside(root, "sessions", "resume", "s", "--max", fmt.Sprint(rounds))
			if err != nil {
				return nil, err
			}
			cost[i] = spent
		}
		ratios = append(ratios, ratio(cost[1], cost[0]))
	}
	slices.Sort(ratios)
	return []figure{
		{name: "the engine's CPU of iterations 9,901–10,000, against 11–110", value: ratio(late, early), unit: "x", most: 2},
		{name: "resuming after 10,000 iterations, against after 10", value: ratios[0], unit: "x", most: 2},
	}, nil
}

// age runs a loop, and returns the CPU time used by the end of each iteration.
func (b *bench) age(root string, iterations int) ([]time.Duration, error) {
	answer, err := lossless.Parse([]byte(`{"summary":"did a part of it, and left the rest","plateau":false,"learnings":["a lesson of this iteration"]}`))
	if err != nil {
		return nil, err
	}
	settings := []pipeline.Setting{{Key: "prompt", Value: "Do it", Flag: "--prompt"}, {Key: "runs", Value: fmt.Sprint(iterations), Flag: "--max"}}
	plan, problems := pipeline.LoadLoop("s", settings, pipeline.Outside{})
	if len(problems) > 0 {
		return nil, fmt.Errorf("%v", problems)
	}
	kept, err := json.Marshal(map[string]any{"task": "Do it", "settings": settings})
	if err != nil {
		return nil, err
	}
	var marks []time.Duration
	e := &session.Engine{
		Store: durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()}), Root: root,
		Agents: func(string) (step.Agents, error) { return instant{answer}, nil },
		Redact: func(s string) string { return s }, Now: time.Now, Process: step.Process{PID: os.Getpid(), Host: "bench"},
		Passed: func(point string) {
			if point == "iteration_completed" {
				marks = append(marks, cpu())
			}
		},
	}
	s, err := e.Run(context.Background(), session.Job{Name: "s", Plan: plan, Loop: true, Task: "Do it", Files: map[string][]byte{"session.json": kept}})
	if err == nil && s.IterationCompleted != iterations {
		err = fmt.Errorf("%d iterations, not %d", s.IterationCompleted, iterations)
	}
	return marks, err
}
