package notify_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/notify"
)

// ear is a channel on which people have said something.
type ear struct {
	post
	said   []notify.Update
	toasts []string
}

func (e *ear) Updates(ctx context.Context, offset int64) ([]notify.Update, error) {
	if left := slices.DeleteFunc(slices.Clone(e.said), func(u notify.Update) bool { return u.ID < offset }); len(left) > 0 {
		return left, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (e *ear) Heard(_ context.Context, _ notify.Update, text string) {
	e.toasts = append(e.toasts, text)
}

// desk is an inbox that nobody else uses.
type desk struct {
	mu   sync.Mutex
	book questions.Book
}

func (d *desk) Book() (*questions.Book, error) { return &d.book, nil }

func (d *desk) Answer(id, said, by string) (questions.Item, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	it, err := d.book.Answer(id, said, by, time.Now())
	return *it, err
}

func TestWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, box, at := time.Now(), newDisk(), &desk{}
		at.book.Ask(questions.Question{By: questions.Engine, Text: "which?", Options: []string{"a", "b"}}, now, time.Hour)
		e := &ear{post: post{name: "x"}, said: []notify.Update{
			{ID: 1, At: now.Add(-6 * time.Minute), By: "ann", Text: "/stop"},
			{ID: 2, At: now.Add(-4 * time.Minute), By: "ann", Text: "/status now"},
			{ID: 3, At: now, By: "ann", Ask: "q1", Option: 2},
			{ID: 4, At: now, By: "ann", Ask: "q1", Option: 2}, // taken, and a crash kept it from being written down
			{ID: 5, At: now, By: "bob", Ask: "q1", Text: "c"},
			{ID: 6, At: now, By: "bob", Ask: "q1", Text: "a"},
			{ID: 7, At: now, By: "eve", Foreign: true, Text: "/status"},
		}}
		var obeyed []string
		b := notify.New(notify.Config{
			Store: box.store(1), Project: "p", Channels: []notify.Channel{e}, Desk: at, Now: time.Now,
			Command: func(_ context.Context, word string) string { obeyed = append(obeyed, word); return "it is " + word },
			Me:      durable.Process{PID: 1, Host: "h"}, Started: func(int) (string, bool) { return "", true },
		})
		b.Start(t.Context())
		synctest.Wait()
		b.Flush(within(t, time.Minute))
		b.Stop()
		if !slices.Equal(obeyed, []string{"/status"}) {
			t.Errorf("obeyed were %q", obeyed)
		}
		const none = `"c" is not an option of q1; choose 1 (a) or 2 (b), or reply in your own words: other: …`
		if want := []string{"", "", "q1: b", "q1: b", none, "q1: a"}; !slices.Equal(e.toasts, want) {
			t.Errorf("%q, want %q", e.toasts, want)
		}
		if got := e.texts(); len(got) != 3 || !strings.HasPrefix(got[0], "[warp-drive] /stop was sent 6m0s ago") || got[1] != "it is /status" || got[2] != "[warp-drive] "+none {
			t.Errorf("%q", got)
		}
		o, err := notify.Read(box.store(1), time.Now)
		if c, _ := o.Standing("x"); err != nil || c.Ignored != 1 || c.Offset != 8 {
			t.Errorf("%+v, %v", c, err)
		}
	})
}
