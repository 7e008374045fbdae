package inbox_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
)

// open opens the inbox of a folder, as another process would.
func open(dir string, hear inbox.Hear) *inbox.Inbox {
	return inbox.Open(durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now, PID: 1}), time.Now, hear)
}

var which = questions.Question{By: questions.Engine, Issue: "42", Chunk: 1, Text: "which?", Options: []string{"a", "b"}}

// patient waits an hour for a person who is there.
var patient = inbox.Patience{Wait: time.Hour, Seen: true, Unattended: questions.TakeDefault}

func TestAnAnswerFromAnotherProcessEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		posted := make(chan questions.Item, 2)
		var wait sync.WaitGroup
		for range 2 { // several may wait for the same
			wait.Go(func() {
				i := open(dir, inbox.Hear{Posted: func(i questions.Item) { posted <- i }})
				if it, ok, err := i.Ask(t.Context(), which, patient); err != nil || !ok || it.Answer != "b" {
					t.Errorf("%+v %v %v", it, ok, err)
				}
			})
		}
		id := (<-posted).ID
		if other := (<-posted).ID; other != id {
			t.Errorf("%s and %s are the same question", id, other)
		}
		if _, err := open(dir, inbox.Hear{}).Answer(id, "2", "ann"); err != nil {
			t.Error(err)
		}
		wait.Wait()
	})
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		begun := time.Now()
		i := open(dir, inbox.Hear{})
		if it, ok, err := i.Ask(t.Context(), which, inbox.Patience{Wait: 10 * time.Minute, Seen: true}); ok || err != nil {
			t.Fatal(it, ok, err)
		}
		if took := time.Since(begun); took != 10*time.Minute {
			t.Errorf("it took %s", took)
		}
		// The late answer is kept, and returned once.
		if it, err := i.Answer("q1", "a", "ann"); err != nil || !it.Late {
			t.Fatal(it, err)
		}
		late, err := i.Late("42", 1)
		if err != nil || len(late) != 1 || late[0].Answer != "a" {
			t.Fatal(late, err)
		}
		if late, err = i.Late("42", 1); err != nil || len(late) != 0 {
			t.Fatal(late, err)
		}
	})
}

func TestALateAnswerIsThereAtOnceWhenItIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		posted, marked := 0, 0
		i := open(t.TempDir(), inbox.Hear{Posted: func(questions.Item) { posted++ }, Mark: func(string, string) error { marked++; return nil }})
		which := which
		which.Root = "/p"
		if _, ok, _ := i.Ask(t.Context(), which, inbox.Patience{}); ok {
			t.Fatal("nobody answered")
		}
		if _, err := i.Answer("q1", "b", "ann"); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		it, ok, err := i.Ask(t.Context(), which, patient)
		if err != nil || !ok || it.Answer != "b" || time.Since(begun) > 0 {
			t.Error(it, ok, err)
		}
		if book, err := i.Book(); err != nil || !book.Items[0].Taken || posted != 1 || marked != 0 {
			t.Error("it is put before people once, taken by the one who asked, and no session's", book, posted, marked, err)
		}
	})
}

func TestTheTerminalIsOneOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		silent := func(ctx context.Context, _ questions.Item) (string, bool) {
			<-ctx.Done()
			ended = true
			return "", false
		}
		dir := t.TempDir()
		settled := make(chan string, 1)
		i := open(dir, inbox.Hear{Terminal: silent})
		go func() {
			time.Sleep(time.Minute)
			_, _ = open(dir, inbox.Hear{Settled: func(i questions.Item) { settled <- i.Answer }}).Answer("q1", "a", "telegram")
		}()
		it, ok, err := i.Ask(t.Context(), which, patient)
		if err != nil || !ok || it.AnsweredBy != "telegram" || !ended || <-settled != "a" {
			t.Error(it, ok, err, ended)
		}
		quick := open(t.TempDir(), inbox.Hear{Terminal: func(context.Context, questions.Item) (string, bool) { return "2", true }})
		if it, ok, err := quick.Ask(t.Context(), which, patient); err != nil || !ok || it.Answer != "b" || it.AnsweredBy != "terminal" {
			t.Error(it, ok, err)
		}
	})
}

func TestAnAgentsWorkTreeIsMarkedAlsoAfterACrash(t *testing.T) {
	dir := t.TempDir()
	q := questions.Question{By: questions.Agent, Text: "which?", Session: "s1", Root: "/p"}
	broken := open(dir, inbox.Hear{Mark: func(string, string) error { return errors.New("no space") }})
	if _, err := broken.Put(q, time.Hour); err != nil {
		t.Fatal(err)
	}
	if it, err := broken.Answer("q1", "yes", "ann"); err == nil || !it.Answered() { // it was recorded
		t.Error(it, err)
	}
	var marked []string
	again := open(dir, inbox.Hear{Mark: func(root, session string) error { marked = append(marked, root+" "+session); return nil }})
	if it, err := again.Answer("q1", "yes", "ann"); err != nil || it.Was != "" || len(marked) != 1 || marked[0] != "/p s1" {
		t.Error(it, err, marked)
	}
}

