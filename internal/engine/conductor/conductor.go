// Package conductor is a drive's side of the conversation with the worker that conducts it
// (core/conduct): it asks before each phase, push and change in the tracker.
//
// It guarantees:
//
//   - Nothing continues before its own reply has come, whatever else arrives meanwhile.
//   - One refusal ends the conversation: every later question gets it as an answer, so
//     that a caller that ignores an error does nothing further.
//   - A worker that is gone is noticed at once, and once (Lost). So is one that has not
//     confirmed for too long that the drive is still the fleet's, unless the drive only
//     waits.
//
// A nil *Conductor allows everything, and costs nothing. Callers decide what to do about a refusal,
// and how to end a process whose worker is gone.
package conductor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"warp/internal/core/conduct"
)

// maxReply bounds a line of the worker, in bytes: a person's answer is the longest.
const maxReply = 1 << 20

// ErrGone means that the worker is gone. The drive must end.
var ErrGone = errors.New("the worker that conducts this drive is gone")

// RefusedError reports that the worker does not let the drive continue.
type RefusedError struct {
	Kind conduct.Kind
	Why  string
}

func (e *RefusedError) Error() string {
	if e.Why == "" {
		return "the fleet does not let it continue"
	}
	return "the fleet does not let it continue: " + e.Why
}

// Conductor is the conversation of one drive.
type Conductor struct {
	lost func()        // called once, if the worker is gone before the end
	gone chan struct{} // closed then

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	serial  int64
	waiting map[int64]chan conduct.Reply
	phase   string
	spent   conduct.Spent
	refused *RefusedError
	over    bool          // the end was sent, or the worker is gone
	good    time.Duration // how long the fleet's last confirmation is valid; 0: none yet
	until   time.Time
	expiry  *time.Timer
	idle    int // open questions that only a person or the fleet answers: no agent works meanwhile
}

// Open begins the conversation. lost is called from another goroutine.
func Open(in io.Reader, out io.Writer, lost func()) *Conductor {
	c := &Conductor{lost: lost, gone: make(chan struct{}), out: out, waiting: map[int64]chan conduct.Reply{}}
	go c.listen(in)
	return c
}

// listen delivers replies until the worker is gone. An unreadable reply ends the conversation: its
// meaning is not guessed.
func (c *Conductor) listen(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxReply)
	for lines.Scan() {
		var r conduct.Reply
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			break
		}
		c.take(r)
	}
	c.lose()
}

func (c *Conductor) take(r conduct.Reply) {
	c.mu.Lock()
	if r.Good > 0 {
		c.prolong(time.Duration(r.Good) * time.Millisecond)
	}
	answer := c.waiting[r.Serial]
	// A worker that was suspended after it was told to continue says so when it wakes up: by then
	// the drive may be another's.
	late := answer != nil && c.isOver()
	if answer != nil && !late {
		delete(c.waiting, r.Serial)
		answer <- r
	}
	c.mu.Unlock()
	if late {
		c.lose()
	}
}

// looks is how often a drive checks the clocks per confirmation period.
const looks = 8

// prolong lets the drive work while the fleet's confirmation is valid. A suspended worker keeps its
// pipes, and its drive must not continue next to the one that takes over.
func (c *Conductor) prolong(good time.Duration) {
	c.good, c.until = good, time.Now().Add(good)
	if c.expiry == nil {
		c.expiry = time.AfterFunc(good/looks, c.expire)
	}
}

// isOver reports whether the fleet may have given the drive away, by either clock: one stops while
// the machine sleeps, the other can be set back.
func (c *Conductor) isOver() bool {
	now := time.Now()
	return c.good > 0 && (now.After(c.until) || now.Round(0).After(c.until.Round(0)))
}

// expire ends a drive that the fleet may have given away, unless it only waits.
func (c *Conductor) expire() {
	c.mu.Lock()
	ends := c.isOver() && c.idle == 0
	if !ends && !c.over {
		c.expiry.Reset(c.good / looks)
	}
	c.mu.Unlock()
	if ends {
		c.lose()
	}
}

// lose ends a conversation without a worker.
func (c *Conductor) lose() {
	c.mu.Lock()
	over := c.over
	c.over = true
	c.mu.Unlock()
	if over {
		return
	}
	close(c.gone)
	c.lost()
}

// Ask asks, and waits for the reply. The error is a *RefusedError, ErrGone, or the context's.
func (c *Conductor) Ask(ctx context.Context, s conduct.Say) (conduct.Reply, error) {
	if c == nil {
		return conduct.Reply{Go: true}, nil
	}
	if err := ctx.Err(); err != nil {
		return conduct.Reply{}, err
	}
	answer, err := c.expect(&s)
	if err != nil {
		return conduct.Reply{}, err
	}
	if s.Kind == conduct.Phase || s.Kind == conduct.Question {
		c.rest(1)
		defer c.rest(-1)
	}
	if err := c.write(s); err != nil {
		return conduct.Reply{}, err
	}
	select {
	case r := <-answer:
		return r, c.heed(s.Kind, r)
	case <-c.gone:
		return conduct.Reply{}, ErrGone
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, s.Serial)
		c.mu.Unlock()
		return conduct.Reply{}, ctx.Err()
	}
}

func (c *Conductor) rest(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle += n
}

// expect numbers a question, and adds what the worker wants to know.
func (c *Conductor) expect(s *conduct.Say) (<-chan conduct.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.refused != nil:
		return nil, c.refused
	case c.over:
		return nil, ErrGone
	}
	if s.Kind == conduct.Phase {
		c.phase = s.Phase
	}
	c.fill(s)
	c.serial++
	s.Serial = c.serial
	answer := make(chan conduct.Reply, 1)
	c.waiting[s.Serial] = answer
	return answer, nil
}

// fill adds the drive's phase, and its spending as far as known here.
func (c *Conductor) fill(s *conduct.Say) {
	c.spent.Tokens, c.spent.MicroUSD = max(c.spent.Tokens, s.Tokens), max(c.spent.MicroUSD, s.MicroUSD)
	s.Phase, s.Spent = c.phase, c.spent
}

func (c *Conductor) heed(kind conduct.Kind, r conduct.Reply) error {
	if r.Go {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = &RefusedError{kind, r.Why}
	}
	return c.refused
}

// Refused returns the refusal that ended the conversation, or nil. A step that ignored it must not
// count.
func (c *Conductor) Refused() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		return nil
	}
	return c.refused
}

// Show tells the worker what the drive does now. There is no reply.
func (c *Conductor) Show(what string, spent conduct.Spent) {
	if c == nil {
		return
	}
	s := conduct.Say{Kind: conduct.Live, What: what, Spent: spent}
	c.mu.Lock()
	c.fill(&s)
	over := c.over
	c.mu.Unlock()
	if !over {
		_ = c.write(s) // a failure ends the conversation
	}
}

// End reports the drive's outcome. The worker may leave then.
func (c *Conductor) End(o conduct.Outcome) error {
	s := conduct.Say{Kind: conduct.End, Outcome: &o}
	c.mu.Lock()
	c.fill(&s)
	over := c.over
	c.over = true
	c.mu.Unlock()
	if over {
		return ErrGone
	}
	return c.print(s)
}

// write sends a line. Without a reader there is no worker.
func (c *Conductor) write(s conduct.Say) error {
	if err := c.print(s); err != nil {
		c.lose()
		return ErrGone
	}
	return nil
}

func (c *Conductor) print(s conduct.Say) error {
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("telling the worker: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("telling the worker: %w", err)
	}
	return nil
}
