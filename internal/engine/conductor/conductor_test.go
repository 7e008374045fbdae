package conductor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"warp/internal/core/conduct"
)

// worker is the other end, in memory.
type worker struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Scanner
	read *io.PipeReader
	lost chan struct{}
}

func meet(t *testing.T) (*Conductor, *worker) {
	replies, in := io.Pipe()
	said, out := io.Pipe()
	w := &worker{t: t, in: in, out: bufio.NewScanner(said), read: said, lost: make(chan struct{}, 2)}
	t.Cleanup(func() { _ = in.Close(); _ = said.Close() })
	return Open(replies, out, func() { w.lost <- struct{}{} }), w
}

func (w *worker) hear() (s conduct.Say) {
	w.t.Helper()
	if !w.out.Scan() {
		w.t.Error("it said nothing more")
	} else if err := json.Unmarshal(w.out.Bytes(), &s); err != nil {
		w.t.Error(err)
	}
	return s
}

func (w *worker) reply(r conduct.Reply) {
	w.t.Helper()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = w.in.Write(append(line, '\n'))
	}
	if err != nil {
		w.t.Error(err)
	}
}

type answered struct {
	reply conduct.Reply
	err   error
}

func ask(ctx context.Context, c *Conductor, s conduct.Say) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		r, err := c.Ask(ctx, s)
		done <- answered{r, err}
	}()
	return done
}

func TestRepliesGoToWhoAsked(t *testing.T) {
	c, w := meet(t)
	phase := ask(t.Context(), c, conduct.Say{Kind: conduct.Phase, Phase: "coding", Agent: true, Spent: conduct.Spent{Tokens: 7, MicroUSD: 9}})
	first := w.hear()
	if first.Serial != 1 || first.Kind != conduct.Phase || !first.Agent || first.Tokens != 7 {
		t.Errorf("%+v", first)
	}
	push := ask(t.Context(), c, conduct.Say{Kind: conduct.Push, What: "feature"})
	if second := w.hear(); second.Serial != 2 || second.Phase != "coding" || second.MicroUSD != 9 || second.What != "feature" {
		t.Errorf("%+v", second)
	}
	w.reply(conduct.Reply{Serial: 5, Go: false, Why: "to no question"})
	w.reply(conduct.Reply{Serial: 2, Go: true})
	if a := <-push; a.err != nil || a.reply.Serial != 2 {
		t.Errorf("%+v", a)
	}
	w.reply(conduct.Reply{Serial: 1, Go: true, MicroUSD: 5})
	if a := <-phase; a.err != nil || a.reply.MicroUSD != 5 {
		t.Errorf("%+v", a)
	}
}

func TestARefusalEndsTheConversation(t *testing.T) {
	c, w := meet(t)
	if c.Refused() != nil {
		t.Error("it was not asked yet")
	}
	file := ask(t.Context(), c, conduct.Say{Kind: conduct.File, What: "a comment"})
	w.reply(conduct.Reply{Serial: w.hear().Serial, Why: "another has it"})
	var refused *RefusedError
	if a := <-file; !errors.As(a.err, &refused) || refused.Kind != conduct.File || refused.Error() != "the fleet does not let it continue: another has it" {
		t.Errorf("%v", a.err)
	}
	// It is not asked again: no one reads.
	if _, err := c.Ask(t.Context(), conduct.Say{Kind: conduct.Push}); !errors.Is(err, refused) || c.Refused() != error(refused) {
		t.Errorf("%v", err)
	}
	go func() { _ = c.End(conduct.Outcome{Result: "stopped"}) }()
	if end := w.hear(); end.Kind != conduct.End || end.Outcome.Result != "stopped" || end.Serial != 0 {
		t.Errorf("%+v", end)
	}
}

func TestAWorkerThatIsGoneIsNoticedOnce(t *testing.T) {
	for name, leave := range map[string]func(*worker){
		"the end of the replies": func(w *worker) { _ = w.in.Close() },
		"a reply that is none":   func(w *worker) { _, _ = w.in.Write([]byte("{torn\n")) },
	} {
		t.Run(name, func(t *testing.T) {
			c, w := meet(t)
			waits := ask(t.Context(), c, conduct.Say{Kind: conduct.Phase})
			w.hear()
			leave(w)
			<-w.lost
			if a := <-waits; !errors.Is(a.err, ErrGone) {
				t.Errorf("%v", a.err)
			}
			if _, err := c.Ask(t.Context(), conduct.Say{Kind: conduct.Push}); !errors.Is(err, ErrGone) {
				t.Errorf("afterwards: %v", err)
			}
			c.Show("working", conduct.Spent{})
			if err := c.End(conduct.Outcome{}); !errors.Is(err, ErrGone) || len(w.lost) > 0 {
				t.Errorf("%v, told %d times more", err, len(w.lost))
			}
		})
	}
}

func TestAWorkerThatDoesNotReadIsGone(t *testing.T) {
	c, w := meet(t)
	_ = w.read.Close()
	if _, err := c.Ask(t.Context(), conduct.Say{Kind: conduct.Push}); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	<-w.lost
}

func TestTheEndIsNoLoss(t *testing.T) {
	c, w := meet(t)
	go c.Show("coding", conduct.Spent{Tokens: 3})
	if live := w.hear(); live.Kind != conduct.Live || live.Serial != 0 || live.What != "coding" || live.Tokens != 3 {
		t.Errorf("%+v", live)
	}
	done := make(chan error, 1)
	go func() { done <- c.End(conduct.Outcome{Result: "merged"}) }()
	if end := w.hear(); end.Tokens != 3 {
		t.Errorf("%+v", end)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	c.lose() // the worker has left
	if len(w.lost) > 0 {
		t.Error("it was told that the worker is gone")
	}
}

func TestAnInterruptEndsTheWait(t *testing.T) {
	c, w := meet(t)
	ctx, cancel := context.WithCancel(t.Context())
	waits := ask(ctx, c, conduct.Say{Kind: conduct.Question})
	w.hear()
	cancel()
	if a := <-waits; !errors.Is(a.err, context.Canceled) {
		t.Errorf("%v", a.err)
	}
	if _, err := c.Ask(ctx, conduct.Say{Kind: conduct.Push}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestWithoutAConductorEverythingGoes(t *testing.T) {
	var c *Conductor
	c.Show("", conduct.Spent{})
	if r, err := c.Ask(t.Context(), conduct.Say{}); err != nil || !r.Go || c.Refused() != nil || c.Tracker(nil) != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
