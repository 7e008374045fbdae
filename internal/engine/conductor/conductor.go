// Package conductor is a drive's side of the conversation with the worker that conducts it
// (core/conduct): it asks before each phase, push and change in the tracker.
//
// It guarantees:
//
//   - Nothing goes on before its own reply has come, whatever else is said meanwhile.
//   - One refusal ends the conversation: every later question gets it for an answer, so that
//     a caller that passes over an error does nothing further.
//   - A worker that is gone is noticed at once, and once (Lost). So is one that has not said
//     for too long that the fleet stands by the drive, unless the drive only waits.
//
// A nil *Conductor lets everything go, and costs nothing. What is done about a refusal, and
// how a process ends whose worker is gone, is left to others.
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

// maxReply bounds a line of the worker: an answer of a person is the longest.
const maxReply = 1 << 20

// ErrGone says that there is no worker any more. Nothing may be done but end.
var ErrGone = errors.New("the worker that conducts this drive is gone")

// RefusedError says that the worker does not let the drive go on.
type RefusedError struct {
	Kind conduct.Kind
	Why  string
}

func (e *RefusedError) Error() string {
	if e.Why == "" {
		return "the fleet does not let it go on"
	}
	return "the fleet does not let it go on: " + e.Why
}

// Conductor is the conversation of one drive.
type Conductor struct {
	lost func()        // called once, when the worker is gone before the end
	gone chan struct{} // closed then

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	serial  int64
	waiting map[int64]chan conduct.Reply
	phase   string
	spent   conduct.Spent
	refused *RefusedError
	over    bool          // the end was said, or the worker is gone
	good    time.Duration // that the fleet stands by the drive, from its last word; 0: it has said none
	until   time.Time
	expiry  *time.Timer
	idle    int // questions that only a person or the fleet answers: no agent works meanwhile
}

// Open begins the conversation. Lost is called from another goroutine.
func Open(in io.Reader, out io.Writer, lost func()) *Conductor {
	c := &Conductor{lost: lost, gone: make(chan struct{}), out: out, waiting: map[int64]chan conduct.Reply{}}
	go c.listen(in)
	return c
}

// listen hands replies out until the worker is gone. One that cannot be read says no more
// than that: what it wanted is not guessed.
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
	// A worker that was stopped after it was told to go on says so when it wakes up: the
	// drive may be another's by then.
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

// looks is how often, in the time that the fleet stands by it, a drive looks at the clocks.
const looks = 8

// prolong lets the drive work for as long as the fleet stands by it. A worker that was
// stopped keeps its pipes, and its drive must not go on beside the one that takes over.
func (c *Conductor) prolong(good time.Duration) {
	c.good, c.until = good, time.Now().Add(good)
	if c.expiry == nil {
		c.expiry = time.AfterFunc(good/looks, c.expire)
	}
}

// isOver tells whether the fleet may have given the drive away, by either clock: one stands
// still while the machine sleeps, the other can be set back.
func (c *Conductor) isOver() bool {
	now := time.Now()
	return c.good > 0 && (now.After(c.until) || now.Round(0).After(c.until.Round(0)))
}

// expire ends a drive that the fleet may have given away. One that waits does nothing.
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

// expect numbers what is asked, and fills in what the worker wants to know with it.
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

// fill says where the drive is, and what it has spent as far as is known here.
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

// Refused is the refusal that has ended the conversation; nil: there was none. A step that
// passed over it is not to count.
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

// Show tells what the drive does now. It is not answered.
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
		_ = c.write(s) // one that does not arrive ends the conversation
	}
}

// End says what became of the drive. The worker may leave then.
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

// write says a line. One that has no reader has no worker.
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
