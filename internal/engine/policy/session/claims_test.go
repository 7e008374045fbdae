package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

func holder(name string) sessionstate.Holder { return sessionstate.Holder{Session: name, Place: "p"} }

// doesItems does each item that it is given.
func doesItems(_ int, t agent.Task) any {
	return result{"summary": "did it", "items_completed": t.Criteria}
}

// killedWithClaim is a session that dies while it holds an item.
func (p *yard) killedWithClaim(name string) Job {
	p.Helper()
	j := p.loop("until", "queue work")
	j.Name = name
	p.crash = "item_claimed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		p.Fatal(err)
	}
	p.crash = ""
	return j
}

// Whatever died, the next start of another session gives back what it had claimed: an
// item of a dead session was nobody's for ever (issue #16).
func TestClaimsOfDeadSessionsAreGivenBack(t *testing.T) {
	for name, gone := range map[string]bool{"its folder is there": false, "its folder was removed": true} {
		t.Run(name, func(t *testing.T) {
			p := newYard(t, doesItems)
			p.items = []Item{{ID: "a"}, {ID: "b"}}
			p.killedWithClaim("dead")
			p.wants(p.taken, map[string]sessionstate.Holder{"a": holder("dead")})
			j := p.loop("until", "queue work")
			if gone {
				if err := os.RemoveAll(filepath.Join(p.root, ".claude/pipeline-runs/dead")); err != nil {
					t.Fatal(err)
				}
			}
			s := p.run(j)
			p.wants(came(s)+" "+s.History[0].Item, "complete queue-empty a")
			p.wants(len(p.items)+len(p.taken), 0)
		})
	}
	t.Run("by a session without a queue", func(t *testing.T) {
		p := newYard(t, doesItems)
		p.items = []Item{{ID: "a"}}
		p.killedWithClaim("dead")
		p.run(p.loop("until", "fixed 1"))
		p.wants(p.taken, map[string]sessionstate.Holder{})
	})
}

// A session that lives keeps what it has, and one of another clone or work tree, too.
func TestClaimsOfTheLivingAreLeftAlone(t *testing.T) {
	p := newYard(t, doesItems)
	p.items = []Item{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}
	elsewhere := sessionstate.Holder{Session: "s", Place: "elsewhere"}
	p.taken = map[string]sessionstate.Holder{"a": holder("alive"), "b": elsewhere, "c": {Session: "s", Place: "p.removed"}}
	e := p.engine()
	if _, _, err := e.Store.Acquire("alive", step.Process{PID: os.Getpid(), Host: "here"}.Holder(), proc.Started); err != nil {
		t.Fatal(err)
	}
	s := p.run(p.loop("until", "queue work"))
	p.wants(fmt.Sprint(came(s), len(s.History), s.History[0].Item), "complete queue-empty2c")
	p.wants(p.taken, map[string]sessionstate.Holder{"a": holder("alive"), "b": elsewhere})
}

// A session that is resumed after someone else has taken its item takes another.
func TestAnItemThatAnotherSessionTookMeanwhile(t *testing.T) {
	p := newYard(t, doesItems)
	p.items = []Item{{ID: "a"}, {ID: "b"}}
	j := p.killedWithClaim("s")
	p.taken["a"] = sessionstate.Holder{Session: "x", Place: "elsewhere"}
	j.Goes = true
	s, err := p.process(j)
	if err != nil {
		t.Fatal(err)
	}
	p.wants(len(s.History), 1)
	p.wants(s.History[0].Item, "b")
	p.wants(p.taken, map[string]sessionstate.Holder{"a": {Session: "x", Place: "elsewhere"}})
	p.wants(strings.Contains(strings.Join(p.said, "\n"), "a is claimed by warp/x@elsewhere"), true)
}

// However a session ends, it holds nothing afterwards.
func TestASessionThatFailsHoldsNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := newYard(t, func(int, agent.Task) any { stop(); return result{"summary": "not yet"} })
	p.items = []Item{{ID: "a"}}
	if _, err := p.engine().Run(ctx, p.loop("until", "queue work")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.wants(p.taken, map[string]sessionstate.Holder{})
}

// Stages of one session that run at once do not get the same item.
func TestStagesBesideEachOtherTakeDifferentItems(t *testing.T) {
	p := newYard(t, doesItems)
	p.items = []Item{{ID: "a"}, {ID: "b"}}
	s := p.run(p.stages("stages:\n  - {id: one, needs: [], until: queue work, prompt: x}\n  - {id: two, needs: [], until: queue work, prompt: x}\n"))
	done := map[string]int{}
	for _, row := range s.History {
		done[row.Item]++
	}
	p.wants(done, map[string]int{"a": 1, "b": 1})
}