// What happens without an answer is the same for all who ask.
func TestNoAnswerComesInTime(t *testing.T) {
	q := which
	q.Default = "b"
	for name, c := range map[string]struct {
		q    questions.Question
		p    inbox.Patience
		took time.Duration
		want string // "": no answer
	}{
		"the default is taken":                   {q, inbox.Patience{Wait: time.Hour, Seen: true, Unattended: questions.TakeDefault}, time.Hour, "b"},
		"at once when no person would see it":    {q, inbox.Patience{Wait: time.Hour, Unattended: questions.TakeDefault}, 0, "b"},
		"there is no default":                    {which, inbox.Patience{Wait: time.Hour, Seen: true, Unattended: questions.TakeDefault}, time.Hour, ""},
		"it is given up":                         {q, inbox.Patience{Wait: time.Hour, Seen: true, Unattended: questions.GiveUp}, time.Hour, ""},
		"it is waited for, seen or not, and ann": {q, inbox.Patience{Wait: time.Hour, Unattended: questions.KeepWaiting}, 3 * time.Hour, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir, begun := t.TempDir(), time.Now()
				var settled []questions.Item
				i := open(dir, inbox.Hear{Settled: func(it questions.Item) { settled = append(settled, it) }})
				var wait sync.WaitGroup
				if c.p.Unattended == questions.KeepWaiting {
					wait.Go(func() {
						time.Sleep(c.took)
						_, _ = open(dir, inbox.Hear{}).Answer("q1", "1", "ann")
					})
				}
				it, ok, err := i.Ask(t.Context(), c.q, c.p)
				took := time.Since(begun).Truncate(time.Minute)
				wait.Wait()
				if err != nil || ok != (c.want != "") || it.Answer != c.want || took != c.took {
					t.Fatalf("%+v %v %v after %s", it, ok, err, took)
				}
				if c.want != "b" {
					return
				}
				if it.AnsweredBy != questions.ByDefault || len(settled) != 1 || settled[0].Answer != "b" {
					t.Errorf("%+v, told %+v", it, settled)
				}
				if late, err := i.Answer("q1", "a", "ann"); err != nil || !late.Late {
					t.Error("a person can still decide", late, err)
				}
			})
		})
	}
}

// An interrupt is no answer, and takes no default.
func TestAnInterruptTakesNoDefault(t *testing.T) {
	i := open(t.TempDir(), inbox.Hear{})
	q := which
	q.Default = "b"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if it, ok, err := i.Ask(ctx, q, patient); ok || err != nil || it.Defaulted != "" {
		t.Error(it, ok, err)
	}
}

// An agent that asks from inside its run is heard at the terminal of the engine.
func TestTheTerminalAttendsToAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var asked []string
		here := open(dir, inbox.Hear{Terminal: func(_ context.Context, it questions.Item) (string, bool) {
			asked = append(asked, it.ID)
			return "2", true
		}})
		other := which
		other.Text = "the engine's own"
		if _, err := here.Put(other, time.Hour); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); here.Attend(ctx) }()
		q := which
		q.By = questions.Agent
		it, ok, err := open(dir, inbox.Hear{}).Ask(t.Context(), q, patient)
		if err != nil || !ok || it.Answer != "b" || it.AnsweredBy != "terminal" {
			t.Error(it, ok, err)
		}
		cancel()
		<-done
		if len(asked) != 1 || asked[0] != "q2" {
			t.Error(asked)
		}
	})
}

// A question that is withdrawn is gone from the inbox; people are told, once.
func TestAWithdrawnQuestionNeedsNoAnswer(t *testing.T) {
	var told []string
	i := open(t.TempDir(), inbox.Hear{Settled: func(i questions.Item) { told = append(told, i.ID) }})
	all := func(questions.Item) bool { return true }
	if err := i.Withdraw(all); err != nil {
		t.Fatal(err)
	}
	it, err := i.Put(which, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := i.Withdraw(all); err != nil {
			t.Fatal(err)
		}
	}
	if pending, err := i.Pending(); err != nil || len(pending) > 0 || len(told) != 1 || told[0] != it.ID {
		t.Errorf("%+v %v, told of %v", pending, err, told)
	}
	if _, ok, err := i.Wait(t.Context(), it); ok || err != nil {
		t.Errorf("the wait for it: %v %v", ok, err)
	}
}
