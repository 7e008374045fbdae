package mind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
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
	// Tree returns the fingerprint of the work tree, to tell whether anything was done; "": unknown.
	Tree func() string
	// Watch is called before work is handed out, and what it returns when a reply has come: that
	// says what the session has to bring back first. May be nil.
	Watch func() (done func() string)
	// Used returns what a session has used since a time; nil: unknown.
	Used func(ctx context.Context, session string, since time.Time) agent.Usage

	mu      sync.Mutex
	board   Board
	open    []*Question // unanswered questions, oldest first
	wanting bool        // what is wanted has no reply yet
	earlier *Board      // what the engine before this one has left; nil once a task was asked for
	since   time.Time   // when the session took over the drive
	counted agent.Usage // what it has used since then, as reported by earlier tasks
}

// Open puts up the board.
func (m *Mind) Open(b Board) error {
	old, known := m.Desk.Read()
	if known && old.Wanted != nil {
		m.earlier = &old
	}
	m.since = m.Now()
	return m.post(func(now *Board) {
		*now = b
		now.Turn, now.Since = old.Turn, m.Now()
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

// Offer shows the approved issue that could follow.
func (m *Mind) Offer(issue string) {
	_ = m.post(func(b *Board) { b.Next = issue }) // likewise
}

// Reach shows where the drive is.
func (m *Mind) Reach(where string) {
	_ = m.post(func(b *Board) { b.Where = where }) // likewise
}

// Ask shows a question until hide is called. Work that is wanted stays so meanwhile: only the
// engine's own questions come first.
func (m *Mind) Ask(q Question) (hide func()) {
	_ = m.post(func(*Board) { m.open = append(m.open, &q) }) // the inbox has it as well
	return func() {
		_ = m.post(func(*Board) { m.open = slices.DeleteFunc(m.open, func(o *Question) bool { return o == &q }) }) // likewise
	}
}

// Recorded notes that the last reply is in the drive's evidence: an engine that comes after this
// one need not take it again.
func (m *Mind) Recorded() {
	_ = m.post(func(b *Board) { // at worst it is taken twice
		if !m.wanting {
			b.Wanted = nil
		}
	})
}

// Close shows that the engine has ended, with an exit code. The drive may be left unfinished: the
// next engine asks for the same again.
func (m *Mind) Close(code int, unfinished bool) error {
	return m.post(func(b *Board) {
		b.Standing, b.Code, b.Doing, m.open = Over, code, "", nil
		if !unfinished {
			b.Wanted = nil
		}
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
	m.board.settle(m.open, m.wanting)
	if m.board == before {
		return nil
	}
	return m.Desk.Write(m.board)
}

// Reminds reports that a mind is asked again while it works on a task.
func (m *Mind) Reminds() bool { return true }

// Run has the mind do a task. It sends back a reply that lacks what was asked for.
func (m *Mind) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	awake := proc.AwakeClock(m.Now, nil)
	began := awake()
	took := func() time.Duration { return awake().Sub(began) }
	res := agent.Result{Agent: Name, Record: agent.Record{Holds: string(sandbox.Not)}}
	r := m.request(t)
	done := func() string { return "" }
	if m.Watch != nil {
		done = m.Watch()
	}
	for asked := 0; ; asked++ {
		reply, end, why, err := m.wait(ctx, t, r, took)
		res.Session, res.End, res.Why = m.Who().Session, end, why
		left := done()
		if err != nil || end != agent.Done {
			break
		}
		note := ""
		res.JSON, note = m.judge(t, reply, &r)
		res.Invalid = note
		if left != "" {
			note = left
		}
		if note == "" || asked == reminders {
			break
		}
		if r.note = note; r.again { // the reply was to an engine that had ended: it may only have asked what comes next
			r.again, r.note, asked = false, "", -1
		}
	}
	if res.JSON != nil {
		res.Text = res.JSON.Get("summary").Text()
	}
	res.Duration, res.Usage = took(), m.used(ctx)
	m.counted.Add(res.Usage)
	return res, ctx.Err()
}

// request is how a task is asked for.
type request struct {
	note  string // why it is asked again
	tree  string // the work tree that a reply without a result has to change
	again bool   // an engine that has ended asked for it already: a reply to that one counts
}

// request returns how to ask for a task: as the engine before this one did, if it ended meanwhile.
// What was done for that one counts.
func (m *Mind) request(t agent.Task) request {
	was := m.earlier
	m.earlier = nil
	if was == nil || was.Turn == 0 || was.Wanted.Role != t.Role {
		return request{tree: m.tree()}
	}
	return request{tree: was.Wanted.Tree, again: was.Wanted.Prompt == t.Prompt}
}

func (m *Mind) tree() string {
	if m.Tree == nil {
		return ""
	}
	return m.Tree()
}

// judge takes the result from a reply, and returns what is missing.
func (m *Mind) judge(t agent.Task, reply Reply, r *request) (result *lossless.Value, missing string) {
	if len(reply.Result) > 0 {
		v, err := lossless.Parse(reply.Result)
		if err != nil {
			return nil, "the result is not JSON: " + err.Error()
		}
		if why := answer.Valid(t.Role, v); why != "" {
			return nil, "the result does not have the requested form: " + why
		}
		v = answer.Name(t.Role, t.Criteria, v)
		if left := answer.Unjudged(t.Criteria, v); t.Role == agent.Verify && len(left) > 0 {
			return v, "the result has no verdict on " + strings.Join(left, ", ")
		}
		if !t.ReadOnly && v.Get("decision") == nil && v.Get("objection") == nil && answer.Asks(v.Get("summary").Text()) {
			return v, `the summary asks something. Ask the person with "decision", or say it without a question`
		}
		return v, ""
	}
	if t.ReadOnly {
		return nil, "a result is needed: give it with --result"
	}
	now := m.tree()
	unchanged := now != "" && now == r.tree
	if r.tree = now; unchanged {
		return nil, "nothing has changed in the work tree since this was asked. Say why with --result:\n" + strings.TrimSuffix(prompt.Render("idle", map[string]any{"Iterates": false, "Judged": t.Role == agent.Fix, "Asks": false}), ".\n")
	}
	return nil, ""
}

// wait puts a task on the board and waits for the reply.
func (m *Mind) wait(ctx context.Context, t agent.Task, r request, took func() time.Duration) (reply Reply, end agent.End, why string, err error) {
	turn := 0
	err = m.post(func(b *Board) {
		if !r.again {
			b.Turn++
		}
		turn, m.wanting = b.Turn, true
		b.Wanted, b.Doing, b.Since = &Wanted{Role: t.Role, Prompt: t.Prompt, Note: r.note, Tree: r.tree}, "", m.Now()
	})
	defer func() {
		_ = m.post(func(b *Board) { // best effort: it was written a moment ago
			if m.wanting = false; end == agent.TimedOut || end == agent.Budgeted {
				b.Wanted = nil
			}
			b.Since = m.Now()
		})
	}()
	for counted := m.Now(); err == nil; {
		if err = errors.Join(m.take(m.Desk.Caller()), m.keep()); err != nil {
			break
		}
		if got, ok := m.Desk.Received(turn); ok {
			return got, agent.Done, "", nil
		}
		now := m.Now()
		switch {
		case ctx.Err() != nil:
			return reply, agent.Cancelled, "it was interrupted", ctx.Err()
		case t.Timeout > 0 && took() > t.Timeout:
			return reply, agent.TimedOut, fmt.Sprintf("it ran out of time (%v)", t.Timeout), nil
		case m.Who().IsGone(m.Started), m.Desk.isGone():
			return reply, agent.Away, "the session that should do it has ended", nil
		case now.Sub(counted) > countUp:
			counted = now
			if _, left := t.Budget.Left(m.used(ctx).Spent()); !left {
				return reply, agent.Budgeted, "the budget was reached while it worked", nil
			}
		}
		_ = proc.Pause(ctx, lookAgain) // an interrupted wait is noticed above
	}
	return reply, agent.Crashed, "", err
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
	var u agent.Usage // without a transcript, nothing is known
	if who := m.Who(); m.Used != nil && who.Session != "" {
		u = m.Used(context.WithoutCancel(ctx), who.Session, m.since)
		u.Priced = u.Priced && u.Tokens() > 0
		// A briefly unreadable transcript reports less than before: no number may be negative.
		u.Input, u.Output = max(0, u.Input-m.counted.Input), max(0, u.Output-m.counted.Output)
		u.CacheRead, u.CacheWrite = max(0, u.CacheRead-m.counted.CacheRead), max(0, u.CacheWrite-m.counted.CacheWrite)
		u.MicroUSD = max(0, u.MicroUSD-m.counted.MicroUSD)
	}
	return u
}
