package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// A session that claims to be further than it is, by an edited file or by a row with
// a right checksum, goes on where its engine was killed.
func TestASessionThatWasForgedAfterAKillIsNotBelieved(t *testing.T) {
	for name, forge := range map[string]func(p *yard){
		"edited": func(p *yard) {
			path := ".claude/" + sessionstate.File("s")
			p.write(path, strings.NewReplacer(`"iteration_completed": 1`, `"iteration_completed": 2`, `"iteration": 1,`, `"iteration": 2,`).Replace(p.read(path)))
		},
		"through the journal": func(p *yard) {
			_, err := Open(durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: p.engine().Now, PID: 1}), "s").Update(func(tx *durable.Tx[sessionstate.State]) error {
				return tx.Doc.End(sessionstate.ReasonStopped, "forged", p.clock)
			})
			if err != nil {
				p.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newYard(t, func(int, agent.Task) any { return more })
			p.crash = "iteration_completed#1"
			job := p.stages("stages: [{id: a, prompt: x, runs: 3}]")
			if _, err := p.process(job); err != errDied {
				t.Fatal(err)
			}
			forge(p)
			job.Goes = true
			s, err := p.process(job)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.asked) != 3 || s.IterationCompleted != 3 || s.Status != sessionstate.Complete {
				t.Errorf("%d runs, %d iterations, %s", len(p.asked), s.IterationCompleted, s.Status)
			}
			if !strings.Contains(strings.Join(p.said, "\n"), "something other than warp changed state") {
				t.Errorf("not told: %q", p.said)
			}
			if kept, err := filepath.Glob(filepath.Join(p.root, ".claude", sessionstate.File("s")+".unsigned-*")); err != nil || len(kept) != 1 {
				t.Errorf("kept %q, %v", kept, err)
			}
			if _, err := os.Stat(filepath.Join(p.root, ".claude", sessionstate.File("s"))); err != nil {
				t.Error(err)
			}
		})
	}
}
