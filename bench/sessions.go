package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	engine "warp/internal/engine/session"
	"warp/internal/engine/step"
)

// loops: what an iteration costs beside its agent, which takes no time here; that
// it costs the same after ten thousand others; and many sessions at once.
func loops(b *bench) ([]figure, error) {
	idler := filepath.Join(b.dir, "idler")
	for _, x := range [][2]string{{filepath.Join(b.dir, "warp-net"), "warp/cmd/warp-net"}, {idler, "warp/bench/idler"}} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", x[0], x[1]); err != nil {
			return nil, err
		}
	}
	var all []figure
	for _, part := range []func(*bench, string) ([]figure, error){iterations, guarded, together, aging} {
		figures, err := part(b, idler)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// workshop makes a repository whose agent is a program.
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

// inside runs warp in a project, and returns what it took.
func (b *bench) inside(root string, args ...string) (spent, took time.Duration, most float64, err error) {
	cmd := exec.Command(b.warp, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+b.dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if most, err = watched(cmd); err != nil {
		return 0, 0, 0, fmt.Errorf("warp %v: %w\n%s", args, err, out.Bytes())
	}
	p := cmd.ProcessState
	return p.UserTime() + p.SystemTime(), time.Since(began), most, nil
}

// iterations: those of a short loop and of a long one, so that what a start costs
// is in neither.
func iterations(b *bench, idler string) ([]figure, error) {
	const few, many = 5, 105
	var one, bare, wall time.Duration
	for i := range 3 { // what else the machine does only adds
		root := filepath.Join(b.dir, fmt.Sprint("loop-", i))
		if err := b.workshop(root, idler); err != nil {
			return nil, err
		}
		a, t, _, err := b.inside(root, "loop", "few", "Do it", "--max", fmt.Sprint(few))
		if err != nil {
			return nil, err
		}
		z, u, _, err := b.inside(root, "loop", "many", "Do it", "--max", fmt.Sprint(many))
		if err != nil {
			return nil, err
		}
		l, err := b.bareLoop(idler, many-few)
		if err != nil {
			return nil, err
		}
		if n := (z - a) / (many - few); i == 0 || n-l < one-bare {
			one, bare, wall = n, l, (u-t)/(many-few)
		}
	}
	return []figure{
		{name: "CPU of an iteration beside its agent, git included", value: ms(one - bare), unit: "ms", most: 10},
		{name: "CPU of a bare loop's round with the same agent", value: ms(bare), unit: "ms"},
		{name: "an iteration by the clock: no sleep, but the disk's syncs", value: ms(wall), unit: "ms", most: 500},
	}, nil
}

// bareLoop is the CPU of one round of a loop that does nothing but run the agent.
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

// aging: a loop of ten thousand iterations is run by the engine itself, with an
// agent that is a function and files in memory where there is such a place; then
// the real warp goes on with it, and with one that is young.
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
		{name: "warp going on after 10,000 iterations, against after 10", value: ratios[0], unit: "x", most: 2},
	}, nil
}

// age runs a loop, and returns the CPU that was spent by the end of each iteration.
func (b *bench) age(root string, iterations int) ([]time.Duration, error) {
	answer, err := lossless.Parse([]byte(`{"summary":"did a part of it, and left the rest","plateau":false,"learnings":["a lesson of this iteration"]}`))
	if err != nil {
		return nil, err
	}
	settings := []pipeline.Setting{{Key: "prompt", Value: "Do it", Flag: "--prompt"}, {Key: "runs", Value: fmt.Sprint(iterations), Flag: "--max"}}
	plan, problems := pipeline.Single("s", settings, pipeline.Outside{})
	if len(problems) > 0 {
		return nil, fmt.Errorf("%v", problems)
	}
	kept, err := json.Marshal(map[string]any{"task": "Do it", "settings": settings})
	if err != nil {
		return nil, err
	}
	var marks []time.Duration
	e := &engine.Engine{
		Store: durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()}), Root: root,
		Agents: func(string) (engine.Agents, error) { return instant{answer}, nil },
		Redact: func(s string) string { return s }, Now: time.Now, Process: step.Process{PID: os.Getpid(), Host: "bench"},
		Passed: func(point string) {
			if point == "iteration_completed" {
				marks = append(marks, cpu())
			}
		},
	}
	s, err := e.Run(context.Background(), engine.Job{Name: "s", Plan: plan, Loop: true, Task: "Do it", Files: map[string][]byte{"session.json": kept}})
	if err == nil && s.IterationCompleted != iterations {
		err = fmt.Errorf("%d iterations, not %d", s.IterationCompleted, iterations)
	}
	return marks, err
}

