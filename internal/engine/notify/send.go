package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// send sends one message after the other to a channel.
func (b *Bridge) send(ctx context.Context, hold *durable.Lease, ch Channel, woken chan struct{}) {
	for failures := 0; ctx.Err() == nil; {
		seen, _ := os.Lstat(b.box.doc.Path()) // before reading, so that later changes are noticed
		o, err := b.box.read()
		if err == nil {
			err = hold.Check()
		}
		if errors.Is(err, durable.ErrLeaseLost) {
			return
		}
		var e Entry
		var at Cursor
		more := false
		if err == nil {
			e, at, more = o.head(ch.Name())
		}
		switch {
		case err != nil:
			b.trouble(err.Error())
			_ = proc.Pause(ctx, maxWait)
		case !more:
			b.idle(ctx, woken, seen)
		case b.pauseLeft(at) > 0: // the previous process was asked for this pause
			_ = proc.Pause(ctx, b.pauseLeft(at))
		default:
			if err := b.try(ctx, ch, e, at); err == nil {
				failures = 0
			} else {
				failures++
				b.saveTrouble(ctx, ch.Name(), err, failures, at.Trouble, (*Cursor).sending)
				_ = proc.Pause(ctx, after(err, failures))
			}
		}
	}
}

// try sends a message once. It records the try first, so that the next one, perhaps by another
// process, checks for it.
func (b *Bridge) try(ctx context.Context, ch Channel, e Entry, at Cursor) error {
	at, err := b.box.trying(ch.Name(), e.Seq, at)
	if err != nil || ctx.Err() != nil {
		return err
	}
	posted, _ := time.Parse(time.RFC3339, e.At)
	ref, err := ch.Send(ctx, Letter{Message: e.Message, Seq: e.Seq, At: posted, Project: b.Project, Tries: at.Tries, Floor: at.Floor})
	var refused *Refused
	if err == nil || errors.As(err, &refused) {
		b.settle(ctx, ch.Name(), e.Seq, ref, refused)
		return nil
	}
	var later *Later
	var blocked *Blocked
	if at.Tries == 1 && (errors.As(err, &later) || errors.As(err, &blocked)) {
		_ = b.box.notTried(ch.Name(), e.Seq) // otherwise it would be looked for in vain
	}
	b.savePause(ch.Name(), err)
	return err
}

// settle records that a message is done. If the disk is full, it retries the record instead of
// sending again.
func (b *Bridge) settle(ctx context.Context, name string, seq, ref int64, refused *Refused) {
	if refused != nil {
		b.trouble(fmt.Sprintf("%s %v (message %d was dropped)", name, refused, seq))
	}
	for n := 1; ; n++ {
		err := b.box.sent(b.names, name, seq, ref, refused != nil)
		if err == nil {
			return
		}
		b.trouble(err.Error())
		if proc.Pause(ctx, backOff(n)) != nil {
			return
		}
	}
}

// after returns how long to wait after a failure.
func after(err error, failures int) time.Duration {
	var later *Later
	var blocked *Blocked
	switch {
	case errors.As(err, &later):
		return max(later.After, firstWait)
	case errors.As(err, &blocked):
		return untilFix
	}
	return backOff(failures)
}

func backOff(failures int) time.Duration {
	return min(maxWait, firstWait<<min(failures-1, 10))
}

// savePause saves a pause that a channel asked for: it may outlast the process.
func (b *Bridge) savePause(name string, err error) {
	if later, is := errors.AsType[*Later](err); is {
		until := b.Now().Add(later.After).UTC().Format(time.RFC3339Nano)
		_ = b.box.edit("paused", func(o *Outbox) { o.cursor(name).Until = until }) // this process observes it anyway
	}
}

// pauseLeft returns what is left of a pause.
func (b *Bridge) pauseLeft(at Cursor) time.Duration {
	until, err := time.Parse(time.RFC3339, at.Until)
	if err != nil {
		return 0
	}
	return until.Sub(b.Now())
}

// unreportedFailures is the number of failures that are not reported.
const unreportedFailures = 2

// saveTrouble saves what is wrong for warp rdb status. has is what is saved now.
func (b *Bridge) saveTrouble(ctx context.Context, name string, err error, failures int, has string, field func(*Cursor) *string) {
	var blocked *Blocked
	if ctx.Err() != nil || failures <= unreportedFailures && !errors.As(err, &blocked) || has == err.Error() {
		return
	}
	b.trouble(name + ": " + err.Error())
	b.note(name, field, err.Error())
}

// note sets what is saved about a channel; if that fails, the next note tries again.
func (b *Bridge) note(name string, field func(*Cursor) *string, text string) {
	_ = b.box.edit("trouble", func(o *Outbox) { *field(o.cursor(name)) = text })
}

func (c *Cursor) sending() *string   { return &c.Trouble }
func (c *Cursor) listening() *string { return &c.Deaf }
