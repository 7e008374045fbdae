package inbox

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
)

// look is how often the document is polled: a poll is one stat, and the file is read only if it
// changed.
const look = 300 * time.Millisecond

// Patience is how long to wait for an answer, and what happens without one.
type Patience struct {
	Wait       time.Duration
	Seen       bool   // a person sees the question: at a terminal, or through a bridge
	Unattended string // questions.TakeDefault, questions.GiveUp, questions.KeepWaiting
}

// bound returns how long to wait: not at all for an answer that can only come later.
func (p Patience) bound() time.Duration {
	switch {
	case p.Unattended == questions.KeepWaiting:
		return questions.Forever
	case !p.Seen:
		return 0
	}
	return p.Wait
}

// Ask asks a question and waits for its answer; false if there is none, or the context ended. If p
// says so, an unanswered question gets its own default, by questions.ByDefault. A late answer to an
// earlier asking is returned at once. What is returned counts as used.
func (i *Inbox) Ask(ctx context.Context, q questions.Question, p Patience) (questions.Item, bool, error) {
	put, err := i.Put(q, p.bound())
	if err != nil {
		return put, false, err
	}
	it, ok, err := i.show(ctx, put, p.bound())
	switch {
	case err != nil, !ok && ctx.Err() != nil:
		return it, false, err
	case ok:
		it, err = i.Take(it.ID)
		return it, err == nil, err
	case p.Unattended == questions.TakeDefault && it.Default != "":
		return i.takeDefault(it)
	}
	return it, false, nil
}

// show asks the person at the terminal, and waits for an answer from anywhere.
func (i *Inbox) show(ctx context.Context, put questions.Item, bound time.Duration) (questions.Item, bool, error) {
	ctx, cancel := within(ctx, bound)
	defer cancel()
	if i.Terminal != nil && !put.Answered() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if said, ok := i.Terminal(ctx, put); ok {
				_, _ = i.Answer(put.ID, said, "terminal") // if another answer was used meanwhile, that one counts
			}
		}()
		defer func() { cancel(); <-done }()
	}
	return i.Wait(ctx, put)
}

func within(ctx context.Context, bound time.Duration) (context.Context, context.CancelFunc) {
	if bound == questions.Forever {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, bound)
}

// Take marks the answer as used, and returns it as it is now: it may have changed a moment ago.
func (i *Inbox) Take(id string) (taken questions.Item, err error) {
	err = i.edit("taken", func(b *questions.Book) (*questions.Item, error) {
		b.Take(id, i.now())
		it := b.Find(id)
		if it != nil {
			taken = *it
		}
		return it, nil
	})
	return taken, err
}

// takeDefault continues with a question's default, unless its answer came at this moment.
func (i *Inbox) takeDefault(asked questions.Item) (got questions.Item, ok bool, err error) {
	err = i.edit("default taken", func(b *questions.Book) (*questions.Item, error) {
		switch it := b.Find(asked.ID); {
		case it == nil: // withdrawn: who asked still continues with the default
			asked.Answer, asked.AnsweredBy = asked.Default, questions.ByDefault
			return nil, durable.ErrUnchanged
		case it.Answered():
			b.Take(asked.ID, i.now())
			got = *it
			return it, nil
		}
		got = b.TakeDefault(asked.ID, i.now())
		return &got, nil
	})
	if errors.Is(err, durable.ErrUnchanged) {
		return asked, true, nil
	}
	if err != nil || got.ID == "" {
		return got, false, err
	}
	if !got.Taken && i.Settled != nil {
		i.Settled(got)
	}
	return got, true, nil
}

// Attend asks the person at the terminal the questions of agents, until the context ends: an agent
// inside its run has no terminal.
func (i *Inbox) Attend(ctx context.Context) {
	if i.Terminal == nil {
		return
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	tick := time.NewTicker(look)
	defer tick.Stop()
	shown := map[string]bool{}
	var last os.FileInfo
	for {
		if info, err := os.Lstat(i.doc.Path()); err == nil && !same(info, last) {
			last = info
			pending, _ := i.Pending() // unreadable now: read at the next change
			for _, it := range pending {
				now := i.now()
				if left := it.Left(now); it.AskedBy == questions.Agent && left > 0 && !shown[it.ID] {
					shown[it.ID] = true
					wait.Go(func() { _, _, _ = i.show(ctx, it, left) }) // the asker reads the answer
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Wait waits for the answer to a question in the inbox; it does not mark it as used.
func (i *Inbox) Wait(ctx context.Context, it questions.Item) (questions.Item, bool, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var last os.FileInfo
	for {
		over := ctx.Err() != nil // checked once more: the answer may have come at the last moment
		info, err := os.Lstat(i.doc.Path())
		if err != nil || !same(info, last) {
			b, err := i.Book()
			if err != nil {
				return it, false, err
			}
			switch now := b.Find(it.ID); {
			case now == nil:
				return it, false, nil // it was forgotten and cannot be answered
			case now.Answered():
				return *now, true, nil
			}
		}
		if over {
			return it, false, nil
		}
		last = info
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// same reports whether a file is the one seen before: a write replaces it.
func same(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
