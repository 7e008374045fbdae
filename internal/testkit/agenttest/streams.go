package agenttest

import (
	"fmt"
	"runtime"
	"strings"

	"warp/internal/engine/agent"
)

// Long is how much a long line holds.
const Long = 5 << 20

// LongText is what a long line holds: 5 MB in which nothing repeats, as agents
// stop a model that repeats itself.
func LongText() string {
	var b strings.Builder
	for i := 0; b.Len() < Long; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()
}

func longLine(h *harness) {
	longest := 0
	h.watch = func(e agent.Event) { longest = max(longest, len(e.Text)) }
	r := h.run(h.task())
	h.want(r, agent.Done)
	if longest < 200_000 {
		h.Errorf("the longest event has %d bytes", longest)
	}
}

// Events is how many there are in a long stream.
const Events = 100_000

// kept is what a stream may leave in memory, far less than it is long.
const kept = 4 << 20

// many compares the memory in use early in the stream with that at its end.
func many(h *harness) {
	n, early, late := 0, uint64(0), uint64(0)
	h.watch = func(agent.Event) {
		switch n++; n {
		case 1000:
			early = inUse()
		case Events - 1000:
			late = inUse()
		}
	}
	r := h.run(h.task())
	h.want(r, agent.Done)
	if n < Events {
		h.Errorf("%d events were told", n)
	}
	if late > early+kept {
		h.Errorf("%d bytes in use early in the stream, %d at its end", early, late)
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// budget ends a run in its middle, and what it has spent so far is known.
func budget(h *harness) {
	t := h.task()
	t.Budget.Tokens = 2500
	r := h.run(t)
	h.want(r, agent.Budgeted)
	if got := r.Usage.Tokens(); got < 2500 || got > 10_000 {
		h.Errorf("%d tokens were spent of 2500", got)
	}
	if r.Spends() || r.JSON != nil {
		h.Errorf("%+v", r)
	}
}
