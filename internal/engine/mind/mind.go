package mind

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Name is the agent's name in evidence for a mind that is not run by the engine.
const Name = "session"

const (
	lookAgain = 100 * time.Millisecond
	countUp   = 15 * time.Second // how often to check what the session has used
	// reminders is how often a reply without any work is sent back.
	reminders = 2
)

// Mind is the engine's side of a desk. It runs tasks like an agent's runner.
type Mind struct {
	Desk    Desk
	Now     func() time.Time
	Started durable.Started
	// Took is called when another session has taken over the drive; may be nil.
	Took func(Who) error
	// Changed reports whether the work tree has changed since the last call.
	Changed func() bool
	// Used returns what a session has used since a time; nil: unknown.
	Used func(ctx context.Context, session string, since time.Time) agent.Usage

	mu      sync.Mutex
	board   Board
	since   time.Time   // when the session took over the drive
	counted agent.Usage // what it has used since then, as reported by earlier tasks
}

// Open puts up the board.
func (m *Mind) Open(b Board) error {
	old, _ := m.Desk.Read() // earlier requests are never replied to again
	m.since = m.Now()
	return m.post(func(now *Board) {
		*now = b
		now.Turn, now.Standing, now.Since = old.Turn, Working, m.Now()
	})
}

// Doing shows what is in progress, in words for people.
func (m *Mind) Doing(what string) {
	_ = m.post(func(b *Board) { // only warp next's output depends on it
		if b.Doing != what {
			b.Doing, b.Since = what, m.Now()
		}
	})
}

// Name shows what is being worked on.
func (m *Mind) Name(issue, title string) {
	_ = m.post(func(b *Board) { b.Issue, b.Title = issue, title }) // likewise
}

// Reach shows where the drive is.
func (m *Mind) Reach(where string) {
	_ = m.post(func(b *Board) { b.Where = where }) // likewise
}

// Ask shows a question while it is open; nil: it is answered.
func (m *Mind) Ask(q *Question) {
	_ = m.post(func(b *Board) { // the inbox has it as well
		b.Question, b.Standing = q, Working
		if q != nil {
			b.Standing = Asking
		}
	})
}

// Close shows that the engine has ended, with an exit code.
func (m *Mind) Close(code int) error {
	return m.post(func(b *Board) {
		b.Standing, b.Code, b.Wanted, b.Question, b.Doing = Over, code, nil, nil, ""
	})
}

// Who returns the present mind.
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

// Run has the mind do a task. It sends back a reply that lacks what was asked for.
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

// judge takes the result from a reply, and returns what is missing.
func (m *Mind) judge(t agent.Task, r Reply) (result *lossless.Value, missing string) {
	if len(r.Result) > 0 {
		v, err := lossless.Parse(r.Result)
		if err != nil {
			return nil, "the result is not JSON: " + err.Error()
		}
		if why := answer.Valid(t.Role, v); why != "" {
			return nil, "the result does not have the requested form: " + why
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

// wait puts a task on the board and waits for the reply.
func (m *Mind) wait(ctx context.Context, t agent.Task, note string, took func() time.Duration) (r Reply, end agent.End, why string, err error) {
	turn := 0
	err = m.post(func(b *Board) {
		b.Turn++
		turn = b.Turn
		b.Standing, b.Wanted, b.Doing, b.Since = Wanting, &Wanted{Role: t.Role, Prompt: t.Prompt, Note: note}, "", m.Now()
	})
	defer func() {
		_ = m.post(func(b *Board) { b.Standing, b.Wanted, b.Since = Working, nil, m.Now() }) // best effort: it was written a moment ago
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
			return r, agent.TimedOut, fmt.Sprintf("it ran out of time (%v)", t.Timeout), nil
		case m.Who().IsGone(m.Started), m.Desk.isGone():
			return r, agent.Away, "the session that should do it has ended", nil
		case now.Sub(counted) > countUp:
			counted = now
			if _, left := t.Budget.Left(m.used(ctx).Spent()); !left {
				return r, agent.Budgeted, "the budget was reached while it worked", nil
			}
		}
		_ = proc.Pause(ctx, lookAgain) // an interrupted wait is noticed above
	}
	return r, agent.Crashed, "", err
}

// keep puts the board up again if something else replaced it: a refused engine left its own, or a
// write was cut short. Without the board no reply would ever come.
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

// used returns what the session has used that no earlier task has reported. A transcript is written
// with a delay: what is missing now comes with the next task.
func (m *Mind) used(ctx context.Context) agent.Usage {
	u := agent.Usage{Priced: true}
	if who := m.Who(); m.Used != nil && who.Session != "" {
		u = m.Used(context.WithoutCancel(ctx), who.Session, m.since)
		// A briefly unreadable transcript reports less than before: no number may be negative.
		u.Input, u.Output = max(0, u.Input-m.counted.Input), max(0, u.Output-m.counted.Output)
		u.CacheRead, u.CacheWrite = max(0, u.CacheRead-m.counted.CacheRead), max(0, u.CacheWrite-m.counted.CacheWrite)
		u.MicroUSD = max(0, u.MicroUSD-m.counted.MicroUSD)
	}
	return u
}
