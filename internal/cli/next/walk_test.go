package next

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
	"warp/internal/turnstile"
)

// table is a drive of one task, as warp next sees it: engines in this process, one after the
// other, which ask for the task until a reply with work in it is recorded.
type table struct {
	*client
	t    *testing.T
	mu   sync.Mutex
	tree int // what was done in the work tree
	took int // replies that were recorded
	over context.CancelFunc
	all  sync.WaitGroup
}

const task = "do it"

func newTable(t *testing.T) *table {
	home := t.TempDir()
	a := &app.App{Out: io.Discard, Err: io.Discard, Dir: t.TempDir(), Env: turnstile.System(), Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }}
	x := &table{t: t, client: &client{app: a, drive: turnstile.Open(a.Dir, a.Env), desk: mind.At(home, a.Dir), Ask: Ask{Wait: time.Minute}}}
	x.launch = func([]string, []string) (int, <-chan int, error) { x.engine(false); return os.Getpid(), nil, nil }
	t.Cleanup(x.kill)
	return x
}

// engine begins an engine. It puts up a board, and asks for the task unless it is held.
func (x *table) engine(held bool) *mind.Mind {
	ctx, over := context.WithCancel(context.Background())
	x.over = over
	m := &mind.Mind{Desk: x.desk, Now: time.Now, Started: durable.Started(x.app.Env.Started), Tree: func() string {
		x.mu.Lock()
		defer x.mu.Unlock()
		return fmt.Sprint(x.tree)
	}}
	if err := m.Open(mind.Board{Engine: durable.Process{PID: os.Getpid()}, Issue: "1", Title: "Mail"}); err != nil {
		x.t.Fatal(err)
	}
	if held {
		return m
	}
	x.all.Go(func() {
		r, err := m.Run(ctx, agent.Task{Role: agent.Code, Prompt: task})
		if err != nil {
			return // killed
		}
		if r.Invalid == "" {
			x.mu.Lock()
			x.took++
			x.mu.Unlock()
		}
		m.Recorded()
		_ = m.Close(app.Done, false)
	})
	return m
}

// kill ends the engine without a word: its board stays as it is, and names a process that is gone.
func (x *table) kill() {
	board, known := x.desk.Read()
	if x.over != nil {
		x.over()
	}
	x.all.Wait()
	if known && board.Standing != mind.Over {
		board.Engine.Stamp = "another process, long ago"
		if err := x.desk.Write(board); err != nil {
			x.t.Error(err)
		}
	}
}

// call is one warp next, with a fresh client.
func (x *table) call(q Ask) Said {
	x.Ask = q
	if x.Wait == 0 {
		x.Wait = 20 * time.Second
	}
	said, err := x.step(x.t.Context())
	if err != nil {
		x.t.Errorf("%+v: %v", q, err)
	}
	return said
}

// Whatever the engine is at, and whatever happens, killed between or not: the mind is led on until
// its work is taken, once.
func TestEveryStandingLeadsOn(t *testing.T) {
	question := mind.Question{ID: "q7", Text: "Which?", Aside: true, By: "another"}
	standings := map[string]func(*table){
		"none":           func(*table) {},
		"working":        func(x *table) { x.engine(true) },
		"wanting unseen": func(x *table) { x.engine(false) },
		"wanting":        func(x *table) { x.engine(false); x.call(Ask{}) },
		"asked aside":    func(x *table) { x.engine(false).Ask(question); x.call(Ask{}) },
		"asked meanwhile": func(x *table) {
			m := x.engine(false)
			x.call(Ask{})
			m.Ask(question)()
		},
		"asking": func(x *table) {
			asks := question
			asks.Aside = false
			x.engine(true).Ask(asks)
			x.call(Ask{})
		},
		"replied": func(x *table) {
			x.engine(true)
			b, _ := x.desk.Read()
			b.Turn, b.Wanted = 1, &mind.Wanted{Role: agent.Code, Prompt: task, Tree: "0"}
			x.tree = 1
			if err := x.desk.Write(b); err != nil {
				x.t.Fatal(err)
			}
			if err := x.desk.Send(mind.Reply{Turn: 1}); err != nil {
				x.t.Fatal(err)
			}
		},
	}
	events := map[string]Ask{
		"a call":      {},
		"work":        {},
		"a result":    {Result: []byte(`{"summary":"done"}`)},
		"a look":      {Show: true},
		"more wanted": {More: true},
	}
	for standing, begin := range standings {
		for event, ask := range events {
			for _, killed := range []bool{false, true} {
				if !killed && (standing == "working" || standing == "asking" || standing == "replied") {
					continue // it lives, and is at something: only its next step leads on
				}
				t.Run(fmt.Sprintf("%s/%s/killed %v", standing, event, killed), func(t *testing.T) {
					t.Parallel()
					x := newTable(t)
					begin(x)
					if event == "work" {
						x.mu.Lock()
						x.tree++
						x.mu.Unlock()
					}
					if killed {
						x.kill()
					}
					said := x.call(ask)
					for n := 0; n < 5; n++ {
						x.mu.Lock()
						took := x.took
						x.mu.Unlock()
						if b, _ := x.desk.Read(); b.Standing == mind.Over || took > 0 { // its engine is about to end
							break
						}
						if strings.Contains(said.Text, "STILL RUNNING") {
							t.Errorf("nothing is at work: %s", said.Text)
						}
						x.mu.Lock()
						x.tree++ // the mind does as it is told
						x.mu.Unlock()
						said = x.call(Ask{})
					}
					x.all.Wait()
					if b, _ := x.desk.Read(); b.Standing != mind.Over || x.took != 1 {
						t.Errorf("it ends %s, with %d replies taken: %s", b.Standing, x.took, said.Text)
					}
				})
			}
		}
	}
}

// What is asked while an engine is at work does not hide what it wants, and its end does not, either.
func TestAQuestionReturnsToTheWork(t *testing.T) {
	x := newTable(t)
	m := x.engine(false)
	x.call(Ask{})
	first := m.Ask(mind.Question{ID: "q1", Text: "Which?", Aside: true})
	second := m.Ask(mind.Question{ID: "q2", Text: "What?", Aside: true})
	for _, want := range []string{"(q1), for #1: Which?", "(q2), for #1: What?", ""} {
		said := x.call(Ask{Show: true})
		if !strings.Contains(said.Text, "WANTED from you") || !strings.Contains(said.Text, want) || (want == "") == strings.Contains(said.Text, "A PERSON") {
			t.Errorf("want %q: %s", want, said.Text)
		}
		first()
		if want == "(q2), for #1: What?" {
			second()
		}
	}
	first()
}
