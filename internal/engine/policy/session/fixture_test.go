package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/pipeline"
	"warp/internal/core/pipeline/library"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/leak"
	"warp/internal/engine/step"
	"warp/internal/sys/seal"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
)

// yard is a repository with sessions, whose agent is a function.
type yard struct {
	*testing.T
	root  string
	clock time.Time
	pid   int
	items []Item                         // of the queue
	taken map[string]sessionstate.Holder // of them: claimed, and so not ready
	does  func(n int, t agent.Task) any
	slow  func(t agent.Task) bool // such a run goes on until it is stopped
	crash string                  // the point, as "name#2", after which the process dies
	said  []string
	died  chan struct{}
	leaks *leak.Scanner
	lands bool
	// userState is the user's state folder.
	userState string

	mu     sync.Mutex
	dead   int // the newest process that was killed
	asked  []agent.Task
	passed map[string]int
	states []sessionstate.State // after each iteration_completed
}

func newYard(t *testing.T, does func(n int, t agent.Task) any) *yard {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	root := gittest.LooseDir(t)
	p := &yard{T: t, root: root, userState: gittest.LooseDir(t), does: does, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), pid: 1 << 30, passed: map[string]int{}, taken: map[string]sessionstate.Holder{}}
	gittest.Copy(t, root, gittest.Init+"git commit -q --allow-empty -m 'chore: begin'")
	return p
}

func (p *yard) git(args ...string) string {
	p.Helper()
	out, err := exec.Command("git", append([]string{"-C", p.root}, args...)...).CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %s", args, out)
	}
	return string(out)
}

func (p *yard) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.Fatal(err)
	}
}

// make writes a file as an agent does, where it works.
func (p *yard) make(a agent.Task, name, text string) {
	p.Helper()
	path := filepath.Join(a.Dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.Error(err)
	}
}

func (p *yard) read(name string) string {
	text, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Run implements Agents.
func (p *yard) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	p.mu.Lock()
	p.asked = append(p.asked, t)
	n := len(p.asked)
	p.mu.Unlock()
	res := agent.Result{Agent: "fake", End: agent.Done}
	if p.slow != nil && p.slow(t) {
		<-ctx.Done()
		return agent.Result{Agent: "fake", End: agent.Cancelled}, ctx.Err()
	}
	switch said := p.does(n, t).(type) {
	case agent.Result:
		return said, nil
	case string:
		res.Text = said
	default:
		text, err := json.Marshal(said)
		if err != nil {
			return res, err
		}
		res.JSON, err = lossless.Parse(text)
		return res, err
	}
	return res, nil
}

func (p *yard) engine() *Engine {
	pid := p.pid
	now := func() time.Time { return p.clock }
	store := durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: now, PID: p.pid, Signer: p.key()})
	process := step.Process{PID: p.pid, Host: "here"}
	return &Engine{
		Store: store, Root: p.root, Agents: func(string) (step.Agents, error) { return p, nil },
		Claims: &Claims{Store: store, Place: "p", Process: process, Queue: func(by sessionstate.Holder, _ sessionstate.Until) (Queue, error) { return yardQueue{p, by}, nil }},
		Redact: func(s string) string { return s }, Now: now, Process: process, Checks: Checks{Environ: os.Environ(), Rooms: rooms.Open(p.T, p.root), Leaks: p.leaks}, State: p.userState, Landing: Landing{On: p.lands},
		Tell: func(n Note) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.said = append(p.said, n.Kind+" "+n.Text)
		},
		Passed: func(name string) { p.point(name, pid) },
	}
}

// key is the user's, outside of the project.
func (p *yard) key() *seal.Key {
	k, err := seal.Open(func(string) string { return "" }, p.userState)
	if err != nil {
		p.Fatal(err)
	}
	return k
}

func (p *yard) point(name string, pid int) {
	p.mu.Lock()
	if pid <= p.dead { // of its other stages, too
		p.mu.Unlock()
		select {}
	}
	p.passed[name]++
	if name == "iteration_completed" {
		p.states = append(p.states, *p.state("s"))
	}
	dies := p.crash == fmt.Sprintf("%s#%d", name, p.passed[name])
	if dies {
		p.dead = pid
	}
	p.mu.Unlock()
	if dies {
		close(p.died)
		select {} // what is dead does nothing any more
	}
}

// run takes a session to its end.
func (p *yard) run(j Job) *sessionstate.State {
	p.Helper()
	s, err := p.process(j)
	if errors.Is(err, errDied) {
		j.Goes = true
		s, err = p.process(j)
	}
	if err != nil && !(errors.As(err, new(*step.StoppedError)) && strings.HasSuffix(came(s), sessionstate.ReasonLanding)) {
		p.Fatal(err)
	}
	return s
}

func (p *yard) state(name string) *sessionstate.State {
	v, err := Open(durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: time.Now}), name).Read()
	if err != nil {
		p.Fatal(err)
	}
	return v.Doc
}

func outside() pipeline.Outside {
	return pipeline.Outside{Read: os.ReadFile, Loop: library.Loop, Agents: []string{"fake", "codex"}}
}

// stages is a pipeline that a file would describe.
func (p *yard) stages(text string) Job {
	p.Helper()
	plan, problems := pipeline.Load("p.yaml", []byte("name: p\n"+text), outside())
	if len(problems) > 0 {
		p.Fatal(problems)
	}
	return Job{Name: "s", Plan: plan, Task: "t", Files: map[string][]byte{"session.json": []byte("{}\n")}}
}

// loop is a loop as flags would describe it: key, value, and so on.
func (p *yard) loop(settings ...string) Job {
	p.Helper()
	list := []pipeline.Setting{{Key: "prompt", Value: "do", Flag: "--prompt"}}
	for s := range slices.Chunk(settings, 2) {
		list = append(list, pipeline.Setting{Key: s[0], Value: s[1], Flag: s[0]})
	}
	plan, problems := pipeline.LoadLoop("s", list, outside())
	if len(problems) > 0 {
		p.Fatal(problems)
	}
	return Job{Name: "s", Plan: plan, Loop: true, Task: "t", Files: map[string][]byte{"session.json": []byte("{}\n")}}
}

// came is how a session ended.
func came(s *sessionstate.State) string {
	reason := ""
	if s.CompletionReason != nil {
		reason = *s.CompletionReason
	}
	return s.Status + " " + reason
}

func (p *yard) wants(got, want any) {
	p.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.Errorf("got  %v\nwant %v\n%s", got, want, strings.Join(p.said, "\n"))
	}
}

type result map[string]any

var (
	plateau = result{"summary": "nothing left", "plateau": true}
	more    = result{"summary": "did something", "plateau": false}
)
