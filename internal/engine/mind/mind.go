package mind

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Name is what the evidence calls a mind that is no agent of the engine's.
const Name = "session"

const (
	lookAgain = 100 * time.Millisecond
	countUp   = 15 * time.Second // between two looks at what the session has used
	// reminders is how often a reply that nothing was done for is sent back.
	reminders = 2
)

// Mind is the engine's side of a desk. It runs tasks as an agent's runner does.
type Mind struct {
	Desk    Desk
	Now     func() time.Time
	Started durable.Started
	// Took is told of another session that has taken the drive up; nil: it is not wanted.
	Took func(Who) error
	// Changed tells whether the work tree is another than at the last call.
	Changed func() bool
	// Used is what a session has used since a time; nil: it is not known.
	Used func(ctx context.Context, session string, since time.Time) agent.Usage
	// Watch sees what is used; nil: it is not wanted.
	Watch func(agent.Event)

	mu      sync.Mutex
	board   Board
	since   time.Time   // when the session took the drive up
	counted agent.Usage // what it has used from then on, as far as earlier tasks have told
}

// Open puts the board up.
func (m *Mind) Open(b Board) error {
	old, _ := m.Desk.Read() // what was wanted before is never replied to again
	m.since = m.Now()
	return m.post(func(now *Board) {
		*now = b
		now.Turn, now.Standing, now.Since = old.Turn, Working, m.Now()
	})
}

// Doing says what is under way, in words for people.
func (m *Mind) Doing(what string) {
	_ = m.post(func(b *Board) { // only what warp next says depends on it
		if b.Doing != what {
			b.Doing, b.Since = what, m.Now()
		}
	})
}

// Name says what is worked on.
func (m *Mind) Name(issue, title string) {
	_ = m.post(func(b *Board) { b.Issue, b.Title = issue, title }) // likewise
}

// Reach says where the drive is.
func (m *Mind) Reach(where string) {
	_ = m.post(func(b *Board) { b.Where = where }) // likewise
}

// Ask shows a question for as long as it is open; nil: it is answered.
func (m *Mind) Ask(q *Question) {
	_ = m.post(func(b *Board) { // the inbox has it as well
		b.Question, b.Standing = q, Working
		if q != nil {
			b.Standing = Asking
		}
	})
}

// Close says that the engine has ended, with an exit code.
func (m *Mind) Close(code int) error {
	return m.post(func(b *Board) {
		b.Standing, b.Code, b.Wanted, b.Question, b.Doing = Over, code, nil, nil, ""
	})
}

// Who is the mind, as it is now.
func (m *Mind) Who() Who {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.board.Mind
}

func (m *Mind) post(change func(*Board)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.board
	change(&m.board)
	if m.board == before {
		return nil
	}
	return m.Desk.Write(m.board)
}

// Run has the mind do a task. A reply without what was asked for is sent back.
func (m *Mind) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	awake := proc.AwakeClock(m.Now, nil)
	began := awake()
	took := func() time.Duration { return awake().Sub(began) }
	res := agent.Result{Agent: Name, Record: agent.Record{Holds: string(sandbox.Not)}}
	if m.Changed != nil {
		m.Changed()
	}
	for note, asked := "", 0; ; asked++ {
		reply, end, why, err := m.wait(ctx, t, note, took)
		res.Session, res.End, res.Why = m.Who().Session, end, why
		if err != nil || end != agent.Done {
			break
		}
		res.JSON, note = m.judge(t, reply)
		res.Invalid = note
		if note == "" || asked == reminders {
			break
		}
	}
	if res.JSON != nil {
		res.Text = res.JSON.Get("summary").Text()
	}
	res.Duration, res.Usage = took(), m.used(ctx)
	m.counted.Add(res.Usage)
	return res, ctx.Err()
}

// judge takes a result out of a reply, and says what is missing.
func (m *Mind) judge(t agent.Task, r Reply) (result *lossless.Value, missing string) {
	if len(r.Result) > 0 {
		v, err := lossless.Parse(r.Result)
		if err != nil {
			return nil, "the result is not JSON: " + err.Error()
		}
		if why := agent.Valid(t.Role, v); why != "" {
			return nil, "the result is not what was asked for: " + why
		}
		return v, ""
	}
	switch {
	case t.ReadOnly:
		return nil, "a result is needed: give it with --result"
	case m.Changed != nil && !m.Changed():
		return nil, "nothing has changed in the work tree since this was asked"
	}
	return nil, ""
}

// wait puts a task on the board until it is replied to.
func (m *Mind) wait(ctx context.Context, t agent.Task, note string, took func() time.Duration) (r Reply, end agent.End, why string, err error) {
	turn := 0
	err = m.post(func(b *Board) {
		b.Turn++
		turn = b.Turn
		b.Standing, b.Wanted, b.Doing, b.Since = Wanting, &Wanted{Role: t.Role, Prompt: t.Prompt, Note: note}, "", m.Now()
	})
	defer func() {
		_ = m.post(func(b *Board) { b.Standing, b.Wanted, b.Since = Working, nil, m.Now() }) // it was written a moment ago
	}()
	for counted := m.Now(); err == nil; {
		if err = errors.Join(m.take(m.Desk.Caller()), m.keep()); err != nil {
			break
		}
		if r, ok := m.Desk.Received(turn); ok {
			return r, agent.Done, "", nil
		}
		now := m.Now()
		switch {
		case ctx.Err() != nil:
			return r, agent.Cancelled, "it was interrupted", ctx.Err()
		case t.Timeout > 0 && took() > t.Timeout:
			return r, agent.TimedOut, fmt.Sprintf("it had %v", t.Timeout), nil
		case m.Who().IsGone(m.Started), m.Desk.isGone():
			return r, agent.Away, "the session that should do it has ended", nil
		case now.Sub(counted) > countUp:
			counted = now
			if _, left := t.Budget.Left(m.used(ctx).Spent()); !left {
				return r, agent.Budgeted, "the budget was reached while it worked", nil
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
	return r, agent.Crashed, "", err
}

// keep puts the board up again where something else was put in its place: an engine that was
// refused has left it, or a write was cut short. Without it nothing would ever be replied.
func (m *Mind) keep() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.Desk.Read(); ok && b.Engine == m.board.Engine || m.Desk.isGone() {
		return nil
	}
	return m.Desk.Write(m.board)
}

// take follows the drive to another session.
func (m *Mind) take(who Who) error {
	if who == m.Who() || who.Session == "" {
		return nil
	}
	if m.Took != nil {
		if err := m.Took(who); err != nil {
			return err
		}
	}
	m.since, m.counted = m.Now(), agent.Usage{}
	return m.post(func(b *Board) { b.Mind = who })
}

// used is what the session has used that no task before has told. A transcript is
// written a moment late: what is missing now is told with the next task.
func (m *Mind) used(ctx context.Context) agent.Usage {
	u := agent.Usage{Priced: true}
	if who := m.Who(); m.Used != nil && who.Session != "" {
		u = m.Used(context.WithoutCancel(ctx), who.Session, m.since)
		// Transcripts that cannot be read for a moment tell less than before: nothing is negative.
		u.Input, u.Output = max(0, u.Input-m.counted.Input), max(0, u.Output-m.counted.Output)
		u.CacheRead, u.CacheWrite = max(0, u.CacheRead-m.counted.CacheRead), max(0, u.CacheWrite-m.counted.CacheWrite)
		u.MicroUSD = max(0, u.MicroUSD-m.counted.MicroUSD)
	}
	if m.Watch != nil {
		m.Watch(agent.Event{Kind: "usage", Usage: &u})
	}
	return u
}
