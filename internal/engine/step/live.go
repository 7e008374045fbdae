package step

import (
	"sync"
	"time"

	"warp/internal/core/livestate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// livePace is the least time between two writes of the live state.
const livePace = time.Second

// Live shows what the engine with a lease does, in a file that is removed with the lease. Errors
// are ignored: failing to show something must not stop the work.
type Live struct {
	store *durable.Store

	mu     sync.Mutex
	state  livestate.State
	next   *time.Timer // nil: everything is written
	last   time.Time   // last write
	closed bool
	runs   int
	tell   func(doing string, tokens, microUSD int64)

	writing sync.Mutex
}

// Tell calls tell with each write, too.
func (l *Live) Tell(tell func(doing string, tokens, microUSD int64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell = tell
}

// Set changes what is shown. A nil Live shows nothing.
func (l *Live) Set(change func(*livestate.State)) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.state)
	if l.next == nil && !l.closed {
		l.next = time.AfterFunc(max(0, livePace-time.Since(l.last)), l.write)
	}
}

func (l *Live) write() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	l.next, l.last = nil, time.Now()
	l.state.At = l.last
	text, err := l.state.Encode()
	closed, tell := l.closed, l.tell
	doing, tokens, money := l.state.Headline(), l.state.Tokens, l.state.MicroUSD
	l.mu.Unlock()
	if err == nil && !closed {
		_ = l.store.Show(livestate.File(l.state.Name), text)
	}
	if tell != nil && !closed {
		tell(doing, tokens, money)
	}
}

// close removes the file.
func (l *Live) close() {
	l.mu.Lock()
	l.closed = true
	if l.next != nil {
		l.next.Stop()
		l.next = nil
	}
	l.mu.Unlock()
	l.writing.Lock() // waits for a write in progress
	defer l.writing.Unlock()
	l.store.Unshow(livestate.File(l.state.Name))
}

// showRun shows an agent's run until it is over.
func (t *Taker) showRun(s *Step) (over func()) {
	l := t.Live
	if l == nil {
		return func() {}
	}
	t.ShowBounds(s.Until)
	var id int
	l.Set(func(st *livestate.State) {
		l.runs++
		id = l.runs
		st.Begin(livestate.Agent{ID: id, Agent: s.Agent, Role: string(s.Role), Work: s.Row.Phase, Since: t.Now()})
	})
	if s.Hidden {
		return func() { l.Set(func(st *livestate.State) { st.End(id) }) }
	}
	s.Heard = func(name string, e agent.Event) {
		l.Set(func(st *livestate.State) { showEvent(st, id, name, e, t.Now()) })
	}
	return func() { l.Set(func(st *livestate.State) { st.End(id) }) }
}

// ShowBounds shows the limits of the whole work, and when its time is up: by its limit, or at until
// if earlier and not zero.
func (t *Taker) ShowBounds(until time.Time) {
	now, whole := t.Now(), t.Bounds.outermost()
	spent, limit := whole.Spent(now), whole.limit()
	caps := livestate.Caps{MicroUSD: limit.MicroUSD, Tokens: limit.Tokens, Seconds: limit.Time.Seconds(), Ends: until}
	if end := now.Add(limit.Time - spent.Time); limit.Time > 0 && (until.IsZero() || end.Before(until)) {
		caps.Ends = end
	}
	t.Live.Set(func(st *livestate.State) {
		st.Caps = caps
		st.MicroUSD, st.Tokens = max(st.MicroUSD, spent.MicroUSD), max(st.Tokens, spent.Tokens)
	})
}

// tellWait reports what a step waits for; a zero Wait means nothing any more.
func (t *Taker) tellWait(w agent.Wait) {
	t.Live.Set(func(st *livestate.State) {
		st.Wait = nil
		if w != (agent.Wait{}) {
			st.Wait = &livestate.Wait{Why: w.Why, Until: w.Until}
		}
	})
	if t.Waiting != nil {
		t.Waiting(w)
	}
}

// showEvent adds one event of an agent's stream to the live state.
func showEvent(st *livestate.State, id int, name string, e agent.Event, now time.Time) {
	st.Update(id, func(a *livestate.Agent) {
		a.Agent = name
		if e.Usage != nil {
			// The engine's sum grows with its agents; what it has recorded itself is added with its
			// next run.
			st.Tokens += e.Usage.Tokens() - a.Tokens
			st.MicroUSD += e.Usage.MicroUSD - a.MicroUSD
			a.Tokens, a.MicroUSD = e.Usage.Tokens(), e.Usage.MicroUSD
		}
		switch e.Kind {
		case "tool":
			a.Tool = e.Tool
			st.Say(now, "tool", e.Tool+" "+e.Text)
		case "text", "result":
			a.Said, a.Tool = e.Text, ""
			st.Say(now, "said", e.Text)
		case "note", "limit":
			st.Say(now, e.Kind, e.Text)
		}
	})
	for _, w := range e.Windows {
		st.Set(livestate.Window{Name: w.Name, Percent: w.Percent, Reset: w.Reset})
	}
}
