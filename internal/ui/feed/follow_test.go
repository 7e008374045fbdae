package feed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
)

// What an engine says that it does belongs to the work that it runs. What another
// process left there is not shown.
func TestWhatAnEngineDoesIsAttached(t *testing.T) {
	p := newProject(t)
	r := feed.Open(p.drive, p.env)
	p.session("auth", func(*sessionstate.State) {})
	if _, _, err := p.drive.Store().Acquire("auth", durable.Process{PID: os.Getpid()}, func(int) (string, bool) { return "", true }); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]bool{os.Getpid(): true, gone: false} {
		s := livestate.State{Name: "auth", PID: pid, Doing: "iteration 4"}
		text, err := s.Encode()
		if err == nil {
			err = p.drive.Store().Show(livestate.File("auth"), text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i := only(t, p.read(r)); (i.Live != nil) != want || want && i.Live.Doing != "iteration 4" {
			t.Errorf("by process %d: %+v", pid, i.Live)
		}
	}
}

// What a killed process with the same number left is not this one's, whatever the folder is
// called.
func TestLiveOfOneProcess(t *testing.T) {
	store := durable.New(durable.Config{Dir: filepath.Join(t.TempDir(), "a[1", ".claude"), Now: time.Now, PID: os.Getpid()})
	for name, stamp := range map[string]string{"mine": "2", "killed": "1"} {
		s := livestate.State{Name: name, PID: 7, Stamp: stamp}
		text, err := s.Encode()
		if err == nil {
			err = store.Show(livestate.File(name), text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if list := feed.LiveOf(store, durable.Process{PID: 7, Stamp: "2"}); len(list) != 1 || list[0].Name != "mine" {
		t.Errorf("%+v", list)
	}
}

// A watcher is told what an engine does, soon and without asking.
func TestFollowingShowsWhatChanges(t *testing.T) {
	p := newProject(t)
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Input: 10})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(chan int, 100)
	go feed.Open(turnstile.Open(p.drive.Root(), p.env), p.env).Follow(ctx, func(f *feed.Feed, err error) {
		if err != nil || len(f.Items) != 1 {
			t.Errorf("%+v, %v", f, err)
		}
		seen <- f.Items[0].Cost.Runs
	})
	for n := 1; n <= 3; n++ {
		for got := range seen {
			if got == n {
				break
			}
		}
		if n < 3 {
			if err := p.drive.Store().Append(event.Run, evidence.Run{Issue: "7", Epoch: 5, Input: 10}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func BenchmarkThousandSessions(b *testing.B) {
	p := manySessions(b, 1000)
	r := feed.Open(p.drive, p.env)
	if _, err := r.Read(); err != nil {
		b.Fatal(err)
	}
	for _, changed := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d changed", changed), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				for n := range changed {
					change(b, p, 2*n) // one that is under way
				}
				b.StartTimer()
				if _, err := r.Read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// manySessions has half of its sessions under way.
func manySessions(b *testing.B, n int) *project {
	p := &project{env: turnstile.System(), now: time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)}
	p.env.Now = func() time.Time { return p.now }
	p.drive = turnstile.Open(b.TempDir(), p.env)
	for i := range n {
		change(b, p, i)
		if i%2 == 0 {
			continue
		}
		_, err := documents.OpenSession(p.drive.Store(), fmt.Sprintf("s%d", i)).Update(func(tx *durable.Tx[sessionstate.State]) error {
			return tx.Doc.End(sessionstate.ReasonStopped, "it was stopped", p.now)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return p
}

func change(b *testing.B, p *project, i int) {
	name := fmt.Sprintf("s%d", i)
	_, err := documents.OpenSession(p.drive.Store(), name).Update(func(tx *durable.Tx[sessionstate.State]) error {
		if tx.Doc == nil {
			s, err := sessionstate.Begin(sessionstate.Beginning{Session: name}, p.now)
			tx.Doc = s
			return err
		}
		tx.Doc.Iteration++
		return nil
	})
	if err == nil {
		err = p.drive.Store().Append(event.Run, evidence.Run{Work: "session " + name, Input: 10, MicroUSD: 5})
	}
	if err != nil {
		b.Fatal(err)
	}
}
