package notify

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// Desk accepts answers.
type Desk interface {
	Book() (*questions.Book, error)
	Answer(id, said, by string) (questions.Item, error)
}

// Config configures a bridge.
type Config struct {
	Store    *durable.Store // of the main work tree
	Project  string         // its name
	Channels []Channel
	Desk     Desk // nil: answers are not accepted
	// Command runs a command from a chat, such as "/status", and returns its result; "" if there is
	// no such command.
	Command func(ctx context.Context, command string) string
	Now     func() time.Time
	Me      durable.Process
	Started durable.Started
	// Trouble receives each kind of trouble once; may be nil. The outbox keeps each channel's last
	// one anyway.
	Trouble func(string)
}

// Bridge sends the outbox while it runs, and receives what people say. Its methods are safe for
// concurrent use.
type Bridge struct {
	Config
	box   box
	names []string
	stop  context.CancelFunc
	wait  sync.WaitGroup
	mu    sync.Mutex
	woken []chan struct{} // one per sender
}

// lease keeps a second bridge from sending.
const lease = "bridge"

const (
	pollEvery   = time.Second      // between polls for other processes' messages
	retryLease  = 5 * time.Second  // between tries to get the lease
	firstWait   = time.Second      // after a failure; doubled each time
	maxWait     = time.Minute      // limit of the doubling
	untilFix    = 2 * time.Minute  // if a person has to fix something
	commandTime = 30 * time.Second // for one command
)

// New returns a bridge that is not running yet.
func New(c Config) *Bridge {
	b := &Bridge{Config: c, box: openBox(c.Store, c.Now)}
	for _, ch := range c.Channels {
		b.names = append(b.names, ch.Name())
		b.woken = append(b.woken, make(chan struct{}, 1))
	}
	return b
}

// Notify puts a message into the outbox. It is durable when Notify returns, and is sent when
// possible.
func (b *Bridge) Notify(m Message) {
	if err := b.box.post(b.names, m); err != nil {
		b.trouble(err.Error())
	}
	b.wake()
}

// Start starts sending, as soon as no other process does.
func (b *Bridge) Start(ctx context.Context) {
	if len(b.Channels) == 0 {
		return
	}
	ctx, b.stop = context.WithCancel(ctx)
	b.wait.Go(func() { b.run(ctx) })
}

// Stop ends the bridge. Unsent messages stay in the outbox.
func (b *Bridge) Stop() {
	if b.stop != nil {
		b.stop()
	}
	b.wait.Wait()
	for _, ch := range b.Channels {
		if c, ok := ch.(io.Closer); ok {
			_ = c.Close() // idle connections
		}
	}
}

// Flush waits until everything is sent, or the context ends. It reports whether everything was.
func (b *Bridge) Flush(ctx context.Context) bool {
	for {
		o, err := b.box.read()
		if err == nil && !b.hasUnsent(o) {
			return true
		}
		if proc.Pause(ctx, pollEvery/4) != nil {
			return false
		}
	}
}

func (b *Bridge) hasUnsent(o *Outbox) bool {
	for _, name := range b.names {
		if _, _, more := o.head(name); more {
			return true
		}
	}
	return false
}

// run takes the lease whenever it is free, and works while holding it.
func (b *Bridge) run(ctx context.Context) {
	for ctx.Err() == nil {
		hold, _, err := b.Store.Acquire(lease, b.Me, b.Started)
		if err != nil {
			var held *durable.LockedError
			if !errors.As(err, &held) {
				b.trouble(err.Error())
			}
			_ = proc.Pause(ctx, retryLease)
			continue
		}
		b.work(ctx, hold)
		_ = hold.Release() // a lost one is not ours to release
	}
}

func (b *Bridge) work(ctx context.Context, hold *durable.Lease) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() {
		defer done() // a process that lost the lease must stop sending
		_ = hold.Keep(ctx)
	})
	for i, ch := range b.Channels {
		wait.Go(func() { defer done(); b.send(ctx, hold, ch, b.woken[i]) })
		if l, ok := ch.(listener); ok && b.Desk != nil {
			wait.Go(func() { defer done(); b.listen(ctx, hold, l) })
		}
	}
	<-ctx.Done()
}

// wake tells the senders that there is something to send.
func (b *Bridge) wake() {
	for _, c := range b.woken {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (b *Bridge) trouble(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Trouble != nil {
		b.Trouble(text)
	}
}

// idle waits until there may be something to send: from this process, or because another one has
// changed the document.
func (b *Bridge) idle(ctx context.Context, woken chan struct{}, seen os.FileInfo) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-woken:
			return
		case <-tick.C:
			info, err := os.Lstat(b.box.doc.Path())
			if err != nil || seen == nil || !os.SameFile(info, seen) {
				return
			}
		}
	}
}