// together: 200 sessions that were broken off, gone on with by one process, and by
// one each.
func together(b *bench, idler string) ([]figure, error) {
	const sessions, rounds = 200, 3
	var figures []figure
	for _, apart := range []bool{false, true} {
		root := filepath.Join(b.dir, fmt.Sprint("apart-", apart))
		if err := b.workshop(root, idler); err != nil {
			return nil, err
		}
		names, err := broken(root, sessions, rounds)
		if err != nil {
			return nil, err
		}
		var took time.Duration
		var most float64
		if apart {
			took, most, err = b.each(root, names)
		} else {
			_, took, most, err = b.inside(root, "sessions", "resume", "--all")
		}
		if err != nil {
			return nil, err
		}
		if err := complete(root, names, rounds); err != nil {
			return nil, err
		}
		if apart {
			figures = append(figures, figure{name: "the same by 200 processes: memory of all of them together", value: most, unit: "MB"},
				figure{name: "the same by 200 processes: time", value: took.Seconds(), unit: "s"})
		} else {
			figures = append(figures, figure{name: "200 sessions side by side in one process: memory", value: most, unit: "MB", most: 300},
				figure{name: "200 sessions of 3 iterations in one process: time", value: took.Seconds(), unit: "s"})
		}
	}
	return figures, nil
}

// broken makes sessions that were broken off before their first iteration.
func broken(root string, sessions, rounds int) (names []string, err error) {
	store := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})
	for i := range sessions {
		name := fmt.Sprintf("s%03d", i)
		names = append(names, name)
		dir := filepath.Join(root, ".claude", session.Dir(name))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		text := fmt.Sprintf(`{"task":"Do it","settings":[{"Key":"prompt","Value":"Do it","Flag":"--prompt"},{"Key":"runs","Value":"%d","Flag":"--max"}]}`, rounds)
		if err := os.WriteFile(filepath.Join(dir, "session.json"), []byte(text), 0o644); err != nil {
			return nil, err
		}
		if _, err := engine.Open(store, name).Update(func(tx *durable.Tx[session.State]) (err error) {
			tx.Doc, err = session.Begin(session.Beginning{Session: name}, time.Now())
			return err
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// each goes on with sessions, each in a process of its own, all at once.
func (b *bench) each(root string, names []string) (took time.Duration, most float64, err error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	began := time.Now()
	for _, name := range names {
		wait.Go(func() {
			_, _, peak, bad := b.inside(root, "sessions", "resume", name)
			mu.Lock()
			defer mu.Unlock()
			most += peak
			if bad != nil {
				err = bad
			}
		})
	}
	wait.Wait()
	return time.Since(began), most, err
}

// complete makes sure that sessions have ended as they should, and that anybody
// can read their files.
func complete(root string, names []string, rounds int) error {
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, ".claude", session.File(name)))
		var s struct {
			Status    string            `json:"status"`
			Completed int               `json:"iteration_completed"`
			Reason    string            `json:"completion_reason"`
			History   []json.RawMessage `json:"history"`
		}
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", name, err)
		}
		if s.Status != "complete" || s.Completed != rounds || s.Reason != "max_iterations" || len(s.History) != rounds {
			return fmt.Errorf("session %s: %+v", name, s)
		}
	}
	return nil
}
