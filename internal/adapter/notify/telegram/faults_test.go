package telegram_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/adapter/notify/telegram"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/engine/notify"
	"warp/internal/testkit/faultfs"
	mock "warp/internal/testkit/telegram"
)

const (
	token = "123456:AAbbCCddEE"
	chat  = int64(4711)
)

// side is one process at a time on a disk that outlives it, and the chat.
type side struct {
	t      *testing.T
	fs     *faultfs.FS
	store  *durable.Store
	server *mock.Server
	pid    int
	obeyed []string
	desk   *inbox.Inbox
	bridge *notify.Bridge
}

func newSide(t *testing.T) *side {
	s := &side{t: t, fs: faultfs.New(), server: mock.New(token, chat)}
	s.restart()
	return s
}

// restart ends the bridge as it is and begins another process on the same disk.
func (s *side) restart() {
	s.t.Helper()
	if s.bridge != nil {
		s.bridge.Stop()
	}
	s.pid++
	s.store = durable.New(durable.Config{Dir: "/p/.claude", FS: s.fs, Now: time.Now, PID: s.pid, SegmentSize: 64 << 10})
	ch, err := telegram.New(telegram.Config{Base: "https://telegram.invalid", Token: token, Chat: chat, Client: s.server.Transport()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.desk = inbox.Open(s.store, time.Now, inbox.Hear{})
	s.bridge = notify.New(notify.Config{
		Store: s.store, Project: "p", Channels: []notify.Channel{ch}, Desk: s.desk, Now: time.Now,
		Me: durable.Process{PID: s.pid, Host: "h"}, Started: func(int) (string, bool) { return "", true },
		Command: func(_ context.Context, word string) string {
			if word != "/status" {
				return ""
			}
			s.obeyed = append(s.obeyed, word)
			return "status: fine"
		},
	})
	s.bridge.Start(s.t.Context())
}

// until lets the side work until all is sent.
func (s *side) until() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 24*time.Hour)
	defer cancel()
	if !s.bridge.Flush(ctx) {
		s.t.Fatal("not everything was sent within a day")
	}
	synctest.Wait()
}

func (s *side) waiting() int {
	s.t.Helper()
	o, err := notify.Read(s.store, time.Now)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(o.Queue)
}

var seeds = flag.Uint64("seeds", 2, "how many different runs")

// TestNothingIsLostOrDoubled sends, asks, answers and commands while a thousand
// things go wrong: connections that break before and after the server has done
// its work, half answers, rate limits, updates that come again, processes that
// end at any point.
func TestNothingIsLostOrDoubled(t *testing.T) {
	for seed := range *seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { faulty(t, seed, 500) }) })
	}
}

func faulty(t *testing.T, seed uint64, faults int64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	s := newSide(t)
	defer func() { s.bridge.Stop() }()
	s.bridge.Notify(notify.Message{Kind: notify.Remark, Text: "hello"}) // from here on the chat's numbers are known
	s.until()

	var happened atomic.Int64
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(seed, 2))
	s.server.Fault = func(method string) mock.Fault {
		mu.Lock()
		defer mu.Unlock()
		if happened.Load() >= faults || dice.IntN(3) > 0 {
			return mock.None
		}
		happened.Add(1)
		f := mock.Fault(1 + dice.IntN(int(mock.Twice)))
		if f == mock.Twice && method != "getUpdates" {
			f = mock.LostAfter
		}
		return f
	}
	want := []string{"hello"}
	answers := map[string]string{} // question -> what was answered last
	statuses := 0
	for n := 0; happened.Load() < faults; n++ {
		text := fmt.Sprintf("[warp-drive] coding -- chunk %d/9 for #42", n%3) // the same words again and again
		want = append(want, text)
		s.bridge.Notify(notify.Message{Kind: notify.Phase, Text: text})
		switch rnd.IntN(8) {
		case 0:
			item, err := s.desk.Put(questions.Question{By: questions.Engine, Issue: "42", Chunk: n, Text: "which?", Options: []string{"a", "b"}}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			m := notify.Question(item)
			want = append(want, strings.TrimSpace(m.Text))
			s.bridge.Notify(m)
		case 1:
			s.server.Say(chat, "ann", "/status", 0)
			statuses++
		case 2:
			s.server.Say(666, "eve", "/status", 0) // a stranger, whose message has a number too
		case 3:
			s.restart()
		case 4, 5:
			s.pressSomething(rnd, answers)
		}
		for s.waiting() > rnd.IntN(20) {
			time.Sleep(time.Duration(rnd.IntN(4000)) * time.Millisecond)
		}
	}
	s.until()
	time.Sleep(5 * time.Minute) // what was said last is taken in, too
	s.until()

	var have []string
	replies := 0
	for _, text := range s.server.Texts(chat) {
		if text == "status: fine" {
			replies++
			continue
		}
		have = append(have, text)
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("%d messages, %d arrived:\n%s", len(want), len(have), d)
	}
	s.bridge.Stop()
	if replies != statuses || len(s.obeyed) != statuses {
		t.Errorf("%d commands, %d obeyed, %d replies", statuses, len(s.obeyed), replies)
	}
	if s.server.Early > 0 {
		t.Errorf("%d messages came before the pause was over", s.server.Early)
	}
	book, err := s.desk.Book()
	if err != nil {
		t.Fatal(err)
	}
	for id, last := range answers {
		if it := book.Find(id); it != nil && it.Answer != last {
			t.Errorf("%s was answered %q, want the last, %q", id, it.Answer, last)
		}
	}
	t.Logf("%d faults, %d messages, %d answers, %d commands, %d processes", happened.Load(), len(want), len(answers), statuses, s.pid)
}

// pressSomething presses a button of some question in the chat.
func (s *side) pressSomething(rnd *rand.Rand, answers map[string]string) {
	var asked []mock.Message
	for _, m := range s.server.Messages() {
		if m.Bot && m.Buttons != "" {
			asked = append(asked, m)
		}
	}
	if len(asked) == 0 {
		return
	}
	m, n := asked[rnd.IntN(len(asked))], rnd.IntN(2)
	if _, err := s.server.Press("ann", m.ID, n); err != nil {
		s.t.Fatal(err)
	}
	id := strings.Fields(m.Text)[2]
	answers[id] = []string{"a", "b"}[n]
}
