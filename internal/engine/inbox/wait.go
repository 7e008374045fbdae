package inbox

import (
	"context"
	"os"
	"time"

	"warp/internal/core/questions"
)

// look is how often the document is looked at while a caller waits: a look is
// one question to the file system, and the file is read only when it changed.
const look = 300 * time.Millisecond

// Ask puts a question and waits for its answer, as long as it may take; false:
// no answer came in time, or the context ended. An answer that came late to an
// earlier asking is there at once. What is returned counts as taken.
func (i *Inbox) Ask(ctx context.Context, q questions.Question, wait time.Duration) (questions.Item, bool, error) {
	put, err := i.Put(q, wait)
	if err != nil {
		return put, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if i.Terminal != nil && !put.Answered() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if said, ok := i.Terminal(ctx, put); ok {
				_, _ = i.Answer(put.ID, said, "terminal") // if another answer was faster, it counts
			}
		}()
		defer func() { cancel(); <-done }()
	}
	it, ok, err := i.Wait(ctx, put)
	if !ok || err != nil {
		return it, false, err
	}
	return it, true, i.Take(it.ID)
}

// Take says that the asker has the answer.
func (i *Inbox) Take(id string) error {
	return i.edit("taken", func(b *questions.Book) (*questions.Item, error) {
		b.Take(id)
		return b.Find(id), nil
	})
}

// Wait waits for the answer to a question that was put; it is not taken.
func (i *Inbox) Wait(ctx context.Context, it questions.Item) (questions.Item, bool, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var last os.FileInfo
	for {
		over := ctx.Err() != nil // looked at once more: it may have come in the last moment
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

// same reports whether a file is the one that was seen: a write replaces it.
func same(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
