package live_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/livestate"
	"warp/internal/ui/live"
)

// A loop is seen at work below its lines; what it does not do any more is gone.
func TestALoopIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTerminal(t, 60, 24)
		var shown atomic.Pointer[livestate.State]
		shown.Store(&livestate.State{Title: "polish", Doing: "iteration 2", Tokens: 12_345, MicroUSD: 250_000, Caps: livestate.Caps{MicroUSD: 2_000_000},
			Agents: []livestate.Agent{{Agent: "claude", Role: "iterate", Tool: "Bash", Said: "I look\x1b[2J first."}}})
		v := live.NewEngines(s, live.Options{Terminal: true, Size: s.size, Now: now}, func() []livestate.State { return []livestate.State{*shown.Load()} })
		fmt.Fprintf(v, "one\ntwo\n")
		frames(3 * time.Second)
		want(t, s.seen(), `
one
two
⠋ polish: iteration 2
  claude (iterate)  Bash
  “I look\u001b[2J first.”
  12k tokens · $0.25 of $2.00 · 3s
`)
		waits := *shown.Load()
		waits.Agents, waits.Wait = nil, &livestate.Wait{Why: "usage limit", Until: now().Add(10 * time.Minute)}
		shown.Store(&waits)
		frames(time.Second)
		once(t, s.seen(), "  waiting: usage limit, until 00:10 (in 10 min)\n")
		release := v.Hold()
		frames(time.Second)
		want(t, s.seen(), "one\ntwo\n")
		fmt.Fprintf(v, "three\n")
		release()
		frames(time.Second)
		once(t, s.seen(), "three\n⠋ polish")
		v.Close()
		fmt.Fprintf(v, "the end\r\n")
		want(t, s.seen(), "one\ntwo\nthree\nthe end\n")
		v.Close()
	})
}

// Many engines leave room for their lines, and the sum stays in sight.
func TestManyLoopsFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTerminal(t, 40, 8)
		v := live.NewEngines(s, live.Options{Terminal: true, Size: s.size, Now: now}, func() (all []livestate.State) {
			for n := range 20 {
				all = append(all, livestate.State{Title: fmt.Sprint("loop ", n), MicroUSD: 10_000})
			}
			return all
		})
		fmt.Fprintf(v, "begins\n")
		frames(time.Second)
		if lines := strings.Split(strings.TrimSpace(s.seen()), "\n"); len(lines) > 7 || !strings.Contains(lines[len(lines)-1], "$0.20") {
			t.Errorf("%q", lines)
		}
		v.Close()
	})
}
